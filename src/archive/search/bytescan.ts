/**
 * Where bytes may hold a needle of ASCII, by a loop over sixteen at a time (bytekernel.ts). It stops where the needle stands in
 * upper or lower case, at `\uXXXX`, and at characters that fold to ASCII; whether those are a part of it is told here.
 */
import type { Needle } from '../../views/search/prefilter.ts';
import { FOLDS, type Kernel, LETTER_CASE, MOST_NEEDLE, makeKernel, NEEDLE, TEXT } from './bytekernel.ts';
import type { SliceScan } from './finder.ts';
import { foldTest, holds, nextEscape } from './spelling.ts';

const NEWLINE = 10;
const BACKSLASH = 0x5c;
const NOT_ASCII = 0x80;

/** A character, or an escape, goes on so far behind its first byte. */
export const CHARACTER = 6;
/** Fewer bytes of a needle that has more would be found too often. */
const LEAST_PLAIN = 3;

/** undefined where it cannot be had. */
export function byteScan(needle: Needle): SliceScan | undefined {
  const { text, ascii, control } = needle;
  const plain = Uint8Array.from(Buffer.from(plainPart(text)), (byte) => byte | LETTER_CASE);
  const isWorth = ascii && !control && plain.length >= Math.min(LEAST_PLAIN, text.length);
  const kernel = isWorth ? readyKernel() : undefined;
  if (kernel === undefined) return undefined;
  const { memory, next } = kernel;
  const table = foldTable();
  const [rare = 0, other = rare] = rarestFirst(plain);
  const isThere = placeTest(needle, plain.length);
  return (bytes, from, to) => {
    // Searches that take turns have each a needle of their own.
    memory.set(plain, NEEDLE);
    useTable(kernel, table);
    bytes.copy(memory, TEXT, from, to + Math.max(plain.length, CHARACTER));
    const start = TEXT - from;
    const found: number[] = [];
    for (let at = from; at < to; ) {
      const place = next(start + at, start + to, rare, other, plain.length) - start;
      if (place >= to) break;
      const isFound = isThere(bytes, place);
      if (isFound) found.push(place);
      // The rest of a line that is found is of no use.
      const newline = isFound ? bytes.indexOf(NEWLINE, place) : place;
      at = newline < 0 ? to : newline + 1;
    }
    return found;
  };
}

function placeTest(needle: Needle, compared: number): (bytes: Buffer, place: number) => boolean {
  const isFolded = foldTest(needle);
  // No character of the rest takes more than two bytes.
  const around = 2 * needle.length;
  return (bytes, place) => {
    const byte = bytes[place] ?? 0;
    // With the bit that makes letters small a line end is a star.
    if (byte === NEWLINE) return false;
    if (byte === BACKSLASH) return nextEscape(bytes.toString('latin1', place, place + 6), 0, needle) === 0;
    if (byte >= NOT_ASCII) return isFolded(bytes, place);
    if (compared === needle.length) return true;
    return holds(bytes.toString('latin1', Math.max(0, place - around), place + around), needle.pattern);
  };
}

/** What JSON writes in one way only, but for upper and lower case. */
function plainPart(text: string): string {
  const [longest = ''] = text.split(/["\\/\u0000-\u001f]/).toSorted((a, b) => b.length - a.length);
  return longest.slice(0, MOST_NEEDLE);
}

/** The bytes of transcripts, the rarest first after those that are not here. */
const RARE = Buffer.from(';=)zjq(97v86k}{wb3.4y25-x1,:fghmupdclrs0ioant e');

/** Places in it. */
function rarestFirst(plain: Uint8Array): number[] {
  const order = (place: number) => RARE.indexOf(plain[place] ?? 0);
  return [...plain.keys()].toSorted((a, b) => order(a) - order(b));
}

let ready: { readonly kernel: Kernel | undefined } | undefined;

export function readyKernel(): Kernel | undefined {
  ready ??= { kernel: makeKernel() };
  return ready.kernel;
}

let used: Uint8Array | undefined;

/** Which characters it stops at. */
export function useTable({ memory }: Kernel, table: Uint8Array): void {
  if (used !== table) memory.set(table, FOLDS);
  used = table;
}

/** From the first to the last of two bytes, and from the least to the greatest that follows them. */
export type ByteRange = readonly [number, number, number, number];

/** FOLDING by bytes. */
const FOLDED: readonly ByteRange[] = [
  [0xc380, 0xc9bf, 0x00, 0xff],
  [0xcc80, 0xcdbf, 0x00, 0xff],
  [0xd280, 0xd2bf, 0x00, 0xff],
  [0xd980, 0xd9bf, 0x00, 0xff],
  [0xe0a5, 0xe0a5, 0x91, 0x94],
  [0xe1aa, 0xe1ab, 0x80, 0xbf],
  [0xe1b3, 0xe1b3, 0x90, 0xbf],
  [0xe1b7, 0xe1bb, 0x80, 0xbf],
  [0xe1bf, 0xe1bf, 0xaf, 0xaf],
  [0xe283, 0xe283, 0x90, 0xbf],
  [0xe284, 0xe284, 0xaa, 0xab],
  [0xe289, 0xe289, 0xa0, 0xaf],
  [0xe380, 0xe380, 0xaa, 0xad],
  [0xe382, 0xe382, 0x99, 0x9a],
  [0xefb8, 0xefb8, 0x80, 0xaf],
  [0xf090, 0xf090, 0x87, 0x8b],
  [0xf091, 0xf091, 0x8c, 0x8c],
  [0xf09c, 0xf09c, 0xbc, 0xbd],
  [0xf09d, 0xf09d, 0x85, 0x89],
  [0xf3a0, 0xf3a0, 0x84, 0x87],
];

let folds: Uint8Array | undefined;

function foldTable(): Uint8Array {
  folds ??= tableOf(FOLDED);
  return folds;
}

/** As the loop looks it up: by seven bits of the first byte and six of the second, the least and the greatest third. */
export function tableOf(ranges: readonly ByteRange[]): Uint8Array {
  const table = new Uint8Array(1 << 14);
  for (let at = 0; at < table.length; at += 2) table[at] = 0xff;
  for (const [first, last, least, greatest] of ranges) {
    for (let lead = first >> 8; lead <= last >> 8; lead += 1) {
      for (let second = first & 0xff; second <= (last & 0xff); second += 1) {
        const at = (((lead & 0x7f) << 6) | (second & 0x3f)) << 1;
        table[at] = Math.min(table[at] ?? 0, least);
        table[at + 1] = Math.max(table[at + 1] ?? 0, greatest);
      }
    }
  }
  return table;
}
