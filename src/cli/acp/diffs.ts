/** What a call changes in a file, as old and new text. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Diff, ToolCallContent } from '@agentclientprotocol/sdk';
import { plainText } from '../../agent/tools/files/change.ts';
import { applyEdits, type TextEdit } from '../../agent/tools/files/edits.ts';
import { encodingOf } from '../../agent/tools/files/encoding.ts';
import { statFile } from '../../agent/tools/files/place.ts';
import { asArray, asString, isObject, type JsonObject } from '../../format/json.ts';
import type { Hunk } from '../../graph/toolresults/files.ts';
import type { ToolResult } from '../../graph/toolresults/read.ts';

export interface Planned {
  readonly content: ToolCallContent[];
  /** Where the change begins. */
  readonly line?: number;
}

/** Larger files are told by the pieces that change. */
const MOST_BYTES = 512 << 10;

/** What a call is about to change, as the file stands now. Never throws. */
export function plannedDiff(name: string, input: JsonObject, cwd: string): Planned {
  const given = asString(input.file_path);
  if (given === undefined) return { content: [] };
  const path = resolve(cwd, given);
  if (name === 'Write') return whole(path, before(path), asString(input.content) ?? '');
  const edits = editsOf(name, input);
  if (edits.length === 0) return { content: [] };
  const old = before(path);
  const after = edited(old, edits);
  return after === undefined ? { content: edits.map((edit) => piece(path, edit)) } : whole(path, old, after);
}

/** What a call changed, by what the transcript keeps of it: the places with the lines around them. */
export function doneDiff(result: ToolResult): Planned {
  if (result.kind === 'write') {
    const { filePath, patch, content = '' } = result;
    return patch.length > 0 ? hunks(filePath, patch) : whole(filePath, undefined, content);
  }
  if (result.kind !== 'edit') return { content: [] };
  const { filePath, patch, edits } = result;
  if (patch.length > 0) return hunks(filePath, patch);
  const pieces = edits.map(({ oldString, newString }) => ({ old_string: oldString, new_string: newString }));
  return { content: pieces.map((edit) => piece(filePath, edit)) };
}

function editsOf(name: string, input: JsonObject): TextEdit[] {
  const all = name === 'Edit' ? [input] : name === 'MultiEdit' ? (asArray(input.edits)?.filter(isObject) ?? []) : [];
  return all.flatMap((edit) => {
    const [old_string, new_string] = [asString(edit.old_string), asString(edit.new_string)];
    if (old_string === undefined || new_string === undefined) return [];
    return [{ old_string, new_string, replace_all: edit.replace_all === true }];
  });
}

/** Undefined where there is no text, or too much. */
function before(path: string): string | undefined {
  try {
    const stat = statFile(path);
    if (stat === undefined || stat.size > MOST_BYTES) return undefined;
    const bytes = readFileSync(path);
    const encoding = encodingOf(bytes);
    return encoding && plainText(bytes, encoding);
  } catch {
    return undefined;
  }
}

/** Undefined where the edits do not fit. */
function edited(text: string | undefined, edits: readonly TextEdit[]): string | undefined {
  const [first, ...others] = edits;
  const makes = first?.old_string === '';
  if (text === undefined && !makes) return undefined;
  const start = makes ? first.new_string : (text ?? '');
  try {
    return applyEdits(Buffer.from(start), 'utf-8', makes ? others : edits).bytes.toString('utf8');
  } catch {
    return undefined;
  }
}

function whole(path: string, oldText: string | undefined, newText: string): Planned {
  const line = oldText === undefined ? 1 : firstChange(oldText, newText);
  return { content: [diff({ path, oldText: oldText ?? null, newText })], line };
}

function piece(path: string, { old_string, new_string }: TextEdit): ToolCallContent {
  return diff({ path, oldText: old_string === '' ? null : old_string, newText: new_string });
}

function hunks(path: string, patch: readonly Hunk[]): Planned {
  const side = (lines: readonly string[], mark: string) =>
    lines.flatMap((line) => (line.startsWith(' ') || line.startsWith(mark) ? line.slice(1) : [])).join('\n');
  return {
    content: patch.map(({ lines }) => diff({ path, oldText: side(lines, '-'), newText: side(lines, '+') })),
    line: patch[0]?.newStart ?? 1,
  };
}

function diff(fields: Diff): ToolCallContent {
  return { type: 'diff', ...fields };
}

function firstChange(a: string, b: string): number {
  const [left, right] = [a.split('\n'), b.split('\n')];
  const at = left.findIndex((line, i) => line !== right[i]);
  return (at < 0 ? left.length : at) + 1;
}
