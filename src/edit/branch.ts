/**
 * The lines of one branch in the order in which a copy has them: what a resume goes on from as the client lays it out, before
 * it what a compaction has replaced, and every other line at its place. Each entry once; nothing of other branches.
 */
import type { Entry } from '../format/entry.ts';
import { asObject, type JsonObject } from '../format/json.ts';
import type { Kind } from '../format/kinds.ts';
import { lazy } from '../format/lazy.ts';
import { branchesOf } from '../graph/branches.ts';
import { type Chain, type ChainNode, chainOf, isBoundary, leafOf } from '../graph/chain.ts';
import { resumedNodes } from '../graph/context/context.ts';

export interface BranchLine {
  readonly entry: Entry;
  /** It stands in the chain of parents. */
  readonly linked: boolean;
  /** What must be different in a copy. */
  readonly change?: (value: JsonObject) => JsonObject;
}

export interface BranchLines {
  readonly lines: readonly BranchLine[];
  /** The last of what is sent: a resume goes on from there. */
  readonly leaf: Entry | undefined;
  /** Entries of the branch that a resume does not see although nothing replaced them: behind a gap, or beside what was said. */
  readonly unseen: readonly Entry[];
  /** Entries that belong only to other branches. */
  readonly others: readonly Entry[];
}

export interface BranchChoice {
  /** Where the branch ends; the message of this entry is kept whole, with its results. Otherwise where a resume goes on. */
  readonly leaf?: Entry;
}

/** All entries of one file in file order. */
export function branchLines(entries: readonly Entry[], { leaf }: BranchChoice = {}): BranchLines {
  const whole = leaf === undefined ? entries : entriesUpTo(entries, leaf);
  const chain = chainOf(whole);
  const branches = branchesOf(whole, { leaf: leafOf(chain)?.entry });
  const path = resumedNodes(chain);
  const kept = onceEach(branches.entriesOf(branches.current), path);
  const lines = layOut(kept, chain, path);
  const written = new Set(lines.map(({ entry }) => entry));
  const inBranch = new Set(kept);
  return {
    lines,
    leaf: path.at(-1)?.entry,
    unseen: kept.filter((entry) => !written.has(entry)),
    others: entries.filter((entry) => !inBranch.has(entry) && !written.has(entry)),
  };
}

/** The session as if nothing had been said after an entry, nor on other branches; in file order. */
export function entriesUpTo(entries: readonly Entry[], leaf: Entry): readonly Entry[] {
  const all = branchesOf(entries);
  const before = cutAtBoundary(all.entriesOf(all.containing(leaf)), leaf);
  const { entriesOf, current } = branchesOf(before, { leaf });
  const kept = new Set(entriesOf(current));
  const place = entries.indexOf(leaf);
  const later = new Set<string | null | undefined>();
  return entries.filter((entry, at) => {
    if (!kept.has(entry) || entry.kind === 'last-prompt') return false;
    // What was noted further up after a rewind would be taken for the end (R3).
    if (at > place && isNote(entry) && !later.has(entry.head.parentUuid)) return false;
    if (at >= place && entry.head.uuid !== undefined) later.add(entry.head.uuid);
    return true;
  });
}

function isNote({ kind }: Entry): boolean {
  return kind === 'system' || kind === 'attachment';
}

/** A compaction that kept the entry for the model comes after it all the same. */
function cutAtBoundary(entries: readonly Entry[], leaf: Entry): readonly Entry[] {
  const place = entries.indexOf(leaf);
  const boundary = entries.findIndex((entry, at) => at > place && isBoundary(entry));
  return boundary < 0 ? entries : entries.slice(0, boundary);
}

/** E12: of a uuid that occurs twice one line counts: that which is sent, else the last. Lines that are no entries say nothing. */
function onceEach(entries: readonly Entry[], path: readonly ChainNode[]): Entry[] {
  const counting = new Map(path.map(({ key, entry }) => [key, entry]));
  const sent = new Set(counting.keys());
  for (const entry of entries) {
    const { uuid } = entry.head;
    const known = uuid === undefined || sent.has(uuid) ? entry : counting.get(uuid);
    if (uuid !== undefined && (known === undefined || known.line.start < entry.line.start)) counting.set(uuid, entry);
  }
  return entries.filter((entry) => {
    if (entry.kind === 'blank' || entry.kind === 'unreadable') return false;
    return entry.head.uuid === undefined || counting.get(entry.head.uuid) === entry;
  });
}

function layOut(kept: readonly Entry[], chain: Chain, path: readonly ChainNode[]): BranchLine[] {
  const at = path.findLastIndex(({ entry }) => isBoundary(entry));
  const boundary = path[at]?.entry;
  const place = boundary === undefined ? -1 : kept.indexOf(boundary);
  const replaced = kept.slice(0, Math.max(place, 0));
  const preserved = new Set(boundary === undefined ? [] : preservedOn(chain, path));
  // C2: what a compaction kept is named by it and stays where it was. Where it does not stand there, it follows in the chain.
  const isReplaced = new Set(replaced);
  const isRecorded = preserved.size > 0 && [...preserved].every((entry) => isReplaced.has(entry));
  const sent = path.slice(at + 1).flatMap(({ entry }) => (isRecorded && preserved.has(entry) ? [] : entry));
  const isApart = apartFrom(path);
  const before = replaced.filter((entry) => (isRecorded && preserved.has(entry)) || isApart(entry));
  const lines = before.map((entry): BranchLine => ({ entry, linked: isLinked(entry) }));
  if (boundary !== undefined)
    lines.push({ entry: boundary, linked: true, ...(!isRecorded && { change: withoutRecord }) });
  return [...lines, ...layAfter(kept.slice(place + 1), sent, isApart)];
}

