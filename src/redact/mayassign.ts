/**
 * Whether something may be assigned to a name, told without a pattern: those of assignments are large, and take longer to make than
 * all the texts of a search to look through. Most names that say `token` or `cookie` stand in a sentence.
 */

const TAB = 9;
const SPACE = 32;
const PAREN = 40;
const CLOSE_PAREN = 41;
const COMMA = 44;
const COLON = 58;
const EQUALS = 61;
const LESS = 60;
const GREATER = 62;
const OPEN_BRACE = 123;
const BAR = 124;
/** No name a pattern knows is longer, and no more stands between it and what assigns. */
const LONGEST_NAME = 64;
const MOST_BETWEEN = 100;
/** The longest value, and what may stand around it. */
const LONGEST_VALUE = 420;

/** `name: X`, `value: …`. */
const IN_A_VALUE = /value[\\"']{0,4}[ \t]{0,3}[:=]/i;

/** `at`: where the name begins, or a part of it. Never false where a pattern would find `name=`, `"name": ` or `--name `. */
export function mayAssign(text: string, at: number): boolean {
  const end = nameEndOf(text, at);
  if (isSpaced(text, end)) return true;
  const next = signAfter(text, end);
  const code = text.charCodeAt(next);
  if (code === COLON || code === EQUALS || code === OPEN_BRACE) return true;
  if (code === COMMA && /^\s{0,20}["'`\\]/.test(text.slice(next + 1, next + 22))) return true;
  if (code === CLOSE_PAREN) return text[next + 1] === '.';
  if (code === PAREN) return /["'\\]/.test(text.charAt(next + 1));
  if (code === GREATER) return text.slice(next, next + LONGEST_VALUE).includes('</');
  if (code === BAR) return text.slice(next + 1, next + LONGEST_VALUE).includes('|');
  if (code === LESS) return text.startsWith('</key>', next);
  if (IN_A_VALUE.test(text.slice(next, next + MOST_BETWEEN))) return true;
  return text.slice(Math.max(0, at - LONGEST_NAME), end).includes('--') || isNamedBefore(text, at);
}

/** What says before a name that a value comes after it. */
export function isNamedBefore(text: string, at: number): boolean {
  return /#define|ENV[ \t]|et[Ee]nv[ \t]|_param[ \t]/.test(text.slice(Math.max(0, at - LONGEST_NAME), at));
}

/** A value in quotes with a digit in it, and nothing else between the name and it. */
export const SPACED = String.raw`[ \t]{1,3}\\{0,3}["'](?=[^"'\r\n]{0,60}\d)\S{6}`;
const FROM_SPACE = new RegExp(`^${SPACED}`);

export function isSpaced(text: string, end: number): boolean {
  const code = text.charCodeAt(end);
  return (code === SPACE || code === TAB) && FROM_SPACE.test(text.slice(end, end + 70));
}

/** What is no quote or space after a name. */
export function signAfter(text: string, end: number): number {
  let next = end;
  while (next < end + MOST_BETWEEN && isBetween(text.charCodeAt(next))) next += 1;
  return next;
}

export function nameEndOf(text: string, at: number): number {
  const end = nameEnd(text, at, at);
  // `API key`.
  const isKey = text.charCodeAt(end) === SPACE && text.slice(end + 1, end + 4).toLowerCase() === 'key';
  return isKey ? nameEnd(text, at, end + 1) : end;
}

function nameEnd(text: string, at: number, from: number): number {
  let end = from;
  while (end < at + LONGEST_NAME && isOfName(text.charCodeAt(end))) end += 1;
  return end;
}

/** Letters, digits, `_` and `-`. */
function isOfName(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    code === 45
  );
}

/** Quotes, backslashes, stars, a closing bracket, and spaces of every kind. */
function isBetween(code: number): boolean {
  return code <= 34 || code === 39 || code === 42 || code === 92 || code === 93 || code === 96 || code > 127;
}
