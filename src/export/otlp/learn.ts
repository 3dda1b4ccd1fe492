/** Secrets that gave themselves away in a part of a session that is not sent again: what is sent later may repeat them. */
import { DiskError } from '../../disk/errors.ts';
import { readLinesOf } from '../../disk/read.ts';
import { isObject, type Json, parseJson } from '../../format/json.ts';
import { decode } from '../../format/text.ts';
import type { Mask } from '../../views/options.ts';
import type { Block, LearntPlaces } from './learnt.ts';

/** Bytes before what is new; looking through them takes about half a second. */
export const MOST_LEARNT = 8 << 20;

export interface Earlier {
  readonly file: string;
  /** Up to where it is not read otherwise. */
  readonly to: number;
}

/** How far a mask has seen each file: one that lives on, as in `follow`, sees everything once. */
const seen = new WeakMap<Mask, Map<string, number>>();

/** What is looked through again takes as long as reading and writing what is known of it. */
const LITTLE = 64 << 10;

/**
 * Shows a mask, which remembers what it finds, what came before; the parts nearest to what is new come first in the list. Where it is known
 * from before which places tell something, only those are looked at again.
 */
export function learnEarlier(parts: readonly Earlier[], mask: Mask, places?: LearntPlaces): void {
  const known = seen.get(mask) ?? new Map<string, number>();
  seen.set(mask, known);
  let room = MOST_LEARNT;
  for (const { file, to } of parts) {
    const from = known.get(file) ?? 0;
    if (from >= to || room <= 0) continue;
    try {
      room -= from > 0 || to < LITTLE ? learnNew(file, from, to, room, mask) : learnKept(file, to, room, mask, places);
    } catch (error) {
      // What is to be sent can be read; this may be gone.
      if (!(error instanceof DiskError)) throw error;
    }
    known.set(file, to);
  }
}

function learnNew(file: string, from: number, to: number, room: number, mask: Mask): number {
  const start = Math.max(from, to - room);
  learnPart(file, start, to, mask);
  return to - start;
}

/** Bytes that were looked at: places that told something before, the last of them first, and what is new. */
function learnKept(file: string, to: number, room: number, mask: Mask, places: LearntPlaces | undefined): number {
  const { upTo, told } = places?.of(file) ?? { upTo: 0, told: [] };
  const start = Math.min(to, Math.max(upTo, to - room));
  const found = learnPart(file, start, to, mask);
  let looked = to - start;
  // What is sent may begin further up than before, in the middle of such a place.
  const before = told.filter(({ from }) => from < start);
  for (const block of before.toReversed()) {
    if (looked >= room) break;
    const end = Math.min(block.to, start);
    learnPart(file, block.from, end, mask);
    looked += end - block.from;
  }
  if (to - start >= LITTLE) places?.keep(file, { upTo: to, told: [...before, ...found] });
  return looked;
}

/** Lines that are looked at together, unless one of them is longer. */
const AT_ONCE = 32 << 10;

/** Gives the places where something was found. */
function learnPart(file: string, from: number, to: number, mask: Mask): Block[] {
  const told: Block[] = [];
  readLinesOf(file, { from: { offset: from, number: 1 }, to }, (_, lines) => {
    let waiting: string[] = [];
    let start = from;
    let end = from;
    const look = () => {
      if (learnLines(waiting, mask)) told.push({ from: start, to: end });
      waiting = [];
      start = end;
    };
    for (const { bytes, line } of lines) {
      waiting.push(decode(bytes));
      end = line.end + 1;
      if (end - start >= AT_ONCE) look();
    }
    look();
  });
  return told;
}

/** Most hold nothing, which shows at once. A line as it is shows that there is something; its strings show it as it will be said. */
function learnLines(lines: readonly string[], mask: Mask): boolean {
  const text = lines.join('\n');
  if (text === '' || mask(text) === text) return false;
  for (const line of lines) if (mask(line) !== line) for (const each of stringsIn(parseJson(line))) mask(each);
  return true;
}

function* stringsIn(value: Json | undefined): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* stringsIn(item);
  else if (isObject(value)) for (const item of Object.values(value)) yield* stringsIn(item);
}
