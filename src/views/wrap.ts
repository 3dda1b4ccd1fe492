/** Prose wrapped between words for a terminal; code, tables and lists of commands keep their lines. */
import { wrapped } from './width.ts';

/** Wider lines are hard to read; a terminal may be wider. */
const MOST_COLUMNS = 100;

export function wrapProse(text: string, width: number | undefined): string[] {
  const lines = text.split('\n');
  if (width === undefined || !Number.isFinite(width)) return lines;
  const columns = Math.min(width, MOST_COLUMNS);
  let fenced = false;
  return lines.flatMap((line) => {
    const isFence = /^\s*(?:```|~~~)/.test(line);
    if (isFence) fenced = !fenced;
    const asIs = fenced || isFence || /^(?: {4}|\t|\s*\|)/.test(line);
    return asIs
      ? [line]
      : wrapped(line, columns, { trim: false })
          .split('\n')
          .map((part, i, { length }) => {
            const begun = i === 0 ? part : part.trimStart();
            // A space at the end may stand beyond the width: a terminal would begin a line for it.
            return i === length - 1 ? begun : begun.trimEnd();
          });
  });
}
