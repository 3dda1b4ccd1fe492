/** Where the state of exports lies, under Skein's own folder. */
import { basename, join, sep } from 'node:path';
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
  // Nothing to make simpler, which `join` would look for each time.
  const own = `${folder}${sep}${endpointKey}`;
  return {
    queue: `${folder}${sep}queue`,
    locks: `${folder}${sep}locks`,
    ledger: `${own}${sep}sent`,
    sessions: `${own}${sep}sessions`,
    learnt: `${folder}${sep}learnt`,
  };
}

/** A name for a file's state: readable, and no other file's. */
export function stateName(file: string): string {
  const digest = sha256Hex(file).slice(0, 12);
  return `${basename(file, '.jsonl')
    .replace(/[^\w-]/g, '_')
    .slice(0, 60)}-${digest}.json`;
}
