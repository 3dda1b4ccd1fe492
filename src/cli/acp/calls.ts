/** A tool call as an editor shows it: before it runs, while it runs, and what came of it. */
import { isAbsolute, relative, resolve } from 'node:path';
import type { ContentBlock, ToolCall, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import type { ToolOutcome } from '../../agent/tools/tool.ts';
import { toBlocks } from '../../format/content.ts';
import { asNumber, asString, type Json, type JsonObject } from '../../format/json.ts';
import { safeLine, safeText } from '../../views/safe.ts';
import { mainArgument } from '../../views/toolview.ts';
import { plannedDiff } from './diffs.ts';

const KINDS: Readonly<Record<string, ToolKind>> = {
  Read: 'read',
  Edit: 'edit',
  MultiEdit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
  Bash: 'execute',
  BashOutput: 'execute',
  KillShell: 'execute',
  Glob: 'search',
  Grep: 'search',
  WebFetch: 'fetch',
  WebSearch: 'fetch',
  web_search: 'fetch',
  Agent: 'think',
  Task: 'think',
  EnterPlanMode: 'switch_mode',
  ExitPlanMode: 'switch_mode',
};

export function kindOf(name: string): ToolKind {
  return Object.hasOwn(KINDS, name) ? (KINDS[name] ?? 'other') : 'other';
}

export type Described = Pick<ToolCall, 'title' | 'kind' | 'name' | 'rawInput'> & {
  content: ToolCallContent[];
  locations: ToolCallLocation[];
};

/** What it is about to do, as far as one can see now. */
export function describeCall(name: string, input: JsonObject, cwd: string): Described {
  const planned = plannedDiff(name, input, cwd);
  return {
    title: titleOf(name, input, cwd),
    kind: kindOf(name),
    name,
    rawInput: input,
    content: name === 'ExitPlanMode' ? [textContent(asString(input.plan) ?? '')] : planned.content,
    locations: locationsOf(input, cwd, planned.line),
  };
}

const MOST_TITLE = 200;

export function titleOf(name: string, input: JsonObject, cwd: string): string {
  const path = asString(input.file_path) ?? asString(input.notebook_path);
  const argument = path === undefined ? mainArgument(input) : shortPath(resolve(cwd, path), cwd);
  const words = safeLine(name === 'Bash' ? argument : `${name} ${argument}`).trim();
  return words.length > MOST_TITLE ? `${words.slice(0, MOST_TITLE - 1)}…` : words || name;
}

function shortPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short;
}

export function locationsOf(input: JsonObject, cwd: string, line?: number): ToolCallLocation[] {
  const path = asString(input.file_path) ?? asString(input.notebook_path) ?? asString(input.path);
  if (path === undefined) return [];
  const at = line ?? asNumber(input.offset);
  return [{ path: resolve(cwd, path), ...(at !== undefined && Number.isInteger(at) && at > 0 && { line: at }) }];
}

/** Undefined: what was shown before it ran tells it all. */
export function outcomeContent(name: string, { content, isError }: ToolOutcome): ToolCallContent[] | undefined {
  if (kindOf(name) === 'edit' && !isError) return undefined;
  const isProse = isError !== true && (name === 'Agent' || name === 'Task' || kindOf(name) === 'fetch');
  return contentOf(content, isProse);
}

const MOST_TEXT = 50_000;

/** What a tool gave back. Output stands in a block of code, so that no editor takes it for markup. */
export function contentOf(content: string | readonly JsonObject[], isProse: boolean): ToolCallContent[] {
  const blocks = typeof content === 'string' ? content : [...content];
  return toBlocks(blocks).flatMap((block): ToolCallContent[] => {
    if (block.type === 'text') {
      const text = cut(safeText(block.text));
      return text === '' ? [] : [textContent(isProse ? text : fenced(text))];
    }
    const image = block.type === 'image' ? imageOf(block.mediaType, block.data) : undefined;
    return image === undefined ? [] : [{ type: 'content', content: image }];
  });
}

export function imageOf(mimeType: string | undefined, data: string | undefined): ContentBlock | undefined {
  return mimeType === undefined || data === undefined ? undefined : { type: 'image', mimeType, data };
}

export function textContent(text: string): ToolCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

function cut(text: string): string {
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}\n… ${text.length - MOST_TEXT} characters more` : text;
}

/** With more backticks than the text has anywhere in a row. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}

const MOST_RAW = 100_000;

/** The record of the transcript; nothing where it would be a file twice over. */
export function rawOutput(result: Json): { rawOutput?: Json } {
  return JSON.stringify(result).length > MOST_RAW ? {} : { rawOutput: result };
}
