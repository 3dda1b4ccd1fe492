/** Cutting text without leaving half a character: the API refuses those. */

export function cutEnd(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max);
  return /[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept;
}

/** The end of a text. */
export function cutStart(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(text.length - max);
  return /^[\udc00-\udfff]/.test(kept) ? kept.slice(1) : kept;
}
