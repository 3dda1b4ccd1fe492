/** Single content blocks on their way from the file to the API. */
import { asArray, asObject, asString, isObject, type Json, type JsonObject, parseJson } from '../../format/json.ts';
import { flawInResult, flawOf } from '../shapes.ts';

/** R14: what is left without any content says so. */
export const NO_CONTENT = '(no content)';

/** A7 */
const LONGEST_NAME = 200;
/** R15: names that the client changes. */
const RENAMED: ReadonlyMap<string, string> = new Map([['Task', 'Agent']]);

export function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

/** What the client says in the model's place, in the form of an answer. */
export function invented(text: string): JsonObject {
  return { ...textBlock(text), citations: [] };
}

export function errorResult(id: string, content: string): JsonObject {
  return { type: 'tool_result', tool_use_id: id, content, is_error: true };
}

export function isText(block: JsonObject | undefined): boolean {
  return block?.type === 'text';
}

export function isResult(block: JsonObject | undefined): boolean {
  return block?.type === 'tool_result';
}

export function isUse(block: JsonObject | undefined): boolean {
  return block?.type === 'tool_use';
}

export function isThinking(block: JsonObject): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** A4: a text block without a visible character. */
export function isBlank(block: JsonObject): boolean {
  return isText(block) && (asString(block.text) ?? '').trim() === '';
}

/** A5: thinking that the API can check. */
export function isSigned(block: JsonObject): boolean {
  const proof = block.type === 'thinking' ? block.signature : block.data;
  return (asString(proof) ?? '') !== '' && (block.type !== 'thinking' || typeof block.thinking === 'string');
}

export function useId(block: JsonObject): string {
  return isUse(block) ? (asString(block.id) ?? '') : '';
}

export function resultId(block: JsonObject): string {
  return isResult(block) ? (asString(block.tool_use_id) ?? '') : '';
}

/** The blocks of a content that a message of this role can hold. A block that says too little to be sent is left out. */
export function usableBlocks(role: 'user' | 'assistant', content: Json | undefined): JsonObject[] {
  if (typeof content === 'string') return [textBlock(content)];
  const blocks: JsonObject[] = [];
  for (const item of asArray(content) ?? []) {
    const block = isObject(item) ? usable(role, item) : undefined;
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

function usable(role: 'user' | 'assistant', raw: JsonObject): JsonObject | undefined {
  const block = mended(role, withoutCacheControl(raw));
  return block === undefined || flawOf(role, block) !== undefined ? undefined : block;
}

function mended(role: 'user' | 'assistant', block: JsonObject): JsonObject | undefined {
  if (isUse(block)) return role === 'assistant' && useId(block) !== '' ? sendableUse(block) : undefined;
  if (isResult(block)) return role === 'user' && resultId(block) !== '' ? sendableResult(block) : undefined;
  return block;
}

/** Where to cache is the sender's decision, and more than four marks are refused. */
function withoutCacheControl(block: JsonObject): JsonObject {
  if (!('cache_control' in block)) return block;
  const { cache_control: _, ...rest } = block;
  return rest;
}

function sendableUse(block: JsonObject): JsonObject {
  const name = (asString(block.name) || 'unknown').slice(0, LONGEST_NAME);
  const given = asObject(block.input) ?? asObject(parseJson(asString(block.input) ?? '')) ?? {};
  const input = asSent(name, given);
  const sent = RENAMED.get(name) ?? name;
  return sent === block.name && input === block.input ? block : { ...block, name: sent, input };
}

/** R15: what the client notes beside the input of a call is not sent: by tool, what shows that it did, and the notes. */
const NOTED: ReadonlyMap<string, { readonly sign: string; readonly notes: readonly string[] }> = new Map([
  ['SendMessage', { sign: 'to', notes: ['type', 'recipient', 'recipient_kind', 'content', 'request_id', 'approve'] }],
  ['Edit', { sign: 'edits', notes: ['old_string', 'new_string', 'replace_all'] }],
]);

function asSent(tool: string, input: JsonObject): JsonObject {
  const { sign, notes } = NOTED.get(tool) ?? { sign: '', notes: [] };
  if (!(sign in input) || !notes.some((key) => key in input)) return input;
  return Object.fromEntries(Object.entries(input).filter(([key]) => !notes.includes(key)));
}

/** A4 holds inside of results too: what is empty or incomplete there is left out, an empty result is fine. */
function sendableResult(block: JsonObject): JsonObject {
  const made = { ...block };
  if (typeof made.is_error !== 'boolean') {
    if (made.is_error === 'true') made.is_error = true;
    else delete made.is_error;
  }
  const content = sendableContent(block.content);
  const said = made.is_error === true ? asFailure(content) : content;
  if (said === undefined) delete made.content;
  else made.content = said;
  return made;
}

/** Of what failed the API takes text only, and some there must be. The client joins what text stands among other things. */
function asFailure(content: string | JsonObject[] | undefined): string | JsonObject[] {
  if (content === undefined || content.length === 0) return NO_CONTENT;
  if (typeof content === 'string' || content.every(isText)) return content;
  const texts = content.filter(isText).map(({ text }) => asString(text) ?? '');
  return texts.length === 0 ? NO_CONTENT : [textBlock(texts.join('\n\n'))];
}

/** One block without its list becomes a list; what else is neither text nor a list is told as it was written. */
function sendableContent(content: Json | undefined): string | JsonObject[] | undefined {
  if (content === undefined || content === null) return undefined;
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(sendablePart).filter((part) => part !== undefined);
  const only = sendablePart(content);
  return only === undefined ? JSON.stringify(content) : [only];
}

function sendablePart(part: Json): JsonObject | undefined {
  const block = typeof part === 'string' ? textBlock(part) : part;
  if (!isObject(block) || isBlank(block) || flawInResult(block) !== undefined) return undefined;
  return withoutCacheControl(block);
}
