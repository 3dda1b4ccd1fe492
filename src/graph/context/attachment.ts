/**
 * What an attachment says to the model (R15). Newer files hold the words as they were sent (`rendered`); for older ones the
 * kinds that carry something the conversation rests on are put into words here. All others say nothing.
 */
import { asArray, asObject, asString, at, isObject, type Json, type JsonObject } from '../../format/json.ts';
import { textBlock, usableBlocks } from './blocks.ts';

export interface Note {
  readonly blocks: JsonObject[];
  /** How a model that takes system turns is told: by the user's message, by a system turn, or as the person's own words. */
  readonly voice: 'user' | 'system' | 'person';
}

const OPEN = '<system-reminder>\n';
const CLOSE = '\n</system-reminder>';

export function remind(text: string): string {
  return `${OPEN}${text}${CLOSE}`;
}

export function notesOf(entry: JsonObject): Note[] {
  const attachment = asObject(entry.attachment);
  if (attachment === undefined) return [];
  const rendered = asArray(entry.rendered);
  if (rendered === undefined) return retell(attachment);
  const queued = attachment.type === 'queued_command' && at(attachment.origin, 'kind') === 'human';
  const voice = queued ? 'person' : entry.renderedRole === 'system' ? 'system' : 'user';
  return rendered.filter(isObject).map((item) => ({ blocks: usableBlocks('user', item.content), voice }));
}

/** The words without the wrapper that marks them as a reminder. */
export function unwrapped(blocks: readonly JsonObject[]): JsonObject[] {
  return blocks.map((block) => {
    const text = asString(block.text) ?? '';
    return text.startsWith(OPEN) && text.endsWith(CLOSE)
      ? { ...block, text: text.slice(OPEN.length, -CLOSE.length) }
      : block;
  });
}

type Tell = (attachment: JsonObject) => string[];

const text = (value: Json | undefined): string => asString(value) ?? '';

const TELL: Record<string, Tell> = {
  file: (a) => [
    `Called the Read tool with the following input: ${JSON.stringify({ file_path: text(a.filename) })}`,
    `Result of calling the Read tool:\n${numbered(text(at(a.content, 'file', 'content')), at(a.content, 'file', 'startLine'))}`,
  ],
  edited_text_file: (a) => [`${text(a.filename)} was changed on disk since it was last read:\n${text(a.snippet)}`],
  queued_command: (a) => [`The user sent a message while you were working:\n${plain(a.prompt)}`],
  hook_success: (a) =>
    a.hookEvent === 'SessionStart' || a.hookEvent === 'UserPromptSubmit'
      ? said(`${text(a.hookName)} hook`, a.content)
      : [],
  hook_additional_context: (a) => said(`${text(a.hookName)} hook, additional context`, a.content),
  hook_blocking_error: (a) => said(`${text(a.hookName)} hook blocked`, at(a.blockingError, 'blockingError')),
  nested_memory: (a) => said(`Contents of ${text(a.path)}`, at(a.content, 'content')),
  selected_lines_in_ide: (a) => said(`The user selected lines in ${text(a.filename)}`, a.content),
  opened_file_in_ide: (a) => [`The user opened ${text(a.filename)} in the editor.`],
  directory: (a) => said(`Listing of ${text(a.path)}`, a.content),
  mcp_resource: (a) =>
    said(
      `Resource ${text(a.uri)}`,
      (asArray(at(a.content, 'contents')) ?? []).map((item) => at(item, 'text') ?? ''),
    ),
  compact_file_reference: (a) => [`${text(a.filename)} was read before the conversation was summarized.`],
  date_change: (a) => [`The date is now ${text(a.newDate)}.`],
  skill_listing: (a) => said('Skills', a.content),
  total_tokens_reminder: (a) => [text(a.text)],
  critical_system_reminder: (a) => [text(a.content)],
};

function retell(attachment: JsonObject): Note[] {
  const tell = TELL[text(attachment.type)];
  const voice = attachment.type === 'file' ? 'user' : 'system';
  const told = (tell?.(attachment) ?? []).filter((words) => words.trim() !== '');
  return told.map((words) => ({ blocks: [textBlock(remind(words))], voice }));
}

function said(what: string, content: Json | undefined): string[] {
  const words = plain(content);
  return words === '' ? [] : [`${what}:\n${words}`];
}

function plain(content: Json | undefined): string {
  const parts = asArray(content) ?? [content];
  return parts.map((part) => asString(part) ?? asString(at(part, 'text')) ?? '').join('\n');
}

function numbered(content: string, start: Json | undefined): string {
  const first = typeof start === 'number' ? start : 1;
  return content
    .split('\n')
    .map((line, i) => `${first + i}\t${line}`)
    .join('\n');
}
