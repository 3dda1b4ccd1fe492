/**
 * Lines → a log whose conversation is one chain (S1): the first entry has no parent, every other hangs on the one before, a
 * compaction begins anew and names what was before it (C1). Side chains inside the file keep their own shape.
 */
import { bytesOf, type Entry, jsonIn, jsonOf } from '../format/entry.ts';
import { type Head, headOf } from '../format/head.ts';
import { asString, type JsonObject } from '../format/json.ts';
import { type Kind, kindOf } from '../format/kinds.ts';
import { parseTimestamp } from '../format/time.ts';
import type { FreshUuid } from './ids.ts';
import type { Note, OutLine } from './log.ts';
import { patchLine } from './patch.ts';
import { createRemap, originOf, type Remap, remapEntry } from './remap.ts';
import { complete, createClock } from './shape.ts';

/** A line to be written: one of the source, perhaps changed, or a new one, whose own uuid others may name. */
export interface Part {
  readonly entry?: Entry;
  /** Called when the line is written: the payload stays on disk until then. */
  readonly change?: (value: JsonObject) => JsonObject;
  readonly made?: JsonObject;
  /** It stands in the chain of parents. */
  readonly linked: boolean;
}

export interface ChainOptions {
  readonly sessionId: string;
  /** The session the lines come from, where they do not say so themselves. */
  readonly from: string;
  readonly freshUuid: FreshUuid;
  /** For lines without a time when none has one. */
  readonly now: string;
  /** Entries that are not carried over: what names them is dropped or loses the reference. */
  readonly left?: Iterable<Entry>;
  /** The session stays the same one: uuids are kept, and lines that come out the same are kept byte for byte. */
  readonly inPlace?: boolean;
  /** What a resume goes on from; without it the last of the chain. */
  readonly leaf?: Entry;
  /** Names given already, as those of a session to its sub-agents. */
  readonly remap?: Remap;
}

export interface Chained {
  readonly lines: readonly OutLine[];
  readonly notes: readonly Note[];
  /** The uuid of the last entry of the conversation, as it is now. */
  readonly leaf: string | undefined;
  readonly remap: Remap;
}

interface Link {
  readonly part: Part;
  readonly head: Head;
  readonly kind: Kind;
  readonly uuid: string | undefined;
  /** undefined: as it is. */
  readonly parent: string | null | undefined;
  readonly before: string | undefined;
  timestamp: string;
}

export function linearise(parts: readonly Part[], options: ChainOptions): Chained {
  const remap = options.remap ?? createRemap(options);
  const heads = parts.map(({ entry, made }) => entry?.head ?? headOf(made ?? {}));
  const uuids = parts.map((part, at) => uuidFor(part, heads[at], remap, options));
  for (const { head } of options.left ?? []) if (head.uuid !== undefined) remap.leave(head.uuid);
  const { links, last } = linkAll(parts, heads, uuids, remap, options.now);
  const leaf = uuids[parts.findLastIndex(({ entry }) => entry !== undefined && entry === options.leaf)] ?? last;
  const notes: Note[] = makeLastNewest(links);
  const lines: OutLine[] = [];
  for (const link of links) {
    const gone = whyGone(link, remap);
    if (gone === undefined) lines.push(outLine(link, remap, options));
    else notes.push({ rule: 'S5', what: gone, line: link.part.entry?.line.number });
  }
  return { lines, notes, leaf, remap };
}

function uuidFor(part: Part, head: Head | undefined, remap: Remap, options: ChainOptions): string | undefined {
  const kind = part.entry?.kind ?? kindOf(head ?? headOf({}));
  // Lines about an entry may go with it: nobody can name them.
  if (head?.uuid && !ABOUT.has(kind)) return remap.keep(head.uuid);
  if (head?.uuid && options.inPlace) return head.uuid;
  return part.linked || head?.uuid ? options.freshUuid() : undefined;
}

const ABOUT: ReadonlySet<Kind> = new Set<Kind>([
  'last-prompt',
  'summary',
  'file-history-snapshot',
  'file-history-delta',
]);

