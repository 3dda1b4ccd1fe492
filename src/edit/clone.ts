/** S1–S6: a session, or its conversation up to a point, as a session of its own. */
import { type Entry, jsonOf } from '../format/entry.ts';
import { asString, type JsonObject } from '../format/json.ts';
import type { Kind } from '../format/kinds.ts';
import { branchLines } from './branch.ts';
import { linearise, type Part } from './chain.ts';
import type { FreshUuid } from './ids.ts';
import type { Draft, Note } from './log.ts';
import type { Remap } from './remap.ts';
import { UNSIGNED } from './repair/mend.ts';
import { withoutUnsigned } from './unsigned.ts';

export interface CloneOptions {
  readonly sessionId: string;
  /** The id of the session that is cloned. */
  readonly from: string;
  readonly freshUuid: FreshUuid;
  readonly now: string;
  /** Where the clone ends; otherwise where a resume of the session goes on. */
  readonly leaf?: Entry;
  readonly title?: string;
  /** What was typed last, for those who list sessions. */
  readonly lastPrompt?: string;
}

export interface Cloned extends Draft {
  /** The uuid that a resume goes on from. */
  readonly leaf: string | undefined;
  readonly kept: readonly Entry[];
  /** For the transcripts of its sub-agents, which are named by the same uuids. */
  readonly remap: Remap;
}

/** S5: what the client keeps about its own requests, costs and latches is not the new session's. */
const NOT_CARRIED: ReadonlySet<Kind> = new Set<Kind>([
  'api-request',
  'api-request-shape',
  'api-request-blob',
  'cost-state',
  'atis-latch',
]);

export function isCarried({ kind }: Entry): boolean {
  return !NOT_CARRIED.has(kind);
}

/** All entries of one file in file order. Payloads are read when the lines are written. */
export function clone(entries: readonly Entry[], options: CloneOptions): Cloned {
  const { lines, leaf, unseen, others } = branchLines(entries, options);
  const carried: Part[] = lines.filter(({ entry }) => isCarried(entry));
  const thoughts: Note[] = [];
  const parts = carried.flatMap((part) => {
    if (isSaidAgain(part, leaf, options)) return [];
    const signed = withoutUnsigned(part);
    if (signed !== part) thoughts.push({ rule: 'A5', what: UNSIGNED, line: part.entry?.line.number });
    return signed ?? [];
  });
  const chained = linearise(parts, { ...options, leaf, left: [...unseen, ...others] });
  const notes = [...leftOut(entries, unseen, others, options.leaf !== undefined), ...thoughts, ...chained.notes];
  const closing = closingLines(options, chained.leaf).map((value) => ({ value }));
  const kept = parts.flatMap(({ entry }) => entry ?? []);
  return { lines: [...chained.lines, ...closing], notes, leaf: chained.leaf, remap: chained.remap, kept };
}

/** What the closing lines say: a clone of a clone says it once. */
function isSaidAgain({ entry }: Part, leaf: Entry | undefined, { title }: CloneOptions): boolean {
  if (entry?.kind === 'last-prompt')
    return entry.head.leafUuid !== undefined && entry.head.leafUuid === leaf?.head.uuid;
  return entry?.kind === 'custom-title' && asString(jsonOf(entry)?.customTitle) === title;
}

/** R2: a pin of its own, so that no older one counts. */
export function closingLines(
  { sessionId, title, lastPrompt }: Pick<CloneOptions, 'sessionId' | 'title' | 'lastPrompt'>,
  leaf: string | undefined,
): JsonObject[] {
  const lines: JsonObject[] = [];
  if (title !== undefined) lines.push({ type: 'custom-title', customTitle: title, sessionId });
  if (leaf !== undefined) {
    lines.push({ type: 'last-prompt', ...(lastPrompt !== undefined && { lastPrompt }), leafUuid: leaf, sessionId });
  }
  return lines;
}

function leftOut(
  entries: readonly Entry[],
  unseen: readonly Entry[],
  others: readonly Entry[],
  isPart: boolean,
): Note[] {
  const notes: Note[] = [];
  const bad = others.filter(({ kind }) => kind === 'unreadable');
  const repeats = countRepeats(entries);
  const apart = others.filter(({ kind, head }) => kind !== 'unreadable' && kind !== 'blank' && head.uuid !== undefined);
  const branched = apart.length - repeats;
  const where = isPart ? 'after this point or on other branches' : 'of other branches';
  if (branched > 0) notes.push({ rule: 'H3', what: `${branched} entries ${where} are left out` });
  if (repeats > 0) notes.push({ rule: 'E12', what: `${repeats} earlier lines of a uuid written again are left out` });
  if (bad.length > 0) notes.push({ rule: 'E1', what: `${bad.length} unreadable lines are left out` });
  if (unseen.length > 0) {
    notes.push({
      rule: 'R6',
      what: `${unseen.length} entries that a resume does not reach are left out`,
      line: unseen[0]?.line.number,
    });
  }
  return notes;
}

function countRepeats(entries: readonly Entry[]): number {
  const uuids = entries.flatMap(({ head }) => head.uuid ?? []);
  return uuids.length - new Set(uuids).size;
}
