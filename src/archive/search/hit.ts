/** What a search gives, whichever way it was done. */

import type { Span } from '../../views/search/match.ts';
import type { Role, Where } from '../../views/search/parts.ts';

export interface Hit {
  readonly uuid: string | undefined;
  /** The session it stands in; of a sub-agent's entry the session that started it. */
  readonly session: string | undefined;
  readonly agent: string | undefined;
  readonly role: Role;
  readonly where: Where;
  readonly tool: string | undefined;
  readonly isError: boolean;
  readonly snippet: string;
  readonly highlights: readonly Span[];
  /** As written. */
  readonly time: string | undefined;
  /** The transcript, where it lies or lay. */
  readonly file: string;
  readonly cwd: string | undefined;
}

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

/** Newest first; what has no time last. */
export function byTime(a: Candidate, b: Candidate): number {
  return (b.time ?? -Infinity) - (a.time ?? -Infinity) || 0;
}
