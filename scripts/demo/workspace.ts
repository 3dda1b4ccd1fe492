/** The files of a fictional project: reading and editing them gives tool calls whose results agree with each other. */
import type { JsonObject } from '../../src/format/json.ts';
import { structuredPatch } from './patch.ts';
import type { Outcome, ToolCall } from './talk.ts';
import { BY_MODE, BY_USER, failure } from './tools.ts';
import type { Version, Writer } from './writer.ts';

export interface Workspace {
  readonly cwd: string;
  readonly files: Map<string, string>;
}

export function createWorkspace(cwd: string, files: Readonly<Record<string, string>>): Workspace {
  return { cwd, files: new Map(Object.entries(files)) };
}

/** Puts the files back as they were, like the client does on a rewind. */
export function restore(ws: Workspace, files: ReadonlyMap<string, string>): void {
  ws.files.clear();
  for (const [path, content] of files) ws.files.set(path, content);
}

export function read(ws: Workspace, path: string, range: { offset?: number; limit?: number } = {}): ToolCall {
  const filePath = `${ws.cwd}/${path}`;
  return {
    name: 'Read',
    input: { file_path: filePath, ...range },
    run: ({ w }) => {
      const content = ws.files.get(path);
      if (content === undefined) {
        const text = `File does not exist. Note: your current working directory is ${ws.cwd}.`;
        return failure(text, { ms: 14, fields: BY_MODE });
      }
      const all = content.split('\n');
      const startLine = range.offset ?? 1;
      const lines = all.slice(startLine - 1, range.limit === undefined ? undefined : startLine - 1 + range.limit);
      const size = { numLines: lines.length, startLine, totalLines: all.length };
      const file = { filePath, content: lines.join('\n'), ...size };
      return {
        content: numbered(lines, startLine, w.version),
        result: { type: 'text', file },
        ms: 18,
        fields: BY_MODE,
      };
    },
  };
}

function numbered(lines: readonly string[], from: number, version: Version): string {
  const number = (index: number) =>
    version === '2.1.325' ? `${from + index}\t` : `${String(from + index).padStart(6)}→`;
  return lines.map((line, index) => number(index) + line).join('\n');
}

export interface EditOptions {
  readonly all?: boolean;
  /** The input without `replace_all`, as 1.0.111 writes it. */
  readonly plain?: boolean;
  /** The text is not there on purpose: the call fails. */
  readonly missing?: boolean;
  /** Asked for and allowed, `ms` later. */
  readonly asked?: number;
}

export function edit(ws: Workspace, path: string, from: string, to: string, options: EditOptions = {}): ToolCall {
  const filePath = `${ws.cwd}/${path}`;
  const strings = { file_path: filePath, old_string: from, new_string: to };
  const replaceAll = options.all ?? false;
  return {
    name: 'Edit',
    input: options.plain ? strings : { replace_all: replaceAll, ...strings },
    serial: true,
    run: ({ w }) => {
      const before = ws.files.get(path) ?? '';
      if (!before.includes(from)) {
        if (!options.missing) throw new Error(`${path} does not hold: ${from}`);
        const text = `String to replace not found in file.\nString: ${from}`;
        return failure(text, { ms: 9, shown: `<tool_use_error>${text}</tool_use_error>` });
      }
      const after = replaceAll ? before.replaceAll(from, to) : before.replace(from, () => to);
      ws.files.set(path, after);
      const patch = structuredPatch(before, after).map((hunk) => ({ ...hunk }));
      const strings = { filePath, oldString: from, newString: to, originalFile: before };
      const result = { ...strings, structuredPatch: patch, userModified: false, replaceAll };
      return changed(w, path, before, after, result, options);
    },
  };
}

/** Several edits of one file at once: a tool that 1.0.111 had. */
export function multiEdit(ws: Workspace, path: string, edits: readonly (readonly [string, string])[]): ToolCall {
  const filePath = `${ws.cwd}/${path}`;
  const asked = edits.map(([old_string, new_string]) => ({ old_string, new_string }));
  return {
    name: 'MultiEdit',
    input: { file_path: filePath, edits: asked },
    serial: true,
    run: () => {
      const before = ws.files.get(path) ?? '';
      const after = edits.reduce((text, [from, to]) => text.replace(from, () => to), before);
      ws.files.set(path, after);
      const said = edits.map(([from, to], index) => `${index + 1}. Replaced "${from}" with "${to}"`);
      const content = [`Applied ${edits.length} edits to ${filePath}:`, ...said].join('\n');
      const result = {
        filePath,
        edits: asked.map((one) => ({ ...one, replace_all: false })),
        originalFileContents: before,
        structuredPatch: structuredPatch(before, after).map((hunk) => ({ ...hunk })),
        userModified: false,
      };
      return { content, result, ms: 38, change: { path, before, after } };
    },
  };
}

export function write(ws: Workspace, path: string, content: string, options: EditOptions = {}): ToolCall {
  const filePath = `${ws.cwd}/${path}`;
  return {
    name: 'Write',
    input: { file_path: filePath, content },
    serial: true,
    run: ({ w }) => {
      const before = ws.files.get(path) ?? null;
      ws.files.set(path, content);
      const patch = before === null ? [] : structuredPatch(before, content).map((hunk) => ({ ...hunk }));
      const result: JsonObject = {
        type: before === null ? 'create' : 'update',
        filePath,
        content,
        structuredPatch: patch,
      };
      if (w.version !== '1.0.111') result.originalFile = before;
      if (w.version === '2.1.325') result.userModified = false;
      return changed(w, path, before, content, result, options);
    },
  };
}

function changed(
  w: Writer,
  path: string,
  before: string | null,
  after: string,
  result: JsonObject,
  options: EditOptions,
): Outcome {
  const { asked = 0 } = options;
  const fields = asked > 0 ? BY_USER : BY_MODE;
  const content = saying(w.version, `${w.cwd}/${path}`, before, after);
  return { content, result, ms: 42 + asked, change: { path, before, after }, fields };
}

/** What the model is told of a change. */
function saying(version: Version, filePath: string, before: string | null, after: string): string {
  const rest = version === '2.1.325' ? ' (file state is current in your context — no need to Read it back)' : '';
  if (before === null) return `File created successfully at: ${filePath}${rest}`;
  if (version !== '1.0.111') return `The file ${filePath} has been updated successfully.${rest}`;
  const hunk = structuredPatch(before, after)[0];
  const start = hunk?.newStart ?? 1;
  const lines = after.split('\n').slice(start - 1, start - 1 + (hunk?.newLines ?? 0));
  const said = "has been updated. Here's the result of running `cat -n` on a snippet of the edited file:";
  return `The file ${filePath} ${said}\n${numbered(lines, start, version)}`;
}
