/** Exactly what would be done, before it is done. */
import type { Asked } from '../../agent/ports.ts';
import { asString, isObject, type Json, type JsonObject } from '../../format/json.ts';
import type { Hunk } from '../../graph/toolresults/files.ts';
import { visible } from '../terminal/visible.ts';
import { wholeDiffLines } from './diffview.ts';
import { broken, indented } from './lines.ts';
import type { Palette } from './palette.ts';

/** `planned`: the change as a diff of the file, where there is one. */
export function requestLines(
  { tool, input }: Asked,
  width: number,
  palette: Palette,
  planned?: readonly Hunk[],
): string[] {
  const inner = Math.max(1, width - 2);
  const command = asString(input.command);
  if (tool.name === 'Bash' && command !== undefined) {
    const about = asString(input.description);
    const lines = indented(broken(visible(command), inner), palette.accent('│ '));
    const more = restOf(input, ['command', 'description'], inner, palette);
    return [...lines, ...more, ...(about === undefined ? [] : broken(about, width).map(palette.dim))];
  }
  const path = asString(input.file_path) ?? asString(input.notebook_path);
  // Only of our own tools it is known what they make of their input.
  const change = Object.hasOwn(CHANGES, tool.name) ? CHANGES[tool.name] : undefined;
  if (path !== undefined && change !== undefined) {
    const head = broken(`${tool.name} ${visible(path)}`, width).map(palette.bold);
    // A value that is no text is not in the diff.
    const told = change.filter((name) => typeof input[name] === 'string' || (name === 'edits' && isPairs(input.edits)));
    const known = [asString(input.file_path) === undefined ? 'notebook_path' : 'file_path', ...told];
    const more = restOf(input, known, inner, palette);
    const isPlanned = planned !== undefined && planned.length > 0;
    const hunks = isPlanned ? planned.map(spelledOut) : hunksOf(input, change);
    return [...head, ...more, ...wholeDiffLines(hunks, width, palette)];
  }
  const url = asString(input.url);
  const head = broken(`${tool.name} ${visible(url ?? '')}`.trim(), width).map(palette.bold);
  return [...head, ...restOf(input, ['url'], inner, palette)];
}

/** Where a tool has what goes and what comes, what goes first. */
const PAIR = ['old_string', 'new_string'];
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  Edit: PAIR,
  MultiEdit: ['edits'],
  Write: ['content'],
  NotebookEdit: ['new_source'],
};

function restOf(input: JsonObject, known: readonly string[], width: number, palette: Palette): string[] {
  return Object.entries(input).flatMap(([key, value]) => {
    if (known.includes(key)) return [];
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
    return broken(`${key}: ${visible(text ?? '')}`, width).map((line) => palette.dim('│ ') + line);
  });
}

function spelledOut(hunk: Hunk): Hunk {
  return { ...hunk, lines: hunk.lines.map(visible) };
}

/** The change as the input tells it. */
function hunksOf(input: JsonObject, change: readonly string[]): Hunk[] {
  const edits = isPairs(input.edits) ? input.edits : [];
  const pairs = change[0] === 'edits' ? edits.flatMap((edit) => pairOf(edit, PAIR)) : pairOf(input, change);
  return pairs.map(({ before, after }) => {
    const [old, fresh] = [linesOf(visible(before)), linesOf(visible(after))];
    const lines = [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)];
    return { oldStart: 1, oldLines: old.length, newStart: 1, newLines: fresh.length, lines };
  });
}

function pairOf(edit: JsonObject, change: readonly string[]): { readonly before: string; readonly after: string }[] {
  const after = asString(edit[change.at(-1) ?? '']);
  const before = change.length > 1 ? asString(edit[change[0] ?? '']) : undefined;
  return after === undefined ? [] : [{ before: before ?? '', after }];
}

/** Edits that a diff tells all of. */
function isPairs(edits: Json | undefined): edits is JsonObject[] {
  const isPair = (edit: Json) =>
    isObject(edit) && Object.entries(edit).every(([key, value]) => PAIR.includes(key) && typeof value === 'string');
  return Array.isArray(edits) && edits.every(isPair);
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
