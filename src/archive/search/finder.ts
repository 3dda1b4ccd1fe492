/** Finds the lines of a buffer that may match, without parsing any: see views/search/prefilter.ts for what is certain about it. */
import { isAscii } from 'node:buffer';
import type { Finder } from '../../disk/needle.ts';
import { FOLDING, marksOf, type Needle, needlesOf } from '../../views/search/prefilter.ts';
import type { Query } from '../../views/search/query.ts';
import { byteScan } from './bytescan.ts';
import { letterScan } from './letterscan.ts';
import { patternScan } from './patternscan.ts';
import { holds, nextEscape } from './spelling.ts';

/** As much as stays in the processor's cache while it is looked through. */
const SLICE = 16 << 10;
/** Looking through fewer bytes takes less time than making what looks through them faster. */
const MANY = 4 << 20;
const NEWLINE = 10;
const CALL = 'tool_use"';

export interface LineFinder {
  readonly find: Finder;
  /** A closer look at a line that was found. */
  mayMatch(line: Buffer): boolean;
}

/** Where lines of a part of the bytes may have a needle, in order: at least one place in each that does. */
export type SliceScan = (bytes: Buffer, from: number, to: number) => number[];

/** `calls`: also the lines that call tools, whose results may match. `many`: about how many bytes will be looked through. */
export function createFinder(query: Query, calls: boolean, many = 0): LineFinder {
  const needles = needlesOf(query);
  const [rarest] = needles;
  if (rarest === undefined) return { find: everyLine, mayMatch: () => true };
  const marks = [...(calls ? [CALL] : []), ...marksOf(query)].map((mark) => Buffer.from(mark));
  return {
    find: windowFinder((bytes) => placesOf(bytes, marks), sliceScan(rarest, many)),
    mayMatch(line) {
      if (marks.some((mark) => line.includes(mark))) return true;
      const text = line.toString('latin1');
      return needles.every(
        (needle) =>
          holds(text, needle.pattern) ||
          nextEscape(text, 0, needle) >= 0 ||
          // Told before its pattern is made, which is long.
          (needle.ascii && !isAscii(line) && holds(text, FOLDING)),
      );
    },
  };
}

function sliceScan(needle: Needle, bytes: number): SliceScan {
  const quick = needle.ascii ? byteScan : letterScan;
  return (bytes >= MANY ? quick(needle) : undefined) ?? patternScan(needle);
}

const everyLine: Finder = (bytes, from) => {
  const next = bytes[from] === NEWLINE ? from + 1 : from;
  return next < bytes.length ? next : -1;
};

/** What is found in all of the bytes at once, and what slice by slice, only as far as it is asked. Places in order. */
function windowFinder(all: (bytes: Buffer) => number[], scan: SliceScan): Finder {
  let bytes: Buffer | undefined;
  let places: number[] = [];
  let found: number[] = [];
  let done = 0;
  return (buffer, from) => {
    if (buffer !== bytes || from === 0) [bytes, places, found, done] = [buffer, all(buffer), [], 0];
    const other = firstFrom(places, from);
    for (let place = firstFrom(found, from); ; place = firstFrom(found, from)) {
      if (place >= 0) return other >= 0 ? Math.min(place, other) : place;
      done = Math.max(done, from);
      if (other >= 0 && other < done) return other;
      if (done >= buffer.length) return other;
      const end = Math.min(done + SLICE, buffer.length);
      found = scan(buffer, done, end);
      done = end;
    }
  };
}

/** Lines are asked for in order: what lies before will not be asked for again. */
function firstFrom(places: number[], from: number): number {
  let passed = 0;
  while (passed < places.length && (places[passed] ?? 0) < from) passed += 1;
  if (passed > 0) places.splice(0, passed);
  return places[0] ?? -1;
}

function placesOf(bytes: Buffer, marks: readonly Buffer[]): number[] {
  const found: number[] = [];
  for (const mark of marks) {
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) found.push(at);
  }
  return marks.length > 1 ? found.sort((a, b) => a - b) : found;
}
