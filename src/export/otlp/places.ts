/** Where the state of exports lies, under Skein's own folder. */
import { hash } from 'node:crypto';
import { basename, join } from 'node:path';

export interface Places {
  readonly queue: string;
  readonly locks: string;
  /** Of one endpoint. */
  readonly ledger: string;
  readonly sessions: string;
}

export function placesOf(home: string, endpointKey: string): Places {
  const folder = join(home, 'export');
  return {
    queue: join(folder, 'queue'),
    locks: join(folder, 'locks'),
    ledger: join(folder, endpointKey, 'sent'),
    sessions: join(folder, endpointKey, 'sessions'),
  };
}

/** A name for a file's state: readable, and no other file's. */
export function stateName(file: string): string {
  const digest = hash('sha256', file).slice(0, 12);
  return `${basename(file, '.jsonl')
    .replace(/[^\w-]/g, '_')
    .slice(0, 60)}-${digest}.json`;
}
