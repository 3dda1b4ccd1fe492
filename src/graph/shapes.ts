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

/** `web_search_tool_result` and the like: answers that the API gave itself. */
function isServerResult(block: Json): boolean {
  if (!isObject(block) || !asString(block.type)?.endsWith('_tool_result')) return false;
  return isFilled(block.tool_use_id) && block.content !== undefined && block.content !== null;
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
  if (content === undefined || typeof content === 'string') return undefined;
  if (!Array.isArray(content)) return 'the content of the result is neither text nor a list';
  for (const part of content) {
    const flaw = flawInResult(part);
    if (flaw !== undefined) return `in the result, ${flaw}`;
  }
  return undefined;
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
