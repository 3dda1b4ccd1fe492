/**
 * Where bytes may hold a needle that is not ASCII: the loop of bytekernel.ts stops at one letter of it, whichever way that is written,
 * and only what is around such places is looked at by patterns. Most bytes of transcripts are ASCII.
 */
import type { Needle } from '../../views/search/prefilter.ts';
import { FIRST_LEAD, NEEDLE, TEXT } from './bytekernel.ts';
import { type ByteRange, CHARACTER, readyKernel, tableOf, useTable } from './bytescan.ts';
import type { SliceScan } from './finder.ts';
import { nextEscape, WIDEST } from './spelling.ts';

const NEWLINE = 10;
/** Of a text that is full of the letter so many bytes are looked at at once. */
const STRETCH = 1 << 10;
/** No byte is it once it has the bit that makes letters small: the loop looks for no ASCII. */
const NO_BYTE = 0;

/** undefined where it cannot be had. */
export function letterScan(needle: Needle): SliceScan | undefined {
  const ranges = needle.control ? undefined : rangesOf(needle.letter());
  const kernel = ranges === undefined ? undefined : readyKernel();
  if (ranges === undefined || kernel === undefined) return undefined;
  const { memory, next } = kernel;
  const table = tableOf(ranges);
  return (bytes, from, to) => {
    memory[NEEDLE] = NO_BYTE;
    useTable(kernel, table);
    bytes.copy(memory, TEXT, from, to + CHARACTER);
    const start = TEXT - from;
    const found: number[] = [];
    for (let at = from; at < to; ) {
      const place = next(start + at, start + to, 0, 0, 1) - start;
      if (place >= to) break;
      const end = Math.min(place + STRETCH, to);
      const first = firstIn(bytes, place, end, needle);
      if (first < end) found.push(first);
      // The rest of a line that is found is of no use.
      const newline = first < end ? bytes.indexOf(NEWLINE, first) : end - 1;
      at = newline < 0 ? to : newline + 1;
    }
    return found;
  };
}

/** The first place, from one to another, in a line that may have the needle; the end when there is none. */
function firstIn(bytes: Buffer, place: number, end: number, needle: Needle): number {
  const around = WIDEST * needle.length;
  // The needle may begin before the letter, but not before the line.
  const before = Math.max(0, place - around);
  const from = before + bytes.subarray(before, place).lastIndexOf(NEWLINE) + 1;
  const text = bytes.toString('latin1', from, end + around + CHARACTER);
  needle.pattern.lastIndex = 0;
  const match = needle.pattern.exec(text)?.index ?? Infinity;
  const escaped = nextEscape(text, place - from, needle);
  return Math.min(Math.max(place, from + match), escaped < 0 ? end : from + escaped, end);
}

/** By the first bytes of what may stand there; undefined where the loop cannot stop at all of it. */
function rangesOf(characters: readonly string[]): ByteRange[] | undefined {
  const ranges = characters.map((character): ByteRange => {
    const [lead = 0, second = 0, third] = Buffer.from(character);
    const pair = (lead << 8) | second;
    return third === undefined ? [pair, pair, 0x00, 0xff] : [pair, pair, third, third];
  });
  return ranges.length > 0 && ranges.every(([pair]) => pair >> 8 >= FIRST_LEAD) ? ranges : undefined;
}
