/** `@path` in what a person says: the file comes along, as if it had been read. */
import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { asString } from '../../format/json.ts';
import type { Gate } from '../ports.ts';
import { importsOf } from '../prompt/imports.ts';
import type { Follow, Tool, ToolSession } from '../tools/tool.ts';

export interface MentionParts {
  readonly gate: Gate;
  readonly read: Tool | undefined;
  readonly session: ToolSession;
}

const MOST = 10;

export async function mentionedFiles(text: string, parts: MentionParts, signal: AbortSignal): Promise<Follow[]> {
  const { read, session } = parts;
  if (read === undefined || !text.includes('@')) return [];
  const paths = [...new Set(importsOf(text).map((path) => resolve(session.cwd, path)))].filter(isFile).slice(0, MOST);
  const found = await Promise.all(paths.map((path) => fileOf(path, read, parts, signal)));
  return found.flat();
}

async function fileOf(
  path: string,
  read: Tool,
  { gate, session }: MentionParts,
  signal: AbortSignal,
): Promise<readonly Follow[]> {
  const input = { file_path: path };
  const id = 'mention';
  const decision = await gate.decide({ id, tool: read, input, signal });
  if (!decision.allow) return [];
  const { content, result, isError, follow = [] } = await read.run(input, { id, signal, progress: () => {}, session });
  const text = asString(typeof content === 'string' ? content : undefined);
  if (isError || text === undefined) return follow;
  const displayPath = relative(session.cwd, path) || path;
  const rendered = [
    reminder(`Called the Read tool with the following input: ${JSON.stringify(input)}`),
    reminder(`Result of calling the Read tool:\n${text}`),
  ];
  const attachment = { type: 'file', filename: path, content: result, displayPath };
  return [{ kind: 'attachment', attachment, rendered }, ...follow];
}

export function reminder(text: string): string {
  return `<system-reminder>\n${text}\n</system-reminder>`;
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
