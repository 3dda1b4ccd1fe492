/** What every scripted Messages API shares: reading a request, judging it as the real one would (A), and the shape of an answer. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { asArray, asNumber, asString, isObject, type Json, type JsonObject, parseJson } from '../../src/format/json.ts';
import { validate } from '../../src/graph/validate.ts';
import { type Message, toMessages } from './resume-cases.ts';

export async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = parseJson(Buffer.concat(chunks).toString('utf8'));
  return isObject(body) ? body : {};
}

/** Without system turns and cache marks; a string content is one text block. */
export function sentMessages(body: JsonObject): Message[] {
  return toMessages(body.messages)
    .filter(({ role }) => role !== 'system')
    .map(({ role, content }) => ({ role, content: content.map(({ cache_control: _, ...block }) => block) }));
}

/** Why the real API would refuse the messages (A). */
export function messagesRefused(body: JsonObject, options: { readonly thinking?: boolean } = {}): string | undefined {
  const messages = sentMessages(body).map(({ role, content }) => ({
    role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
    content: [...content],
  }));
  const [first] = validate(messages, options);
  return first && `${first.rule}: ${first.what}`;
}

const ADAPTIVE_ONLY = /opus-(4-[78]|5)|sonnet-5|haiku-5|fable|mythos/;
const BUDGET_ONLY = /claude-3|(opus|sonnet|haiku)-4-([0-5](-|$)|\d{8})/;

/** Why the real API would refuse the rest of a request. */
export function requestRefused(body: JsonObject): string | undefined {
  const maxTokens = asNumber(body.max_tokens);
  if (!asString(body.model)) return 'model: Field required';
  if (maxTokens === undefined || maxTokens < 1) return 'max_tokens: Field required';
  const how = isObject(body.thinking) ? body.thinking.type : undefined;
  if (how === 'enabled' && ADAPTIVE_ONLY.test(asString(body.model) ?? '')) {
    return '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive"';
  }
  if (how === 'adaptive' && BUDGET_ONLY.test(asString(body.model) ?? '')) {
    return 'adaptive thinking is not supported on this model';
  }
  const thinking = isObject(body.thinking) && how === 'enabled' ? body.thinking : undefined;
  const budget = asNumber(thinking?.budget_tokens) ?? 0;
  if (thinking && budget < 1024) return 'thinking.budget_tokens: Input should be greater than or equal to 1024';
  if (thinking && budget >= maxTokens) return '`max_tokens` must be greater than `thinking.budget_tokens`';
  const names = (asArray(body.tools) ?? []).map((tool) => (isObject(tool) ? (asString(tool.name) ?? '') : ''));
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.';
  if (names.some((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name))) return 'tools: a name does not match the pattern';
  return marksRefused(body) ?? messagesRefused(body, { thinking: thinking !== undefined });
}

function marksRefused(body: JsonObject): string | undefined {
  const blocks = [body.system, body.tools].flatMap((list) => asArray(list) ?? []).filter(isObject);
  const said = toMessages(body.messages).flatMap(({ content }) => content);
  const marked = [...blocks, ...said].filter((block) => block.cache_control !== undefined);
  if (marked.length > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`;
  if (marked.some(({ type }) => type === 'thinking' || type === 'redacted_thinking')) {
    return 'cache_control: Extra inputs are not permitted on thinking blocks';
  }
  if (marked.some(({ type, text }) => type === 'text' && text === '')) {
    return 'cache_control cannot be set for empty text blocks';
  }
  if (blocks.some(({ type, text }) => type === 'text' && (asString(text) ?? '') === '')) {
    return 'system: text content blocks must be non-empty';
  }
  return undefined;
}

/** 401 without a key, 400 without a version. */
export function headersRefused(headers: IncomingHttpHeaders): { status: number; message: string } | undefined {
  if (!headers['x-api-key'] && !headers.authorization) return { status: 401, message: 'x-api-key header is required' };
  if (!headers['anthropic-version']) return { status: 400, message: 'anthropic-version: header is required' };
  return undefined;
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: Json,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

export function errorBody(type: string, message: string, requestId?: string): JsonObject {
  return { type: 'error', error: { type, message }, ...(requestId !== undefined && { request_id: requestId }) };
}

export function sseEvent(event: JsonObject): string {
  return `event: ${asString(event.type) ?? ''}\ndata: ${JSON.stringify(event)}\n\n`;
}

export function randomId(prefix: string): string {
  return `${prefix}_${Math.random().toString(36).slice(2, 14).padEnd(12, '0')}`;
}
