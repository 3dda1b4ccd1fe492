/** Other spellings of a needle: letters with accents or marks, and characters written as \uXXXX. */
import type { Needle } from '../../views/search/prefilter.ts';

const ESCAPE = '\\u';
/** Control characters are always written so, and are no part of a word. */
const CONTROL = /^\\u00[01]/;
/** Where what folds to ASCII, or to nothing, lies. */
const TO_ASCII = /^\\u(?:0[0-6]|09|1[ac-f]|2[0-2]|30|fe|d8(?:0[04]|3[34])|db40)/i;

/** The next escape, from a place on, that may be a part of the needle; -1 when there is none. */
export function nextEscape(text: string, from: number, { ascii, control }: Needle): number {
  for (let place = text.indexOf(ESCAPE, from); place >= 0; place = text.indexOf(ESCAPE, place + 1)) {
    const written = text.slice(place, place + 6);
    if (CONTROL.test(written) ? control : !ascii || TO_ASCII.test(written)) return place;
  }
  return -1;
}

/** A character takes so many bytes at most, with a mark or two. */
export const WIDEST = 12;

/** Most bytes have no needle: so many are looked at at once. */
const STRETCH = 1 << 10;

/** Whether the needle stands where a character of FOLDING does, that being a part of it. */
export type FoldTest = (bytes: Buffer, place: number) => boolean;

export function foldTest(needle: Needle): FoldTest {
  const around = needle.length * WIDEST + 64;
  const holdsIn = (bytes: Buffer, from: number, to: number) =>
    holds(bytes.toString('latin1', Math.max(0, from - around), to + around), needle.spellings());
  let stretch: { readonly bytes: Buffer; readonly from: number; readonly mayHold: boolean } | undefined;
  return (bytes, place) => {
    if (stretch?.bytes !== bytes || place < stretch.from || place >= stretch.from + STRETCH)
      stretch = { bytes, from: place, mayHold: holdsIn(bytes, place, place + STRETCH) };
    return stretch.mayHold && holdsIn(bytes, place, place);
  };
}

export function holds(text: string, pattern: RegExp): boolean {
  pattern.lastIndex = 0;
  return pattern.test(text);
}
