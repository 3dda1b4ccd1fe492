/** Characters that show one thing and mean another, to people or to one of two parsers. */

const CONTROL = /[\0-\x08\x0b-\x1f\x7f\x80-\x9f]/;
/** Blanks that are none to a shell, characters of no width, and those that turn the direction of a line. */
const UNSEEN =
  /[\u00a0\u00ad\u061c\u115f\u1160\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]|\u034f|[\u17b4\u17b5]|[\u180b-\u180d\u180f]|[\ufe00-\ufe0f]/u;
const LONE = /[\ud800-\udfff]/u;

export function oddCharacters(text: string): string | undefined {
  if (CONTROL.test(text)) return 'it has control characters';
  if (UNSEEN.test(text)) return 'it has characters that cannot be seen';
  return LONE.test(text) ? 'it has half a character' : undefined;
}