function linkAll(
  parts: readonly Part[],
  heads: readonly Head[],
  uuids: readonly (string | undefined)[],
  remap: Remap,
  now: string,
): { links: Link[]; last: string | undefined } {
  const timeAt = createClock(heads, now);
  const lastSaid = parts.findLastIndex(({ entry, linked, made }, at) => {
    const kind = entry?.kind ?? kindOf(heads[at] ?? headOf(made ?? {}));
    return linked && (kind === 'user' || kind === 'assistant');
  });
  const written = new Set<string>();
  const links: Link[] = [];
  let parentOfNext: string | undefined;
  let last: string | undefined;
  for (const [at, head] of heads.entries()) {
    const part = parts[at];
    if (part === undefined) continue;
    const kind = part.entry?.kind ?? kindOf(head);
    const uuid = uuids[at];
    // One with nothing after it counts only as long as it hangs on what was said (R3).
    const chained = isCompaction(kind, head) && at < lastSaid ? null : (parentOfNext ?? null);
    const parent = part.linked ? chained : parentBeside(head, parentOfNext, (named) => written.has(named), remap);
    links.push({ part, head, kind, uuid, parent, before: parentOfNext, timestamp: timeAt(at) });
    if (head.uuid !== undefined) written.add(head.uuid);
    if (!part.linked) continue;
    parentOfNext = uuid;
    // Progress is never what a resume goes on from (R3).
    if (kind !== 'progress') last = uuid;
  }
  return { links, last };
}

/** S8: 2.1.29 goes on from the newest entry, wherever that stands. */
function makeLastNewest(links: readonly Link[]): Note[] {
  const chained = links.filter(({ part, kind }) => part.linked && kind !== 'progress');
  const last = chained.at(-1);
  const newest = chained.reduce((most, { timestamp }) => Math.max(most, parseTimestamp(timestamp)), 0);
  if (last === undefined || parseTimestamp(last.timestamp) >= newest) return [];
  last.timestamp = new Date(newest + 1).toISOString();
  return [{ rule: 'S8', what: 'the last entry was not the newest; it is now', line: last.part.entry?.line.number }];
}

function isCompaction(kind: Kind, head: Head): boolean {
  return kind === 'system' && head.subtype === 'compact_boundary';
}

/** A side chain hangs together as it did; what it hung on must stand before it, so that there is no circle. */
function parentBeside(
  head: Head,
  last: string | undefined,
  isWritten: (uuid: string) => boolean,
  remap: Remap,
): string | null | undefined {
  if (head.parentUuid === undefined || head.parentUuid === null) return head.parentUuid;
  if (isWritten(head.parentUuid)) return remap.keep(head.parentUuid);
  return head.isSidechain ? null : (last ?? null);
}

/** Lines that are about one entry go with it. A title may be for another file (E11). */
function whyGone({ part, head, kind }: Link, remap: Remap): string | undefined {
  if (kind === 'last-prompt' && head.leafUuid !== undefined && !remap.has(head.leafUuid)) {
    return 'last-prompt of an entry that is not here';
  }
  if (kind === 'summary' && head.leafUuid !== undefined && remap.refer(head.leafUuid) === undefined) {
    return 'title of an entry that is not here';
  }
  if (kind !== 'file-history-snapshot' && kind !== 'file-history-delta') return undefined;
  const messageId = asString((part.entry ? jsonOf(part.entry) : part.made)?.messageId);
  return messageId !== undefined && !remap.has(messageId) ? `${kind} of an entry that is not here` : undefined;
}

function outLine(link: Link, remap: Remap, options: ChainOptions): OutLine {
  const { entry, made = {}, change } = link.part;
  if (entry === undefined) {
    return {
      get value() {
        return build(made, link, remap, options);
      },
    };
  }
  return {
    get bytes() {
      const bytes = bytesOf(entry);
      const value = jsonIn(entry, bytes);
      if (value === undefined) return bytes;
      return patchLine(bytes, value, build(change === undefined ? value : change(value), link, remap, options));
    },
  };
}

function build(value: JsonObject, link: Link, remap: Remap, { from, inPlace }: ChainOptions): JsonObject {
  const { part, head, kind, uuid, parent, before, timestamp } = link;
  const now = remapEntry(value, remap);
  if (part.linked) {
    complete(now, kind);
    now.timestamp = timestamp;
  }
  if (uuid !== undefined) now.uuid = uuid;
  if (parent !== undefined) now.parentUuid = parent;
  if (part.linked && !inPlace && now.sessionId === undefined) now.sessionId = remap.sessionId;
  // R6: a side chain that the conversation runs through is a part of it.
  if (part.linked && now.isSidechain === true) now.isSidechain = false;
  if (part.linked && isCompaction(kind, head)) {
    now.logicalParentUuid = before;
  }
  // S6: also a copy of a copy says who it was first.
  const origin = inPlace || part.entry === undefined ? undefined : originOf(value, from);
  if (origin !== undefined) now.forkedFrom = origin;
  return now;
}
