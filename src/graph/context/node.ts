/** The entries of a conversation as nodes of a graph. */
import type { Entry } from '../../format/entry.ts';
import { parseTimestamp } from '../../format/time.ts';
import type { PreservedSpan } from './preserved.ts';

/** Called for every entry each time a phase looks at it: lets a test count the work. */
export type OnVisit = (entry: Entry, phase: string) => void;

/** A conversation entry in its place. A repeated uuid is one node: the last content at the first position (R1). */
export interface ChainNode {
  /** The uuid; an entry without one has the empty key, so that all such entries are one node, as the client sees them. */
  readonly key: string;
  entry: Entry;
  /** Position by first occurrence. */
  readonly order: number;
  /** The key of the parent, null for a root. */
  parent: string | null;
}

const CONVERSATION: ReadonlySet<string> = new Set(['user', 'assistant', 'system', 'attachment']);

/** R3: the kinds that stand in the chain. Progress is bridged, unknown types are not (R6). */
export function isConversation(entry: Entry): boolean {
  return CONVERSATION.has(entry.kind);
}

export function isSpoken({ entry }: ChainNode): boolean {
  return entry.kind === 'user' || entry.kind === 'assistant';
}

/** C1 */
export function isBoundary(entry: Entry): boolean {
  return entry.kind === 'system' && entry.head.subtype === 'compact_boundary';
}

export function timeOf(entry: Entry): number {
  const time = parseTimestamp(entry.head.timestamp ?? '');
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}

/** Nodes by key, in the order of their first lines: as much of a map as is asked for. */
export interface Nodes {
  get(key: string): ChainNode | undefined;
  has(key: string): boolean;
  values(): Iterable<ChainNode>;
}

export interface Chain {
  readonly nodes: Nodes;
  /** R3: the last line of the conversation that is not of a side chain. */
  readonly tip: ChainNode | undefined;
  /** R2: whether a last-prompt line names a leaf, and the entry that it pins. */
  readonly lastPrompt: boolean;
  readonly pin: ChainNode | undefined;
  /** C2: the entry that preserved messages were hung on, and the last of them. */
  readonly preserved: PreservedSpan | undefined;
  readonly onVisit: OnVisit;
}
