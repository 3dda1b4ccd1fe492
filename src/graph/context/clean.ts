/** Where the client would send what the API refuses, the API's rules win (A4, A5, A8). */
import { isBlank, isSigned, isThinking, textBlock } from './blocks.ts';
import type { Built } from './build.ts';
import { NO_CONTENT } from './pair.ts';
import type { ApiMessage } from './types.ts';

export function cleanMessages(built: readonly Built[]): ApiMessage[] {
  const messages = built.flatMap((message) => (message.role === 'user' ? cleanUser(message) : cleanAssistant(message)));
  const first = messages.findIndex((message) => message.role === 'user');
  return first < 0 ? [] : messages.slice(first);
}

/** R14, R15: an emptied list of blocks says that it is empty; an empty string is no message at all. */
function cleanUser({ content, plain }: Built): ApiMessage[] {
  const kept = content.filter((block) => !isBlank(block));
  if (kept.length > 0) return [{ role: 'user', content: kept }];
  return plain || content.length === 0 ? [] : [{ role: 'user', content: [textBlock(NO_CONTENT)] }];
}

function cleanAssistant({ content }: Built): ApiMessage[] {
  const kept = content.filter((block) => !isBlank(block) && (!isThinking(block) || isSigned(block)));
  if (kept.length > 0) return [{ role: 'assistant', content: kept }];
  return content.length > 0 ? [] : [{ role: 'assistant', content: [textBlock(NO_CONTENT)] }];
}
