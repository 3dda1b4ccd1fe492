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
  if (isPlain(source)) return source.slice(0, 3);
  return START.exec(source)?.[0].replace('\\', '');
}

/** Two letters and a sign that stands for itself, as most begin: told without a pattern, since there are hundreds. */
function isPlain(source: string): boolean {
  const next = source.charCodeAt(3);
  return (
    isLetter(source.charCodeAt(0)) &&
    isLetter(source.charCodeAt(1)) &&
    isOfWord(source.charCodeAt(2)) &&
    next !== QUESTION_MARK &&
    next !== STAR &&
    next !== BRACE
  );
}

const QUESTION_MARK = 63;
const STAR = 42;
const BRACE = 123;

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/** Letters, digits, `_` and `-`. */
function isOfWord(code: number): boolean {
  return isLetter(code) || (code >= 48 && code <= 57) || code === 95 || code === 45;
}
