/** What a person asked for, word by word, with the text of a command that was called. */
import { asString, type JsonObject } from '../../format/json.ts';
import type { TurnPrompt } from '../ports.ts';

export function wordsAsked({ content, typed, follow = [] }: Pick<TurnPrompt, 'content' | 'typed' | 'follow'>): string {
  const more = follow.flatMap((each) => (each.kind === 'meta' ? [wordsIn(each.content)] : []));
  return [typed ?? wordsIn(content), ...more].join('\n\n');
}

function wordsIn(content: string | readonly JsonObject[]): string {
  if (typeof content === 'string') return content;
  return content.map((block) => asString(block.text) ?? `[${asString(block.type) ?? 'something'}]`).join('\n');
}
