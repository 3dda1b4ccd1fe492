/**
 * How the words of a text begin. Most tokens begin where a word does, and of a hundred kinds of them a text has hardly one: to look up
 * their beginnings takes a quarter of looking for each of them.
 */

/** A letter after none, and what comes next: up to two more, none of which another word could begin at. */
const STARTS = /(?<![A-Za-z])(?:[A-Za-z]{2}[\s\S]|[A-Za-z][^A-Za-z])/g;

export function wordStarts(text: string): ReadonlySet<string> {
  return new Set(text.match(STARTS));
}

/** The same of a pattern: characters that stand for themselves, and are not repeated. */
const START = /^(?:[A-Za-z]{2}(?:[\w"/:=~-]|\\\W)|[A-Za-z](?:[\d_"/:=~-]|\\\W))(?![?*{])/;

/** How every word begins that begins with what a pattern finds; undefined where that is not in one way. */
export function startOf(source: string): string | undefined {
  return START.exec(source)?.[0].replace('\\', '');
}
