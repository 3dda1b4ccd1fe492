/** What stands inside a secret or right before it and hides it: escapes of JSON, code and URLs in a text, colours, invisible characters. */

/**
 * `\\n`, `\\"`, `\\/`, `\\u0067`, `\\x3d`, however often escaped; `%3D` of URLs; what tells a terminal its colours (escaped or not), letters
 * and title; what no one sees.
 */
const HIDING =
  /(?<!\\)\\+(?:([nrt"/])|(?:u00|x)([2-7][0-9a-fA-F]|0[9aAdD])|(?:u001[bB]|x1[bB]|033|e)\[[0-?]{0,20}[A-Za-z])|%(?:25){0,3}([2-7][0-9a-fA-F]|0[9aAdD])|(?:\^\[|\u001b)\[[0-?]{0,20}[A-Za-z]|\u001b(?:\([0-9A-Z]|\][^\u0007\u001b\r\n]{0,300}(?:\u0007|\u001b\\))|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\u034f|[\u180b-\u180f]|[\ufe00-\ufe0f]|\udb40[\udc00-\udfff]/g;
const MEANT: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

export interface Unescaped {
  readonly text: string;
  /** The place in the original of a place in the text. */
  placeOf(at: number): number;
}

/** Undefined when there is nothing of the kind. */
export function unescaped(text: string): Unescaped | undefined {
  const changes: Change[] = [];
  for (const match of text.matchAll(HIDING)) {
    const [, letter = '', inCode, inUrl] = match;
    const code = inCode ?? inUrl;
    const meant = code ? String.fromCharCode(Number.parseInt(code, 16)) : (MEANT.get(letter) ?? letter);
    changes.push({ from: match.index, to: match.index + match[0].length, meant });
  }
  return changes.length === 0 ? undefined : viewOf(text, changes);
}

/** Only the lines in which there is something of the kind, without it: the others say what they said. */
export function unescapedLines(text: string): string | undefined {
  const lines: string[] = [];
  let end = -1;
  for (const { index } of text.matchAll(HIDING)) {
    if (index < end) continue;
    const next = text.indexOf('\n', index);
    end = next < 0 ? text.length : next;
    lines.push(text.slice(text.lastIndexOf('\n', index) + 1, end));
  }
  return unescaped(lines.join('\n'))?.text;
}

/** A stretch of a text, and what stands in its place. */
interface Change {
  readonly from: number;
  readonly to: number;
  readonly meant: string;
}

export function viewOf(text: string, changes: readonly Change[]): Unescaped {
  const parts: string[] = [];
  /** After each of them: its place here, and what is to be added to get the place there. */
  const places: number[] = [];
  const shifts: number[] = [];
  let last = 0;
  let length = 0;
  for (const { from, to, meant } of changes) {
    parts.push(text.slice(last, from), meant);
    length += from - last + meant.length;
    last = to;
    places.push(length);
    shifts.push(last - length);
  }
  return {
    text: parts.join('') + text.slice(last),
    placeOf: (at) => at + (shifts[lastUpTo(places, at)] ?? 0),
  };
}

/** The index of the last number that is not above the limit, -1 without one. */
function lastUpTo(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
