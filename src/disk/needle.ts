/** Lines that hold some bytes, found without looking at the others: most lines of a transcript are of no use to most questions. */
import type { RawLine } from '../format/lines.ts';
import { fileSource } from './source.ts';

const NEWLINE = 10;
/** Small enough to stay in the processor's cache between reading and searching. */
const WINDOW = 256 << 10;

export interface NeedleOptions {
  /** Where to start: the first byte of a line. */
  readonly from?: number;
  /** The byte to stop before; a line cut there counts as torn. */
  readonly to?: number;
  /** Also counts the lines passed over; without it every line's number is 0. */
  readonly numbered?: boolean;
}

/** Where the next line that is wanted has something of it, from a place on; -1 when there is none. */
export type Finder = (bytes: Buffer, from: number) => number;

/** Whole lines, and the last one even when it is torn. Each is a view that is valid until the next is asked for. Throws DiskError. */
export function* linesHolding(file: string, needle: Buffer | Finder, options: NeedleOptions = {}): Generator<RawLine> {
  const find: Finder = typeof needle === 'function' ? needle : (bytes, from) => bytes.indexOf(needle, from);
  const source = fileSource(file);
  let window = free.pop() ?? Buffer.allocUnsafeSlow(WINDOW);
  /** Bytes in the window, the first of which stands at `at` in the file and begins a line. */
  let held = 0;
  let at = options.from ?? 0;
  const { to = Infinity } = options;
  const count = options.numbered ? lineCounter() : () => 0;
  try {
    for (;;) {
      if (held === window.length) window = grown(window);
      const room = Math.max(0, Math.min(window.length, to - at));
      const got = held >= room ? 0 : source.fill(window.subarray(held, room), at + held);
      const bytes = window.subarray(0, held + got);
      // What was held is the beginning of a line that has no end yet.
      const whole = got === 0 ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
      yield* linesIn(bytes.subarray(0, whole), find, at, count);
      if (got === 0) return;
      bytes.copy(window, 0, whole);
      held = bytes.length - whole;
      at += whole;
    }
  } finally {
    source.close();
    if (window.length === WINDOW) free.push(window);
  }
}

/** Windows that are not in use: a new one for each of many small files would cost more than reading them. */
const free: Buffer[] = [];

function grown(window: Buffer): Buffer {
  const larger = Buffer.allocUnsafeSlow(window.length * 2);
  window.copy(larger);
  return larger;
}

/** How many lines lie before a place of the bytes, added to those of earlier calls. */
type Counter = (bytes: Buffer, to: number) => number;

/** Exported for bytes that come from elsewhere than a file. */
export function* linesIn(bytes: Buffer, find: Finder, at: number, count: Counter): Generator<RawLine> {
  for (let hit = find(bytes, 0); hit >= 0; ) {
    const start = bytes.lastIndexOf(NEWLINE, hit) + 1;
    const newline = bytes.indexOf(NEWLINE, hit);
    const end = newline < 0 ? bytes.length : newline;
    const line = { number: count(bytes, start), start: at + start, end: at + end, terminated: newline >= 0 };
    yield { line, bytes: bytes.subarray(start, end) };
    hit = newline < 0 ? -1 : find(bytes, newline);
  }
  count(bytes, bytes.length);
}

function lineCounter(): Counter {
  let number = 1;
  let seen: Buffer | undefined;
  let from = 0;
  return (bytes, to) => {
    if (bytes !== seen) from = 0;
    seen = bytes;
    for (let newline = bytes.indexOf(NEWLINE, from); newline >= 0 && newline < to; ) {
      number += 1;
      newline = bytes.indexOf(NEWLINE, newline + 1);
    }
    from = to;
    return number;
  };
}