/**
 * What is sent, in the order in which it is, and behind each of it what stands there but is not sent. Notes in the chain wait
 * until the last line of the message that they would stand in: they would change its order (R9).
 */
function layAfter(entries: readonly Entry[], sent: readonly Entry[], isApart: (entry: Entry) => boolean): BranchLine[] {
  const isSent = new Set(sent);
  const ofMain = lazy(() => {
    const main = [...sent, ...entries.filter(({ head }) => !head.isSidechain)];
    return new Set(main.map(({ head }) => head.uuid));
  });
  // R8: a note at the end of the conversation is sent, whatever it is marked as.
  const joins = (entry: Entry) => isNote(entry) && entry.head.isSidechain && ofMain().has(entry.head.parentUuid ?? '');
  const beside = new Map<Entry | undefined, BranchLine[]>();
  let anchor: Entry | undefined;
  for (const entry of entries) {
    if (isSent.has(entry)) anchor = entry;
    else if (!isSpeaking(entry) && !joins(entry) && isApart(entry))
      put(beside, anchor, { entry, linked: isLinked(entry) });
  }
  const lines = [...(beside.get(undefined) ?? [])];
  const isWithin = withinMessages(sent);
  const waiting: BranchLine[] = [];
  for (const entry of sent) {
    lines.push({ entry, linked: true });
    const within = isWithin(entry);
    for (const line of within ? [] : waiting.splice(0)) lines.push(line);
    for (const line of beside.get(entry) ?? []) {
      const waits = within && line.linked && isNote(line.entry);
      (waits ? waiting : lines).push(line);
    }
  }
  return [...lines, ...waiting];
}

/** Whether what follows an entry stands among the lines of a message; to be asked of what is sent, in order. */
function withinMessages(sent: readonly Entry[]): (entry: Entry) => boolean {
  const last = new Map<string, Entry>();
  for (const entry of sent) if (idOf(entry) !== '') last.set(idOf(entry), entry);
  const begun = new Set<string>();
  return (entry) => {
    const id = idOf(entry);
    if (last.get(id) === entry) begun.delete(id);
    else if (last.has(id)) begun.add(id);
    return begun.size > 0;
  };
}

function idOf({ kind, head }: Entry): string {
  return kind === 'assistant' ? (head.message?.id ?? '') : '';
}

/** Whether an entry is not sent and cannot be taken for a part of what is, as one that has an id in common would be (R8). */
function apartFrom(path: readonly ChainNode[]): (entry: Entry) => boolean {
  const sent = new Set<Entry>();
  const ids = new Set<string>();
  for (const { entry } of path) {
    sent.add(entry);
    someId(entry, (id) => {
      ids.add(id);
      return false;
    });
  }
  return (entry) => !sent.has(entry) && !someId(entry, (id) => ids.has(id));
}

/** Whether one of the ids that lines are put together by fits. */
function someId({ kind, head }: Entry, fits: (id: string) => boolean): boolean {
  if (kind !== 'user' && kind !== 'assistant') return false;
  if (kind === 'assistant' && head.message?.id && fits(head.message.id)) return true;
  return head.blocks.some(({ id, toolUseId }) => {
    const named = id ?? toolUseId;
    return named !== undefined && fits(named);
  });
}

function preservedOn({ preserved }: Chain, path: readonly ChainNode[]): Entry[] {
  const from = path.findIndex(({ key }) => key === preserved?.anchor);
  const to = path.findIndex(({ key }) => key === preserved?.tail);
  return from < 0 || to < 0 ? [] : path.slice(from + 1, to + 1).map(({ entry }) => entry);
}

function withoutRecord(value: JsonObject): JsonObject {
  const compact = asObject(value.compactMetadata);
  if (compact === undefined) return value;
  const { preservedMessages: _, preservedSegment: __, ...compactMetadata } = compact;
  return { ...value, compactMetadata };
}

/** Progress stands in the chain, as the clients that write it have it (E3). */
const LINKED: ReadonlySet<Kind> = new Set<Kind>(['user', 'assistant', 'system', 'attachment', 'progress']);

function isLinked({ kind, head }: Entry): boolean {
  return LINKED.has(kind) && !head.isSidechain;
}

/** In the chain it would be sent. */
function isSpeaking(entry: Entry): boolean {
  const { kind, head } = entry;
  if (head.isSidechain || kind === 'progress') return false;
  return (isLinked(entry) && kind !== 'system') || head.subtype === 'local_command' || isBoundary(entry);
}

function put<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
