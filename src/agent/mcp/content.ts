/** What a tool of a server answered, as the model is told and as the published client records it. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { asObject, type Json, type JsonObject, parseJson } from '../../format/json.ts';
import { pictureBlock } from '../tools/files/images.ts';

export interface ContentHost {
  /** The server's name. */
  readonly server: string;
  /** Keeps bytes in a file of the session; gives its path. */
  readonly keep: (bytes: Uint8Array, mimeType: string) => string;
}

const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** Structured content stands for the words; pictures stay beside it. */
export function blocksOf(result: CallToolResult, host: ContentHost): string | JsonObject[] {
  const blocks = result.content.flatMap((block) => blockOf(block, host)).filter((block) => !isBlank(block));
  if (result.structuredContent === undefined) return blocks;
  const words = JSON.stringify(result.structuredContent) ?? 'null';
  const pictures = result.content.some(({ type }) => type === 'image')
    ? result.content.flatMap((block) => (block.type === 'image' ? blockOf(block, host) : []))
    : [];
  return pictures.length === 0 ? words : [...pictures, { type: 'text', text: words }];
}

function isBlank({ type, text }: JsonObject): boolean {
  return type === 'text' && typeof text === 'string' && text.trim() === '';
}

export function blockOf(block: ContentBlock, host: ContentHost): JsonObject[] {
  const { server } = host;
  switch (block.type) {
    case 'text':
      return [textBlock(block.text)];
    case 'image':
      return imageOf(block.data, block.mimeType, host, `[Image from ${server}] `);
    case 'audio':
      return [textBlock(`[Audio from ${server}] ${keptWords(block.data, block.mimeType, host)}`)];
    case 'resource_link': {
      const about = block.description === undefined ? '' : ` (${block.description})`;
      return [textBlock(`[Resource link: ${block.name}] ${block.uri}${about}`)];
    }
    case 'resource': {
      const { resource } = block;
      const from = `[Resource from ${server} at ${resource.uri}] `;
      if ('text' in resource) return [textBlock(`${from}${resource.text}`)];
      const type = resource.mimeType ?? 'application/octet-stream';
      return IMAGES.has(type)
        ? [textBlock(from), ...imageOf(resource.blob, type, host, '')]
        : [textBlock(`${from}${keptWords(resource.blob, type, host)}`)];
    }
  }
}

function textBlock(text: string): JsonObject {
  return { type: 'text', text };
}

function imageOf(data: string, mimeType: string, host: ContentHost, from: string): JsonObject[] {
  const image = IMAGES.has(mimeType) ? pictureBlock(Buffer.from(data, 'base64')) : undefined;
  if (image === undefined) return [textBlock(`${from}${keptWords(data, mimeType, host)}`)];
  try {
    const path = host.keep(Buffer.from(data, 'base64'), mimeType);
    return [image, textBlock(`[Image: source: ${path}]`)];
  } catch {
    return [image];
  }
}

/** Bytes that no model reads lie in a file. */
export function keptWords(data: string, mimeType: string, host: ContentHost): string {
  const bytes = Buffer.from(data, 'base64');
  const what = `Binary content (${mimeType}, ${bytes.length} bytes)`;
  try {
    return `${what} saved to ${host.keep(bytes, mimeType)}`;
  } catch (error) {
    return `${what} could not be saved: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** What a server says of an error: its words. */
export function errorWords({ content }: CallToolResult): string {
  const words = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return words.join('\n').trim() || 'The tool failed without a word.';
}

/** Fields of the result's line beside `toolUseResult`. */
export function besideResult(result: CallToolResult, readOnlyHint: boolean | undefined): JsonObject {
  const meta: JsonObject = {
    ...(result._meta && { _meta: plain(result._meta) }),
    ...(result.structuredContent !== undefined && { structuredContent: plain(result.structuredContent) }),
  };
  return {
    ...(Object.keys(meta).length > 0 && { mcpMeta: meta }),
    ...(readOnlyHint === undefined && { mcpCallNotReadOnly: 'no_hint' }),
  };
}

export function plain(value: unknown): Json {
  return parseJson(JSON.stringify(value) ?? 'null') ?? null;
}

export function plainObject(value: unknown): JsonObject {
  return asObject(plain(value)) ?? {};
}
