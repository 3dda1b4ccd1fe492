/** What was found, on the way to what a search gives. */
import type { Hit } from '../../store/search.ts';

export type { Hit };

/** Something found, before it is read for showing. */
export interface Candidate {
  /** The same for all copies. */
  readonly key: string;
  /** Milliseconds. */
  readonly time: number | undefined;
  /** Smaller is better. */
  readonly score: number;
  /** undefined when it is gone meanwhile. */
  load(): Loaded | undefined;
}

/** A hit with the text its snippet is cut from. */
export type Loaded = Omit<Hit, 'snippet' | 'highlights'> & { readonly text: string };

export function partKey(key: Buffer, place: number): string {
  return `${key.toString('latin1')}${place}`;
}

/** What it tells the entry apart by (keys.ts). */
export function entryKeyIn(partKey: string): Buffer {
  return Buffer.from(partKey, 'latin1').subarray(0, KEY_BYTES);
}

const KEY_BYTES = 16;

/** Newest first; what has no time last. */
export function byTime(a: Candidate, b: Candidate): number {
  return (b.time ?? -Infinity) - (a.time ?? -Infinity) || 0;
}
