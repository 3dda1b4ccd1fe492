/** Finds the lines of a buffer that may match, without parsing any: see views/search/prefilter.ts for what is certain about it. */
import { isAscii } from 'node:buffer';
import type { Finder } from '../../disk/needle.ts';
import { FOLDING, type Needle, needlesOf } from '../../views/search/prefilter.ts';
import type { Query } from '../../views/search/query.ts';
import { fold } from '../../views/search/words.ts';

/** As much as stays in the processor's cache while it is looked through. */
const SLICE = 16 << 10;
/** No match is longer. */
const OVERLAP = 1 << 10;
/** Of a slice that is not ASCII most parts of this size are. */
const BLOCK = 2 << 10;
const NEWLINE = 10;

const ESCAPE = '\\u';
const CALL = Buffer.from('tool_use"');

export interface LineFinder {
  readonly find: Finder;
  /** A closer look at a line that was found. */
  mayMatch(line: Buffer): boolean;
}

/** `calls`: also the lines that call tools, whose results may match. */
export function createFinder(query: Query, calls: boolean): LineFinder {
  const needles = needlesOf(query);
  const [rarest] = needles;
  if (rarest === undefined) return { find: everyLine, mayMatch: () => true };
  // An escaped character takes six bytes.
  const overlap = rarest.ascii ? 2 * rarest.length + 6 : OVERLAP;
  const find = windowFinder(
    (bytes) => (calls ? placesOf(bytes, CALL) : []),
    (bytes, at) => {
      const text = bytes.toString('latin1', at, at + SLICE + overlap);
      const found = matches(text, rarest.pattern, at);
      const escaped = escapes(text, rarest, at);
      // Most slices are plain ASCII, which is told at once.
      const isPlain = !rarest.ascii || isAscii(bytes.subarray(at, at + SLICE));
      if (isPlain && escaped.length === 0) return found;
      return [...found, ...escaped, ...(isPlain ? [] : folded(bytes, text, rarest, at))].sort((a, b) => a - b);
    },
  );
  return {
    find,
    mayMatch(line) {
      if (calls && line.includes(CALL)) return true;
      const text = line.toString('latin1');
      return needles.every(
        (needle) =>
          holds(text, needle.pattern) || nextEscape(text, 0, needle) >= 0 || (needle.ascii && holds(text, FOLDING)),
      );
    },
  };
}

const everyLine: Finder = (bytes, from) => {
  const next = bytes[from] === NEWLINE ? from + 1 : from;
  return next < bytes.length ? next : -1;
};

function holds(text: string, pattern: RegExp): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}

/** What is found in all of the bytes at once, and what slice by slice, only as far as it is asked. Places in order. */
function windowFinder(all: (bytes: Buffer) => number[], slice: (bytes: Buffer, at: number) => number[]): Finder {
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
      found = slice(buffer, done);
      done += SLICE;
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

function matches(text: string, pattern: RegExp, at: number): number[] {
  const found: number[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) found.push(at + match.index);
  return found;
}

/** A character takes so many bytes at most, with a mark or two. */
const WIDEST = 12;

/** A character of these is no longer than this. */
const CHARACTER = 4;

/** Where the needle stands with something in it that folds to ASCII: only around such characters is looked. */
function folded(bytes: Buffer, text: string, needle: Needle, at: number): number[] {
  const around = needle.length * WIDEST + 64;
  const found: number[] = [];
  for (let from = 0; from < SLICE && from < text.length; from += BLOCK) {
    if (isAscii(bytes.subarray(at + from, at + from + BLOCK))) continue;
    for (const place of matches(text.slice(from, from + BLOCK + CHARACTER), FOLDING, from)) {
      const near = bytes.toString('utf8', Math.max(0, at + place - around), at + place + around);
      if (holds(fold(near), needle.pattern)) found.push(at + place);
    }
  }
  return found;
}

function placesOf(bytes: Buffer, wanted: Buffer): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) found.push(at);
  return found;
}

function escapes(text: string, needle: Needle, at: number): number[] {
  const found: number[] = [];
  for (let place = nextEscape(text, 0, needle); place >= 0; place = nextEscape(text, place + 1, needle))
    found.push(at + place);
  return found;
}

/** Control characters are always written so, and are no part of a word. */
const CONTROL = /^\\u00[01]/;
/** Where what folds to ASCII, or to nothing, lies. */
const TO_ASCII = /^\\u(?:0[0-6]|09|1[ac-f]|2[0-2]|30|fe|d8(?:0[04]|3[34])|db40)/i;

function nextEscape(text: string, from: number, { ascii, control }: Needle): number {
  for (let place = text.indexOf(ESCAPE, from); place >= 0; place = text.indexOf(ESCAPE, place + 1)) {
    const written = text.slice(place, place + 6);
    if (CONTROL.test(written) ? control : !ascii || TO_ASCII.test(written)) return place;
  }
  return -1;
}
