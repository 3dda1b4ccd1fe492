/**
 * From which entry on a session stands by itself. What a resume sends is decided by the entries around the last one, but a
 * session of many compactions is mostly what was before: of that, nothing need be kept.
 *
 * An id ties all entries together that name it: as their own, as parent, message or call. Where no id is named on both
 * sides, nothing before has a say in what is after.
 */
import { type Entry, jsonOf } from '../../format/entry.ts';
import { asObject, asString, type Json } from '../../format/json.ts';
import { createNumbers } from '../../format/numbers.ts';
import { chainOf, isBoundary, lastSaid } from '../chain.ts';
import { isConversation, timeOf } from '../context/node.ts';
import type { Log } from './log.ts';

export interface PartFinder {
  /** The entry at a place of the log. */
  add(entry: Entry, index: number): void;
  /** The entries of the last part. `circles` are entries whose parents lead back to them. */
  result(circles: readonly number[]): Entry[];
}

/** A gap is bridged by what was said shortly before it (R6): this is further back than any bridge reaches. */
const FAR_BACK_MS = 60_000;

/** No entry of a kind. */
const NONE = -1;

/** What an id stands for in the conversation, if for anything. */
const SPOKEN = 1;
const BOUNDARY = 2;

const UNHEARD = 0;
const HEARD = 1;
const LINKED = 2;

export function createPartFinder(log: Log): PartFinder {
  const { ids } = log;
  // By number of an id: the first entry that names it; what it stands for; the first progress that has it.
  const firstWith = createNumbers(NONE);
  const spokenWith = createNumbers(0, 'byte');
  const progressWith = createNumbers(NONE);
  // By entry: the last one that it is tied to.
  const ties = createNumbers(NONE);
  // By entry: its time, and in the end the latest time until then.
  const times = createNumbers(NONE, 'float');
  // By entry: whether it has a parent to be found, or at least a say.
  const roles = createNumbers(UNHEARD, 'byte');
  let isUnclear = false;
  let tip = NONE;
  let pin = NONE;
  let boundary = NONE;
  let record = NONE;

  function tie(from: number, to: number): void {
    if (ties.get(from) < to) ties.set(from, to);
  }

  function name(text: string | null | undefined, index: number): void {
    if (!text) return;
    const id = ids.add(text);
    const first = firstWith.get(id);
    if (first === NONE) firstWith.set(id, index);
    else tie(first, index);
  }

  function addLinked({ kind, head }: Entry, index: number): void {
    roles.set(index, LINKED);
    name(head.uuid, index);
    name(head.parentUuid, index);
    if (kind === 'progress' && head.uuid !== undefined) {
      const id = ids.add(head.uuid);
      if (progressWith.get(id) === NONE) progressWith.set(id, index);
    }
  }

  function addSpoken(entry: Entry, index: number): void {
    const { head } = entry;
    addUuid(entry);
    name(head.message?.id, index);
    for (const { id, toolUseId } of head.blocks) {
      name(id, index);
      name(toolUseId, index);
    }
    if (!head.isSidechain) tip = index;
    if (isBoundary(entry)) addBoundary(entry, index);
    const time = timeOf(entry);
    if (time !== Number.NEGATIVE_INFINITY) times.set(index, time);
  }

  /** Lines without an id, and boundaries that were written again, may lie anywhere. */
  function addUuid(entry: Entry): void {
    const id = entry.head.uuid ? ids.add(entry.head.uuid) : NONE;
    const before = spokenWith.get(id);
    if (id === NONE || before === BOUNDARY || (before === SPOKEN && isBoundary(entry))) isUnclear = true;
    else spokenWith.set(id, isBoundary(entry) ? BOUNDARY : SPOKEN);
  }

  /** C2: what a compaction preserved is named in its record alone. */
  function addBoundary(entry: Entry, index: number): void {
    boundary = index;
    const meta = asObject(jsonOf(entry)?.compactMetadata);
    for (const kept of [asObject(meta?.preservedMessages), asObject(meta?.preservedSegment)]) {
      if (kept === undefined) continue;
      record = index;
      for (const id of textsIn(kept)) name(id, index);
    }
  }

  /** R6: a parent that is not there, or is progress written only later, leaves a gap. */
  function isGap(index: number, root: number): boolean {
    const parent = roles.get(index) !== LINKED ? NONE : log.parentAt(index);
    if (parent === NONE || parent === root || spokenWith.get(parent) > 0) return false;
    const progress = progressWith.get(parent);
    return progress === NONE || progress >= index;
  }

  /** The first entry up to which something was said at this time or later. */
  function firstSince(time: number): number {
    let low = 0;
    let high = log.size;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times.get(middle) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function tieGaps(): void {
    const gaps: { index: number; time: number }[] = [];
    // An empty parent is none.
    const root = ids.find('');
    for (let index = 0; index < log.size; index += 1) {
      if (isGap(index, root)) gaps.push({ index, time: times.get(index) });
    }
    for (let index = 1; index < log.size; index += 1)
      times.set(index, Math.max(times.get(index), times.get(index - 1)));
    for (const { index, time } of gaps) tie(firstSince(time - FAR_BACK_MS), index);
  }

  /** The last place that no tie crosses. */
  function startAfter(least: number): number {
    if (isUnclear || tip === NONE) return 0;
    const most = pin === NONE ? tip : Math.min(tip, pin);
    let start = 0;
    let reach = NONE;
    for (let index = 0; index <= most; index += 1) {
      if (reach < index && index > least) start = index;
      reach = Math.max(reach, ties.get(index));
    }
    return start;
  }

  function readFrom(start: number): Entry[] {
    const entries: Entry[] = [];
    for (let index = start; index < log.size; index += 1) {
      const entry = roles.get(index) === UNHEARD ? undefined : log.entryAt(index);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }

  return {
    add(entry, index) {
      const isSpoken = isConversation(entry);
      if (isSpoken || entry.kind === 'progress') addLinked(entry, index);
      if (isSpoken) addSpoken(entry, index);
      // R2: the newest one decides, wherever it points to.
      if (entry.kind === 'last-prompt' && entry.head.leafUuid !== undefined) {
        pin = index;
        roles.set(index, HEARD);
        name(entry.head.leafUuid, index);
      }
    },
    result(circles) {
      tieGaps();
      // A record of what was preserved counts until the next boundary, also for what it does not name (C2).
      if (record !== NONE) tie(record, record < boundary ? boundary - 1 : log.size - 1);
      const start = startAfter(circles.reduce((last, index) => Math.max(last, index), NONE));
      const entries = readFrom(start);
      const chain = chainOf(entries);
      // R3: where nothing was said, the newest of all that was said is looked for.
      return start === 0 || lastSaid(chain, chain.tip) !== undefined ? entries : readFrom(0);
    },
  };
}

function* textsIn(value: Json | undefined): Generator<string> {
  const text = asString(value);
  if (text !== undefined) yield text;
  else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) yield* textsIn(inner);
}
