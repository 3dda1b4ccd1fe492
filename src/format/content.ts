/** Content blocks of a message: string or array, `message.content` or top-level `content` (E15). Unknown blocks are data. */
import { asArray, asObject, asString, isObject, type Json, type JsonObject } from './json.ts';

export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
}
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  /** May be empty in files of third-party backends (E16). */
  readonly signature: string;
}
export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}
export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: Json;
}
export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  /** A string or an array of blocks, as written. */
  readonly content: Json | undefined;
  readonly isError: boolean;
}
export interface ImageBlock {
  readonly type: 'image';
  readonly mediaType: string | undefined;
  /** base64 */
  readonly data: string | undefined;
}
export interface OtherBlock {
  readonly type: 'other';
  readonly name: string;
}

/** A block with what is known of it, and the block as written. */
export type Block = (
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock
  | OtherBlock
) & { readonly raw: JsonObject };

/** The content as written: nested wins over top-level. */
export function rawContentOf(entry: JsonObject): Json | undefined {
  return asObject(entry.message)?.content ?? entry.content;
}

/** The blocks of an entry. A string is one text block; empty blocks are kept; items that are not objects are passed over. */
export function blocksOf(entry: JsonObject): Block[] {
  return toBlocks(rawContentOf(entry));
}

export function toBlocks(content: Json | undefined): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, raw: { type: 'text', text: content } }];
  const blocks: Block[] = [];
  for (const each of asArray(content) ?? []) if (isObject(each)) blocks.push(toBlock(each));
  return blocks;
}

function toBlock(raw: JsonObject): Block {
  const type = asString(raw.type) ?? '';
  switch (type) {
    case 'text':
      return { type, text: asString(raw.text) ?? '', raw };
    case 'thinking':
      return { type, thinking: asString(raw.thinking) ?? '', signature: asString(raw.signature) ?? '', raw };
    case 'redacted_thinking':
      return { type, data: asString(raw.data) ?? '', raw };
    case 'tool_use':
      return { type, id: asString(raw.id) ?? '', name: asString(raw.name) ?? '', input: raw.input ?? {}, raw };
    case 'tool_result':
      return {
        type,
        toolUseId: asString(raw.tool_use_id) ?? '',
        content: raw.content,
        isError: raw.is_error === true,
        raw,
      };
    case 'image': {
      const source = asObject(raw.source);
      return { type, mediaType: asString(source?.media_type), data: asString(source?.data), raw };
    }
    default:
      return { type: 'other', name: type, raw };
  }
}

/** The text a person would read in a block or a tool result's content. */
export function plainText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return toBlocks(content)
    .map((block) => (block.type === 'text' ? block.text : ''))
    .filter((text) => text !== '')
    .join('\n');
}
