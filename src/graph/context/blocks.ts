/** Single content blocks on their way from the file to the API. */
import { asArray, asObject, asString, isObject, type Json, type JsonObject, parseJson } from '../../format/json.ts';

/** A7 */
const LONGEST_NAME = 200;
/** R15: names that the client changes. */
const RENAMED: ReadonlyMap<string, string> = new Map([['Task', 'Agent']]);

export function textBlock(text: string): JsonObject {
  return { type: 'text', text };
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
  const block = withoutCacheControl(raw);
  switch (block.type) {
    case 'text':
      return typeof block.text === 'string' ? block : undefined;
    case 'tool_use':
      return role === 'assistant' && useId(block) !== '' ? sendableUse(block) : undefined;
    case 'tool_result':
      return role === 'user' && resultId(block) !== '' ? sendableResult(block) : undefined;
    case 'thinking':
    case 'redacted_thinking':
      return role === 'assistant' ? block : undefined;
    default:
      return typeof block.type === 'string' && block.type !== '' ? block : undefined;
  }
}

/** Where to cache is the sender's decision, and more than four marks are refused. */
function withoutCacheControl(block: JsonObject): JsonObject {
  if (!('cache_control' in block)) return block;
  const { cache_control: _, ...rest } = block;
  return rest;
}

function sendableUse(block: JsonObject): JsonObject {
  const name = (asString(block.name) || 'unknown').slice(0, LONGEST_NAME);
  const input = asObject(block.input) ?? asObject(parseJson(asString(block.input) ?? '')) ?? {};
  const sent = RENAMED.get(name) ?? name;
  return sent === block.name && input === block.input ? block : { ...block, name: sent, input };
}

/** A4 holds inside of results too: empty text blocks are left out, an empty result is fine. */
function sendableResult(block: JsonObject): JsonObject {
  const parts = asArray(block.content);
  if (parts === undefined) return block;
  const kept = parts.filter((part) => isObject(part) && !(part.type === 'text' && (asString(part.text) ?? '') === ''));
  return kept.length === parts.length ? block : { ...block, content: kept };
}
