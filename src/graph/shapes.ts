/** What the API takes as a content block, looked at alone: context() sends nothing with a flaw, validate() names it. */
import { asArray, asString, isObject, type Json, type JsonObject } from '../format/json.ts';

type Shape = (block: JsonObject) => string | undefined;

/** What a message of the person, and a result, may show to the model. */
const SHOWN: Readonly<Record<string, Shape>> = {
  text: flawOfText,
  image: flawOfSource,
  document: flawOfSource,
  search_result: (block) =>
    isFilled(block.source) && isFilled(block.title) && isListOf(block.content, 'text')
      ? undefined
      : 'the search result is incomplete',
};

const IN_RESULT: Readonly<Record<string, Shape>> = {
  ...SHOWN,
  tool_reference: (block) => (isFilled(block.tool_name) ? undefined : 'the tool reference has no name'),
};

const OF_USER: Readonly<Record<string, Shape>> = {
  ...SHOWN,
  tool_result: flawOfResult,
  container_upload: (block) => (isFilled(block.file_id) ? undefined : 'the upload names no file'),
};

/** Whether thinking is signed is another question (A5). */
const OF_ASSISTANT: Readonly<Record<string, Shape>> = {
  text: flawOfText,
  thinking: () => undefined,
  redacted_thinking: () => undefined,
  tool_use: flawOfUse,
  server_tool_use: flawOfUse,
  mcp_tool_use: flawOfUse,
};

/** Undefined for a block that the API takes from this role; whether it may stand where it stands is not looked at. */
export function flawOf(role: 'user' | 'assistant', block: Json): string | undefined {
  if (role === 'user') return flawBy(OF_USER, block);
  return isServerResult(block) ? undefined : flawBy(OF_ASSISTANT, block);
}

/** The same for a block inside of a result. */
export function flawInResult(block: Json): string | undefined {
  return flawBy(IN_RESULT, block);
}

function flawBy(shapes: Readonly<Record<string, Shape>>, block: Json): string | undefined {
  if (!isObject(block)) return 'the block is not an object';
  const type = asString(block.type) ?? '';
  const shape = Object.hasOwn(shapes, type) ? shapes[type] : undefined;
  return shape === undefined ? `a block of type "${type}" is not taken here` : shape(block);
}

/** Calls that the API answers itself, in the same message. */
export function isServerUse({ type }: JsonObject): boolean {
  return type === 'server_tool_use' || type === 'mcp_tool_use';
}

/** `web_search_tool_result` and the like: answers that the API gave itself. */
export function isServerResult(block: Json): block is JsonObject {
  if (!isObject(block) || !asString(block.type)?.endsWith('_tool_result')) return false;
  return isFilled(block.tool_use_id) && block.content !== undefined && block.content !== null;
}

/**
 * A1, A2: of an answer's blocks, the calls that the API began and did not answer, and the answers to no call before them. It
 * goes on with a call at the very end of all messages.
 */
export function unpairedAtServer(content: readonly JsonObject[], isLast: boolean): Set<JsonObject> {
  const unpaired = new Set<JsonObject>();
  const open = new Map<string, JsonObject>();
  for (const block of content) {
    if (isServerUse(block)) {
      unpaired.add(block);
      open.set(asString(block.id) ?? '', block);
    } else if (isServerResult(block)) {
      const use = open.get(asString(block.tool_use_id) ?? '');
      if (use === undefined || !unpaired.delete(use)) unpaired.add(block);
    }
  }
  if (isLast) for (const use of open.values()) unpaired.delete(use);
  return unpaired;
}

function flawOfText({ text }: JsonObject): string | undefined {
  return typeof text === 'string' ? undefined : 'the text block has no text';
}

function flawOfUse(block: JsonObject): string | undefined {
  if (!isFilled(block.name)) return 'the call names no tool';
  return isObject(block.input) ? undefined : 'the input of the call is not an object';
}

function flawOfResult({ content, is_error }: JsonObject): string | undefined {
  if (is_error !== undefined && typeof is_error !== 'boolean') return 'is_error is neither true nor false';
  if (is_error === true && saysNothing(content)) return 'the result says that it failed, and nothing else';
  if (content === undefined || typeof content === 'string') return undefined;
  if (!Array.isArray(content)) return 'the content of the result is neither text nor a list';
  for (const part of content) {
    const flaw = flawInResult(part);
    if (flaw !== undefined) return `in the result, ${flaw}`;
  }
  const isMixed = is_error === true && !isListOf(content, 'text');
  return isMixed ? 'the result says that it failed, and holds something else than text' : undefined;
}

function saysNothing(content: Json | undefined): boolean {
  return content === undefined || content === '' || (Array.isArray(content) && content.length === 0);
}

function flawOfSource({ type, source }: JsonObject): string | undefined {
  const known = isObject(source) && SOURCES.get(asString(source.type) ?? '')?.(source);
  return known ? undefined : `the ${asString(type)} has no source`;
}

const SOURCES: ReadonlyMap<string, (source: JsonObject) => boolean> = new Map([
  ['base64', (source: JsonObject) => isFilled(source.media_type) && isFilled(source.data)],
  ['text', (source: JsonObject) => isFilled(source.media_type) && isFilled(source.data)],
  ['url', (source: JsonObject) => isFilled(source.url)],
  ['file', (source: JsonObject) => isFilled(source.file_id)],
  ['content', (source: JsonObject) => isFilled(source.content) || isListOf(source.content, 'text', 'image')],
]);

function isFilled(value: Json | undefined): boolean {
  return typeof value === 'string' && value !== '';
}

function isListOf(value: Json | undefined, ...types: string[]): boolean {
  const list = asArray(value) ?? [];
  return list.length > 0 && list.every((item) => isObject(item) && types.includes(asString(item.type) ?? ''));
}
