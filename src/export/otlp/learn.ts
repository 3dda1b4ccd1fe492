/** Secrets that gave themselves away in a part of a session that is not sent again: what is sent later may repeat them. */
import { DiskError } from '../../disk/errors.ts';
import { readLinesOf } from '../../disk/read.ts';
import { isObject, type Json, parseJson } from '../../format/json.ts';
import { decode } from '../../format/text.ts';
import type { Mask } from '../../views/options.ts';

/** Bytes before what is new; looking through them takes about half a second. */
export const MOST_LEARNT = 8 << 20;

export interface Earlier {
  readonly file: string;
  /** Up to where it is not read otherwise. */
  readonly to: number;
}

/** How far a mask has seen each file: one that lives on, as in `follow`, sees everything once. */
const seen = new WeakMap<Mask, Map<string, number>>();

/** Shows a mask, which remembers what it finds, what came before; the parts nearest to what is new come first in the list. */
export function learnEarlier(parts: readonly Earlier[], mask: Mask): void {
  const known = seen.get(mask) ?? new Map<string, number>();
  seen.set(mask, known);
  let room = MOST_LEARNT;
  for (const { file, to } of parts) {
    const from = Math.max(known.get(file) ?? 0, to - room);
    if (from >= to) continue;
    try {
      learnPart(file, from, to, mask);
    } catch (error) {
      // What is to be sent can be read; this may be gone.
      if (!(error instanceof DiskError)) throw error;
    }
    known.set(file, to);
    room -= to - from;
  }
}

/** Lines that are looked at together, unless one of them is longer. */
const AT_ONCE = 32 << 10;

function learnPart(file: string, from: number, to: number, mask: Mask): void {
  readLinesOf(file, { from: { offset: from, number: 1 }, to }, (_, lines) => {
    let waiting: string[] = [];
    let length = 0;
    for (const { bytes } of lines) {
      waiting.push(decode(bytes));
      length += bytes.length;
      if (length < AT_ONCE) continue;
      learnLines(waiting, mask);
      waiting = [];
      length = 0;
    }
    learnLines(waiting, mask);
  });
}

/** Most hold nothing, which shows at once. A line as it is shows that there is something; its strings show it as it will be said. */
function learnLines(lines: readonly string[], mask: Mask): void {
  const text = lines.join('\n');
  if (text === '' || mask(text) === text) return;
  for (const line of lines) if (mask(line) !== line) for (const each of stringsIn(parseJson(line))) mask(each);
}

function* stringsIn(value: Json | undefined): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const item of value) yield* stringsIn(item);
  else if (isObject(value)) for (const item of Object.values(value)) yield* stringsIn(item);
}
