/** How sessions hang together. */
import type { Outline } from '../outline.ts';
import type { Sure } from '../sure.ts';

export interface SessionFacts {
  readonly id: string;
  readonly file: string;
  readonly bytes: number;
  readonly outline: Outline;
}

export type EdgeKind =
  /** 1.0.x: a new file that repeats the old one and goes on (H1). */
  | 'resume'
  /** A copy made on purpose: `--fork-session`, `/branch`. */
  | 'fork'
  /** A copy of a part, whose original went on otherwise. */
  | 'branch'
  /** A new file without copies that goes on from an old one (H4). */
  | 'continue'
  /** A compaction whose first part lies in another file. */
  | 'compaction'
  /** Copies from a second source. */
  | 'merge'
  /** One file holds the title of the other (E11). */
  | 'summary';

export type EdgeWhy =
  | 'copied uuids'
  | 'forkedFrom'
  | 'logicalParent'
  | 'parentUuid'
  | 'leafUuid'
  | 'first session id'
  | 'plan content'
  | 'same beginning';

/** Between session ids, older to newer. */
export interface Edge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  readonly why: EdgeWhy;
  readonly sure: Sure;
}

/** An edge between places in the list of sessions. */
export interface Link {
  readonly from: number;
  readonly to: number;
  readonly kind: EdgeKind;
  readonly why: EdgeWhy;
  readonly sure: Sure;
  /** The newer one takes up the end of the older one, which is no leaf then. */
  readonly takesUp: boolean;
}
