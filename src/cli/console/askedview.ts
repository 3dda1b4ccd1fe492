/** Exactly what would be done, before it is done. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Asked } from '../../agent/ports.ts';
import { asString, type JsonObject } from '../../format/json.ts';
import type { Hunk } from '../../graph/toolresults/files.ts';
import { wholeDiffLines } from './diffview.ts';
import { broken, indented } from './lines.ts';
import type { Palette } from './palette.ts';

export function requestLines({ tool, input }: Asked, width: number, palette: Palette): string[] {
  const inner = Math.max(1, width - 2);
  const command = asString(input.command);
  if (tool.name === 'Bash' && command !== undefined) {
    const about = asString(input.description);
    const lines = indented(broken(visible(command), inner), palette.accent('│ '));
    const more = restOf(input, ['command', 'description'], inner, palette);
    return [...lines, ...more, ...(about === undefined ? [] : broken(about, width).map(palette.dim))];
  }
  const path = asString(input.file_path) ?? asString(input.notebook_path);
  if (path !== undefined) {
    const head = broken(`${tool.name} ${visible(path)}`, width).map(palette.bold);
    return [...head, ...wholeDiffLines(hunksOf(input, textOf(path)), width, palette)];
  }
  const url = asString(input.url);
  const head = broken(`${tool.name} ${visible(url ?? '')}`.trim(), width).map(palette.bold);
  return [...head, ...restOf(input, ['url'], inner, palette)];
}

/** What would change how a terminal shows it is part of it, and is seen. */
function visible(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function restOf(input: JsonObject, known: readonly string[], width: number, palette: Palette): string[] {
  return Object.entries(input).flatMap(([key, value]) => {
    if (known.includes(key)) return [];
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
    return broken(`${key}: ${visible(text ?? '')}`, width).map((line) => palette.dim('│ ') + line);
  });
}

/** Larger files are not looked into for a line number. */
const MOST_BYTES = 2 << 20;

function textOf(path: string): string {
  try {
    const file = resolve(path);
    return statSync(file).isFile() && statSync(file).size <= MOST_BYTES ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}

/** The change as the input tells it, where it stands in the file. */
function hunksOf(input: JsonObject, text: string): Hunk[] {
  const pairs = Array.isArray(input.edits) ? input.edits.flatMap((edit) => pairOf(edit)) : pairOf(input);
  return pairs.map(({ before, after }) => {
    const at = before === '' ? -1 : text.indexOf(before);
    const start = at < 0 ? 1 : text.slice(0, at).split('\n').length;
    const [old, fresh] = [linesOf(visible(before)), linesOf(visible(after))];
    const lines = [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)];
    return { oldStart: start, oldLines: old.length, newStart: start, newLines: fresh.length, lines };
  });
}

function pairOf(edit: unknown): { readonly before: string; readonly after: string }[] {
  if (typeof edit !== 'object' || edit === null) return [];
  const text = (name: string) => (name in edit ? asString(Reflect.get(edit, name)) : undefined);
  const after = text('new_string') ?? text('content') ?? text('new_source');
  return after === undefined ? [] : [{ before: text('old_string') ?? '', after }];
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
