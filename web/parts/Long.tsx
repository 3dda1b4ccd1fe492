/** A long text is cut to what a reader looks at first; a button brings the rest. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

const LINES = 120;
const CHARACTERS = 20_000;
/** With every click so many times more. */
const FACTOR = 8;

export function Long({
  text,
  label,
  children,
}: {
  readonly text: string;
  readonly label: string;
  readonly children: (shown: string) => ComponentChildren;
}) {
  const [factor, setFactor] = useState(1);
  const shown = cutText(text, LINES * factor, CHARACTERS * factor);
  const left = text.length - shown.length;
  return (
    <>
      {children(shown)}
      {left > 0 && (
        <button
          type="button"
          class="button long-more"
          aria-label={`Show more of ${label}`}
          onClick={() => setFactor(factor * FACTOR)}
        >
          Show more: {countLines(text, shown.length)} lines are left
        </button>
      )}
    </>
  );
}

export function cutText(text: string, lines: number, characters: number): string {
  let end = -1;
  for (let line = 0; line < lines; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end < 0) break;
  }
  const most = end < 0 ? text.length : end;
  return text.slice(0, Math.min(most, characters));
}

function countLines(text: string, from: number): number {
  let count = 0;
  for (let at = from; at >= 0 && at < text.length; count += 1) at = text.indexOf('\n', at + 1);
  return count;
}
