/** Where the client would send what the API refuses, the API's rules win (A4, A6, A8). */
import { invented, isBlank, isResult, NO_CONTENT, textBlock } from './blocks.ts';
import type { Built } from './build.ts';
import { NO_RESPONSE } from './close.ts';
import type { ApiMessage } from './types.ts';

/** Before calls are paired: what cannot be sent at all goes, and the first message is a user's. */
export function dropRefused(built: readonly Built[]): ApiMessage[] {
  const messages = built.flatMap((message) =>
    message.role === 'user' ? sendableUser(message) : sendableAssistant(message),
  );
  const first = messages.findIndex((message) => message.role === 'user');
  return first < 0 ? [] : messages.slice(first);
}

/** An entry whose whole content is an empty string is no message. */
function sendableUser({ content, plain }: Built): ApiMessage[] {
  return content.length === 0 || (plain && content.every(isBlank)) ? [] : [{ role: 'user', content }];
}

function sendableAssistant({ content, lostThinking }: Built): ApiMessage[] {
  const kept = content.filter((block) => !isBlank(block));
  if (kept.length > 0) return [{ role: 'assistant', content: kept }];
  return content.length > 0 || lostThinking ? [] : [{ role: 'assistant', content: [invented(NO_CONTENT)] }];
}

/** After calls are paired: blank text goes from lists of blocks, and what is left empty says so (R14, R15). */
export function dropBlanks(messages: readonly ApiMessage[]): ApiMessage[] {
  return messages.map((message) => {
    const content = message.content.filter((block) => !isBlank(block));
    if (content.length === message.content.length) return message;
    return { role: message.role, content: content.length > 0 ? content : [textBlock(NO_CONTENT)] };
  });
}

/**
 * A6: a tool loop must begin with its thinking as long as it is open. Where that thinking cannot be sent, the loop is closed
 * before the person's words, which then start a turn of their own.
 */
export function closeLoop(built: readonly Built[]): Built[] {
  const last = built.at(-1);
  const words = last?.content.filter((block) => !isResult(block)) ?? [];
  if (last?.role !== 'user' || words.length === 0 || words.length === last.content.length) return [...built];
  const before = built.findLastIndex((message) => message.role === 'user' && !message.content.some(isResult));
  const start = built.slice(before + 1).find((message) => message.role === 'assistant');
  if (!start?.lostThinking) return [...built];
  const made = { plain: false, lostThinking: false };
  return [
    ...built.slice(0, -1),
    { ...made, role: 'user', content: last.content.filter(isResult) },
    { ...made, role: 'assistant', content: [textBlock(NO_RESPONSE)] },
    { ...made, role: 'user', content: words },
  ];
}
