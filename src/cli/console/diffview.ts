/** A change of a file as lines: numbers, what went, what came. */
import { wrapTextWithAnsi } from '@earendil-works/pi-tui/dist/utils.js';
import type { Hunk } from '../../graph/toolresults/files.ts';
import { safeLine } from '../../views/safe.ts';
import { fit } from './lines.ts';
import type { Palette } from './palette.ts';

export function changeCounts(hunks: readonly Hunk[]): { readonly added: number; readonly removed: number } {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length;
  return { added: count('+'), removed: count('-') };
}

/** At most so many lines; the last one tells how many are left out. */
export function diffLines(hunks: readonly Hunk[], width: number, most: number, palette: Palette): string[] {
  const lines = changeLines(hunks, palette, (text) => [fit(text, width)]);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), palette.dim(`… ${lines.length - most + 1} more lines`)];
}

/** All of it: what is wider goes on in the next line. */
export function wholeDiffLines(hunks: readonly Hunk[], width: number, palette: Palette): string[] {
  return changeLines(hunks, palette, (text, indent) => {
    const room = Math.max(8, width - indent);
    const [first = '', ...rest] = wrapTextWithAnsi(text.slice(indent), room);
    return [text.slice(0, indent) + first, ...rest.map((part) => ' '.repeat(indent) + part)];
  });
}

/** `indent`: how much of a line is its number and mark. */
type Lay = (text: string, indent: number) => readonly string[];

function changeLines(hunks: readonly Hunk[], palette: Palette, lay: Lay): string[] {
  const digits = String(Math.max(1, ...hunks.map(({ newStart, newLines }) => newStart + newLines))).length;
  return hunks.flatMap((hunk, i) => [
    ...(i > 0 ? [palette.dim(`${' '.repeat(digits)} ⋯`)] : []),
    ...hunkLines(hunk, digits, palette, lay),
  ]);
}

function hunkLines({ oldStart, newStart, lines }: Hunk, digits: number, palette: Palette, lay: Lay): string[] {
  let [before, after] = [oldStart, newStart];
  return lines.flatMap((line) => {
    const mark = line[0] ?? ' ';
    // `\ No newline at end of file`
    if (mark === '\\') return [];
    const number = String(mark === '-' ? before : after).padStart(digits);
    if (mark !== '+') before += 1;
    if (mark !== '-') after += 1;
    const text = safeLine(line.slice(1).replaceAll('\t', '    '));
    const paint = mark === '+' ? palette.added : mark === '-' ? palette.removed : palette.dim;
    return lay(`${number} ${mark} ${text}`, digits + 3).map(paint);
  });
}
