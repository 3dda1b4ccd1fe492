/** Where bytes may hold a needle, by regular expressions over them as Latin-1: ready at once, and for needles of any script. */
import { isAscii } from 'node:buffer';
import { FOLDING, type Needle } from '../../views/search/prefilter.ts';
import type { SliceScan } from './finder.ts';
import { type FoldTest, foldTest, nextEscape, WIDEST } from './spelling.ts';

/** Of bytes that are not ASCII most parts of this size are. */
const BLOCK = 2 << 10;

export function patternScan(needle: Needle): SliceScan {
  // An escaped character takes six bytes.
  const overlap = (needle.ascii ? 2 : WIDEST) * needle.length + 6;
  const isFolded = foldTest(needle);
  return (bytes, from, to) => {
    const text = bytes.toString('latin1', from, to + overlap);
    // What begins behind the slice is found in the next, which may have another line before it.
    const inSlice = (places: number[]) => places.filter((place) => place < to);
    const found = inSlice(matches(text, needle.pattern, from));
    const escaped = inSlice(escapes(text, needle, from));
    // Most slices are plain ASCII, which is told at once.
    const isPlain = !needle.ascii || isAscii(bytes.subarray(from, to));
    if (isPlain && escaped.length === 0) return found;
    const accented = isPlain ? [] : inSlice(folded(bytes, from, to, isFolded));
    return [...found, ...escaped, ...accented].sort((a, b) => a - b);
  };
}

function matches(text: string, pattern: RegExp, at: number): number[] {
  const found: number[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) found.push(at + match.index);
  return found;
}

function escapes(text: string, needle: Needle, at: number): number[] {
  const found: number[] = [];
  for (let place = nextEscape(text, 0, needle); place >= 0; place = nextEscape(text, place + 1, needle))
    found.push(at + place);
  return found;
}

/** A character of FOLDING is no longer than this. */
const CHARACTER = 4;

/** Where the needle stands with something in it that folds to ASCII: only around such characters is looked. */
function folded(bytes: Buffer, from: number, to: number, isFolded: FoldTest): number[] {
  const found: number[] = [];
  for (let at = from; at < to; at += BLOCK) {
    if (isAscii(bytes.subarray(at, at + BLOCK))) continue;
    const text = bytes.toString('latin1', at, at + BLOCK + CHARACTER);
    found.push(...matches(text, FOLDING, at).filter((place) => isFolded(bytes, place)));
  }
  return found;
}
