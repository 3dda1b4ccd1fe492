/** A tool call as something to show: one line, and parts that open under it. Every renderer draws from this. */
import { toBlocks } from '../format/content.ts';
import { asArray, asString, isObject, type Json } from '../format/json.ts';
import { contentOfCall, inputOfCall, type Resolve, textOfCall, toolResultOf } from '../graph/toolcalls.ts';
import type { EditResult, Hunk } from '../graph/toolresults/files.ts';
import type { Todo } from '../graph/toolresults/lookups.ts';
import type { ToolResult } from '../graph/toolresults/read.ts';
import type { ToolCall, ToolStatus } from '../graph/types.ts';
import { numberedLines } from './numbered.ts';

export type Part =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code'; readonly text: string; readonly path?: string; readonly startLine?: number }
  | { readonly type: 'command'; readonly command: string; readonly stdout: string; readonly stderr: string }
  | { readonly type: 'diff'; readonly path: string; readonly hunks: readonly Hunk[] }
  /** `before` is what the list was, where that is recorded. */
  | { readonly type: 'todos'; readonly todos: readonly Todo[]; readonly before?: readonly Todo[] }
  | { readonly type: 'files'; readonly files: readonly string[] }
  | { readonly type: 'links'; readonly links: readonly { readonly title: string; readonly url: string }[] }
  | { readonly type: 'answers'; readonly answers: readonly { readonly question: string; readonly answer: string }[] }
  | { readonly type: 'image'; readonly mediaType?: string; readonly data?: string }
  | { readonly type: 'json'; readonly value: Json };

export interface ToolView {
  readonly name: string;
  /** The one argument that matters. */
  readonly argument: string;
  readonly status: ToolStatus;
  readonly durationMs?: number;
  /** Characters of the result as the model saw it. */
  readonly size: number;
  readonly parts: readonly Part[];
}

export function toolView(call: ToolCall, resolve?: Resolve): ToolView {
  const input = inputOfCall(call) ?? {};
  const text = textOfCall(call, resolve) ?? '';
  return {
    name: call.name,
    argument: mainArgument(input),
    status: call.status,
    durationMs: call.durationMs,
    size: text.length,
    parts: partsOf(call, input, toolResultOf(call), text),
  };
}

/** The names under which tools keep the one argument that matters to a reader. */
const MAIN_ARGUMENTS = [
  'command',
  'file_path',
  'notebook_path',
  'pattern',
  'url',
  'query',
  'description',
  'skill',
  'prompt',
  'path',
];

export function mainArgument(input: Json): string {
  if (!isObject(input)) return '';
  for (const name of MAIN_ARGUMENTS) {
    const value = asString(input[name]);
    if (value !== undefined) return value;
  }
  const [question] = asArray(input.questions) ?? [];
  if (isObject(question)) return asString(question.question) ?? '';
  if (Array.isArray(input.todos)) return `${input.todos.length} items`;
  const keys = Object.keys(input);
  return keys.length === 0 ? '' : JSON.stringify(input);
}

function partsOf(call: ToolCall, input: Json, result: ToolResult, text: string): Part[] {
  // A failed call has no structure worth showing: the message says what went wrong.
  if (call.status === 'error' || call.status === 'denied') return [...asked(call, input), ...said(text)];
  switch (result.kind) {
    case 'bash':
      return [
        {
          type: 'command',
          command: argument(input, 'command'),
          stdout: text === '' ? result.stdout : text,
          stderr: '',
        },
      ];
    case 'bash_output':
      return [{ type: 'command', command: '', stdout: result.stdout, stderr: result.stderr }];
    case 'edit':
      return [{ type: 'diff', path: result.filePath, hunks: hunksOf(result) }];
    case 'write':
      if (result.patch.length > 0) return [{ type: 'diff', path: result.filePath, hunks: result.patch }];
      return [{ type: 'code', path: result.filePath, text: result.content ?? argument(input, 'content') }];
    case 'notebook_edit':
      return [{ type: 'code', path: result.notebookPath, text: result.newSource }];
    case 'read':
      if (result.media === 'image') return images(call);
      if (result.content === undefined) return fileText(text, result.filePath);
      return [{ type: 'code', path: result.filePath, text: result.content, startLine: result.startLine }];
    case 'glob':
      return [{ type: 'files', files: result.filenames }];
    case 'grep':
      return result.content === undefined ? [{ type: 'files', files: result.filenames }] : said(result.content);
    case 'todo':
      return [{ type: 'todos', todos: result.newTodos, before: result.oldTodos }];
    case 'question':
      return [{ type: 'answers', answers: result.answers }];
    case 'web_search':
      return [{ type: 'links', links: result.hits }, ...result.comments.flatMap(said)];
    case 'plan':
      return said(result.plan ?? argument(input, 'plan'));
    default:
      // Copies and some versions have no record of what was read: only what the model saw.
      if (call.name === 'Read') return [...images(call), ...fileText(text, argument(input, 'file_path') || undefined)];
      return [...asked(call, input), ...images(call), ...said(text)];
  }
}

/** What was asked, for tools whose one argument is not the whole story. */
function asked(call: ToolCall, input: Json): Part[] {
  if (call.name === 'Bash') return [{ type: 'command', command: argument(input, 'command'), stdout: '', stderr: '' }];
  const url = argument(input, 'url');
  if (call.name === 'WebFetch' && url !== '') return [{ type: 'links', links: [{ title: '', url }] }];
  const plain = ['Read', 'Glob', 'Grep', 'Skill', 'TodoWrite'].includes(call.name);
  return plain || !isObject(input) || Object.keys(input).length === 0 ? [] : [{ type: 'json', value: input }];
}

function fileText(text: string, path: string | undefined): Part[] {
  const numbered = numberedLines(text);
  if (numbered === undefined) return said(text);
  return [{ type: 'code', path, text: numbered.text, startLine: numbered.startLine }, ...said(numbered.rest)];
}

function said(text: string): Part[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function argument(input: Json, name: string): string {
  return isObject(input) ? (asString(input[name]) ?? '') : '';
}

function images(call: ToolCall): Part[] {
  return toBlocks(contentOfCall(call)).flatMap((block): Part[] =>
    block.type === 'image' ? [{ type: 'image', mediaType: block.mediaType, data: block.data }] : [],
  );
}

/** Without a recorded patch the strings themselves are the change. */
function hunksOf({ patch, edits }: EditResult): readonly Hunk[] {
  if (patch.length > 0) return patch;
  return edits.map(({ oldString, newString }) => {
    const before = oldString === '' ? [] : oldString.split('\n');
    const after = newString === '' ? [] : newString.split('\n');
    const lines = [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
    return { oldStart: 1, oldLines: before.length, newStart: 1, newLines: after.length, lines };
  });
}

/** The first line that says something, for a reader who does not open the rest. */
export function firstLine(text: string): string {
  const lines = text.replace(/<\/?tool_use_error>/g, '').split('\n');
  return lines.find((line) => line.trim() !== '')?.trim() ?? '';
}
