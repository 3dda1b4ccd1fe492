/** A5: thinking without a signature is never sent, and a client that tries is refused: a copy leaves it out. */
import { rawContentOf } from '../format/content.ts';
import { type Entry, jsonOf } from '../format/entry.ts';
import { asArray, asObject, isObject, type Json, type JsonObject } from '../format/json.ts';
import type { Part } from './chain.ts';

/** The part without such thinking; nothing when that is all it holds. */
export function withoutUnsigned(part: Part): Part | undefined {
  const { entry, change } = part;
  if (entry === undefined || !part.linked || !mayThink(entry)) return part;
  const content = asArray(rawContentOf(jsonOf(entry) ?? {})) ?? [];
  if (!content.some(isUnsigned)) return part;
  if (content.every(isUnsigned)) return undefined;
  return { ...part, change: (value) => strip(change === undefined ? value : change(value)) };
}

function mayThink({ kind, head }: Entry): boolean {
  return kind === 'assistant' && head.blocks.some(({ type }) => type === 'thinking');
}

function isUnsigned(block: Json): boolean {
  return (
    isObject(block) && block.type === 'thinking' && (typeof block.signature !== 'string' || block.signature === '')
  );
}

function strip(value: JsonObject): JsonObject {
  const message = asObject(value.message);
  const content = asArray(message?.content);
  if (content !== undefined)
    return { ...value, message: { ...message, content: content.filter((block) => !isUnsigned(block)) } };
  return { ...value, content: (asArray(value.content) ?? []).filter((block) => !isUnsigned(block)) };
}
