/** Where the API is asked to keep what it read: all up to a mark is found again by the next request that begins alike. */
import type { JsonObject } from '../../format/json.ts';
import type { ApiMessage } from '../../graph/context/types.ts';

const MARK = { cache_control: { type: 'ephemeral' } } as const;

/** Two of the four marks a request may have; system and tools take the others. The one before the last finds what the last request wrote. */
const MARKED_MESSAGES = 2;

export function markLast(blocks: readonly JsonObject[]): JsonObject[] {
  const last = blocks.findLastIndex(canBeMarked);
  return blocks.map((block, i) => (i === last ? { ...block, ...MARK } : block));
}

/** Marks of others are taken off: together they might be too many. What needs no change stays the very same object. */
export function markMessages(messages: readonly ApiMessage[], marks = MARKED_MESSAGES): ApiMessage[] {
  const made = messages.map(withoutMarks);
  let left = marks;
  for (let i = made.length - 1; i >= 0 && left > 0; i -= 1) {
    const message = made[i];
    if (message?.role !== 'user' || !message.content.some(canBeMarked)) continue;
    made[i] = { role: message.role, content: markLast(message.content) };
    left -= 1;
  }
  return made;
}

function withoutMarks(message: ApiMessage): ApiMessage {
  const { role, content } = message;
  if (!content.some((block) => block.cache_control !== undefined)) return message;
  return { role, content: content.map(({ cache_control: _, ...block }) => block) };
}

function canBeMarked({ type, text }: JsonObject): boolean {
  return type !== 'thinking' && type !== 'redacted_thinking' && text !== '';
}
