/** Small transcripts, one line at a time, and messages in a form that fits a line of a test. */
import { asArray, asString, isObject, type Json, type JsonObject } from '../../src/format/json.ts';
import type { Message } from './resume-cases.ts';

export const SONNET = 'claude-sonnet-4-6';
export const OPUS = 'claude-opus-4-5-20251101';
/** Takes system turns. */
export const NEWEST = 'claude-opus-5-5';

type Parent = number | null;

export function uuid(n: number): string {
  return `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
}

/** Seconds after a fixed start. */
export function time(seconds: number): string {
  return new Date(Date.UTC(2026, 10, 14, 10) + seconds * 1000).toISOString();
}

function line(n: number, parent: Parent, rest: JsonObject): JsonObject {
  return { uuid: uuid(n), parentUuid: parent === null ? null : uuid(parent), timestamp: time(n), ...rest };
}

export function user(n: number, parent: Parent, content: Json, rest: JsonObject = {}): JsonObject {
  return line(n, parent, { type: 'user', message: { role: 'user', content }, ...rest });
}

export function assistant(n: number, parent: Parent, id: string, content: Json, rest: JsonObject = {}): JsonObject {
  const { model = OPUS, ...others } = rest;
  const blocks = typeof content === 'string' ? [text(content)] : content;
  return line(n, parent, { type: 'assistant', message: { role: 'assistant', id, model, content: blocks }, ...others });
}

export function apiError(n: number, parent: Parent): JsonObject {
  const error = { model: '<synthetic>', isApiErrorMessage: true };
  return assistant(n, parent, `error-${n}`, 'API Error: 500', error);
}

export function system(n: number, parent: Parent, subtype: string, rest: JsonObject = {}): JsonObject {
  return line(n, parent, { type: 'system', subtype, ...rest });
}

export function attachment(n: number, parent: Parent, words?: string, rest: JsonObject = {}): JsonObject {
  const rendered = words === undefined ? {} : { rendered: [{ content: words }], renderedRole: 'user' };
  return line(n, parent, { type: 'attachment', attachment: { type: 'made_up' }, ...rendered, ...rest });
}

export function boundary(n: number, compactMetadata: JsonObject = {}): JsonObject {
  return system(n, null, 'compact_boundary', { compactMetadata });
}

export function summary(n: number, parent: Parent): JsonObject {
  return user(n, parent, `summary ${n}`, { isCompactSummary: true });
}

export function pin(n: number): JsonObject {
  return { type: 'last-prompt', leafUuid: uuid(n) };
}

export function text(words: string): JsonObject {
  return { type: 'text', text: words };
}

export function use(id: string, name = 'Bash'): JsonObject {
  return { type: 'tool_use', id, name, input: {} };
}

export function result(id: string, content: Json = `r-${id}`): JsonObject {
  return { type: 'tool_result', tool_use_id: id, content };
}

export function thinking(words: string, signature = 'sig'): JsonObject {
  return { type: 'thinking', thinking: words, signature };
}

export function transcript(lines: readonly (JsonObject | string)[]): string {
  return lines.map((item) => `${typeof item === 'string' ? item : JSON.stringify(item)}\n`).join('');
}

/** `user: a | b` for text, `+id` for a call, `=id words` for its result, `~words` for thinking. */
export function brief(messages: readonly Message[]): string[] {
  return messages.map(({ role, content }) => `${role}: ${content.map(briefBlock).join(' | ')}`);
}

function briefBlock(block: JsonObject): string {
  if (block.type === 'tool_use') return `+${asString(block.id)}`;
  if (block.type === 'thinking') return `~${asString(block.thinking)}`;
  if (block.type !== 'tool_result') return asString(block.text) ?? asString(block.type) ?? '';
  const parts = asArray(block.content)
    ?.filter(isObject)
    .map((part) => asString(part.text) ?? '');
  return `=${asString(block.tool_use_id)} ${parts?.join('/') ?? asString(block.content) ?? ''}`;
}
