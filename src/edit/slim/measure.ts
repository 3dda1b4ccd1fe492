/** What the lines of a context take, before and after: filled in as lines are written, each line once however often that is. */

import { rawContentOf } from '../../format/content.ts';
import type { Entry } from '../../format/entry.ts';
import { asString, type JsonObject } from '../../format/json.ts';
import { notesOf } from '../../graph/context/attachment.ts';
import { addTokens, countContent, noTokens, type TokenCounts, tokensOfText } from '../tokens.ts';

export interface Measure {
  add(entry: Entry, before: JsonObject | undefined, after: JsonObject | undefined): void;
  before(): TokenCounts;
  after(): TokenCounts;
}

export function createMeasure(): Measure {
  const lines = new Map<Entry, { before: TokenCounts; after: TokenCounts }>();
  const sum = (side: 'before' | 'after') => {
    const counts = noTokens();
    for (const line of lines.values()) addTokens(counts, line[side]);
    return counts;
  };
  return {
    add(entry, before, after) {
      const counted = tokensOfLine(entry, before);
      lines.set(entry, { before: counted, after: after === before ? counted : tokensOfLine(entry, after) });
    },
    before: () => sum('before'),
    after: () => sum('after'),
  };
}

function tokensOfLine({ kind, head }: Entry, value: JsonObject | undefined): TokenCounts {
  const counts = noTokens();
  if (value === undefined) return counts;
  if (kind === 'user') countContent('user', rawContentOf(value), counts);
  else if (kind === 'assistant') {
    if (!head.isApiErrorMessage) countContent('assistant', rawContentOf(value), counts);
  } else if (kind === 'attachment') {
    const texts = notesOf(value).flatMap(({ blocks }) => blocks.map((block) => asString(block.text) ?? ''));
    const isTyped = head.attachmentType === 'queued_command';
    counts[isTyped ? 'prompts' : 'attachments'] += texts.reduce((all, text) => all + tokensOfText(text), 0);
  } else if (head.subtype === 'local_command') counts.prompts += tokensOfText(asString(value.content) ?? '');
  return counts;
}
