/** What the thread that reads and the one that asks tell each other. */
import type { JsonObject } from '../../format/json.ts';
import type { TeamTarget } from '../connect.ts';
import type { Place } from './ask.ts';

/** How the thread is started. `signal`: whether there is an answer, and how often something came. */
export interface Start {
  readonly target: TeamTarget;
  readonly signal: SharedArrayBuffer;
}

export const ANSWERED = 0;
export const CAME = 1;

export type Request =
  | { readonly kind: 'rows'; readonly sql: string; readonly params: Readonly<Record<string, unknown>> }
  /** The lines of transcripts. */
  | { readonly kind: 'lines'; readonly files: readonly Asked[]; readonly temp: string };

export interface Asked extends Place {
  /** How long it is without a line break at its end, where that is known. */
  readonly trim: number | undefined;
}

export type Answer =
  | { readonly kind: 'rows'; readonly rows: JsonObject[] }
  | { readonly kind: 'lines'; readonly pieces: Piece[] }
  | { readonly kind: 'failed'; readonly what: string; readonly where: string; readonly next: string };

/** A transcript. */
export type Piece =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** Too large to be held: in a file that is open. `path`: it still has a name. */
  | { readonly kind: 'file'; readonly fd: number; readonly size: number; readonly path: string | undefined };
