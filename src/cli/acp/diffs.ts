/** What a call changes in a file, as old and new text. */
import type { Diff, ToolCallContent } from '@agentclientprotocol/sdk';
import type { TextEdit } from '../../agent/tools/files/edits.ts';
import type { JsonObject } from '../../format/json.ts';
import type { Hunk } from '../../graph/toolresults/files.ts';
import type { ToolResult } from '../../graph/toolresults/read.ts';
import { plannedChange } from '../terminal/planned.ts';

export interface Planned {
  readonly content: ToolCallContent[];
  /** Where the change begins. */
  readonly line?: number;
}

/** Larger files are told by the pieces that change. */
const MOST_BYTES = 512 << 10;

/** What a call is about to change, as the file stands now. Never throws. */
export function plannedDiff(name: string, input: JsonObject, cwd: string): Planned {
  const change = plannedChange(name, input, cwd, MOST_BYTES);
  if (change === undefined) return { content: [] };
  if (change.kind === 'whole') return whole(change.path, change.before, change.after);
  return { content: change.edits.map((edit) => piece(change.path, edit)) };
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
