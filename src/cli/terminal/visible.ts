/** Also what looks like a blank and is none; not what makes an emoji of the sign before it. */
const UNSEEN = /(?![\n\t ])(?!(?<=\p{ExtPict})\ufe0f)[\p{Cc}\p{Cf}\p{Z}\p{DI}\u2800]/gu;

/** What would change how a terminal shows it, or is not seen, is part of it, and is spelled out. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
