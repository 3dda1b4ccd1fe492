/** E4: a message whose lines stand on both sides of a turn start is listed once, in the turn of its first line. */
import type { InputKind } from '../format/prompt.ts';
import { createIdIndex } from './idindex.ts';
import { joinMessages } from './messages.ts';
import type { Message } from './types.ts';

interface Spoken {
  /** How the turn starts. */
  readonly kind: InputKind;
  /** Merged from the lines of this turn alone. */
  readonly messages: readonly Message[];
}

/**
 * Ids come again in scripted sessions, so an id alone does not reach over what a person typed (R10), and with its request
 * only back to the last thing said. A prompt that was absorbed into the running turn parts nothing.
 */
export function listOnce(turns: readonly Spoken[], requests: ReadonlyMap<string, string>): Message[][] {
  let running = createIdIndex<Message[]>();
  let last: Message[] | undefined;
  const lists = turns.map(({ kind, messages }) => {
    if (kind !== 'queued') running = createIdIndex();
    const before = last;
    return messages.flatMap((message) => {
      const key = message.id ?? message.requestId;
      const known = key === undefined ? undefined : running.find(key, message.requestId);
      const parts = known ?? (before?.some((part) => isOne(part, message)) ? before : []);
      const isNew = parts.length === 0;
      parts.push(message);
      if (key !== undefined) running.add(key, message.requestId, parts);
      last = parts;
      return isNew ? [parts] : [];
    });
  });
  return lists.map((list) => list.map((parts) => joinMessages(parts, requests)));
}

function isOne(a: Message, b: Message): boolean {
  return a.id !== undefined && a.requestId !== undefined && a.id === b.id && a.requestId === b.requestId;
}
