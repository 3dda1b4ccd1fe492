/** Where the state of exports lies, under Skein's own folder. */
import { basename, join } from 'node:path';
import { sha256Hex } from '../../format/sha256.ts';

export interface Places {
  readonly queue: string;
  readonly locks: string;
  /** Of one endpoint. */
  readonly ledger: string;
  readonly sessions: string;
  /** What is known of secrets in transcripts, whatever the endpoint. */
  readonly learnt: string;
}

export function placesOf(home: string, endpointKey: string): Places {
  const folder = join(home, 'export');
  return {
    queue: join(folder, 'queue'),
    locks: join(folder, 'locks'),
    ledger: join(folder, endpointKey, 'sent'),
    sessions: join(folder, endpointKey, 'sessions'),
    learnt: join(folder, 'learnt'),
  };
}

/** A name for a file's state: readable, and no other file's. */
export function stateName(file: string): string {
  const digest = sha256Hex(file).slice(0, 12);
  return `${basename(file, '.jsonl')
    .replace(/[^\w-]/g, '_')
    .slice(0, 60)}-${digest}.json`;
}
