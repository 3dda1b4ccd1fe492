/**
 * Whether something may be assigned to a name, told without a pattern: those of assignments are large, and take longer to make than
 * all the texts of a search to look through. Most names that say `token` or `cookie` stand in a sentence.
 */

const COLON = 58;
const EQUALS = 61;
/** No name a pattern knows is longer, and no more stands between it and what assigns. */
const LONGEST_NAME = 64;
const MOST_BETWEEN = 16;

/** `at`: where the name begins, or a part of it. Never false where a pattern would find `name=`, `"name": ` or `--name `. */
export function mayAssign(text: string, at: number): boolean {
  let end = at;
  while (end < at + LONGEST_NAME && isOfName(text.charCodeAt(end))) end += 1;
  let next = end;
  while (next < end + MOST_BETWEEN && isBetween(text.charCodeAt(next))) next += 1;
  const code = text.charCodeAt(next);
  return code === COLON || code === EQUALS || text.slice(Math.max(0, at - LONGEST_NAME), end).includes('--');
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

/** Quotes, backslashes, a closing bracket, and spaces of every kind. */
function isBetween(code: number): boolean {
  return code <= 34 || code === 39 || code === 92 || code === 93 || code === 96 || code > 127;
}
