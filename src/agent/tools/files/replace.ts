/** Finding and replacing a piece of a text, whatever its line ends; all other characters stay what they were. */
import { lineEndOf, withEnds, withPlainEnds } from './encoding.ts';

export type Replaced =
  | { readonly kind: 'done'; readonly text: string; readonly count: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'several'; readonly count: number };

export interface Replacement {
  readonly from: string;
  readonly to: string;
  readonly all: boolean;
}

/** `from` is not empty. Places that overlap count: which one is meant cannot be told. */
export function replaceIn(text: string, { from, to, all }: Replacement): Replaced {
  const needle = withPlainEnds(from);
  const plain = withPlainEnds(text);
  const places = placesOf(plain, needle, all ? needle.length : 1);
  if (places.length === 0) return { kind: 'missing' };
  if (places.length > 1 && !all) return { kind: 'several', count: places.length };
  const rawPlace = placesIn(text, plain);
  const usual = lineEndOf(text);
  const parts: string[] = [];
  let at = 0;
  for (const place of places) {
    const [start, end] = [rawPlace(place), rawPlace(place + needle.length)];
    const matched = text.slice(start, end);
    parts.push(text.slice(at, start), withEnds(to, matched.includes('\n') ? lineEndOf(matched) : usual));
    at = end;
  }
  parts.push(text.slice(at));
  return { kind: 'done', text: parts.join(''), count: places.length };
}

function placesOf(text: string, needle: string, step: number): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + step)) places.push(at);
  return places;
}

/** From a place in the text with plain line ends to the same place in the text itself. Asked for in rising order. */
function placesIn(text: string, plain: string): (place: number) => number {
  if (text.length === plain.length) return (place) => place;
  let removed = 0;
  let pair = text.indexOf('\r\n');
  return (place) => {
    // The pair whose line feed is at or after the place begins there.
    while (pair >= 0 && pair - removed < place) {
      removed += 1;
      pair = text.indexOf('\r\n', pair + 2);
    }
    return place + removed;
  };
}
