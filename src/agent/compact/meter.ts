/** How long the conversation is: what the API counted at the last answer, and a guess of what came since. */
import type { JsonObject } from '../../format/json.ts';
import type { ApiMessage } from '../../graph/context/types.ts';
import { tokensUsed } from '../model/used.ts';

export interface Meter {
  /** An answer came to a request of so many messages. */
  counted(usage: JsonObject, messages: number): void;
  /** The conversation was compacted: nothing is known until the next answer. */
  compacted(): void;
  measure(messages: readonly ApiMessage[]): Measured;
}

export interface Measured {
  readonly tokens: number;
  /** No answer has counted it yet. */
  readonly isGuess: boolean;
  /** Compacted, and not asked since. */
  readonly isFresh: boolean;
  /** What was left at the first answer after a compaction: below that it gets no shorter. */
  readonly least: number;
}

/** `usage`: of the last answer that a session holds which is gone on with. */
export function createMeter(usage: JsonObject = {}): Meter {
  const before = tokensUsed(usage);
  let last: { readonly tokens: number; readonly messages?: number } | undefined =
    before > 0 ? { tokens: before } : undefined;
  let isFresh = false;
  let least = 0;
  return {
    counted: (used, messages) => {
      const tokens = tokensUsed(used);
      if (tokens === 0) return;
      last = { tokens, messages };
      if (isFresh) least = tokens;
      isFresh = false;
    },
    compacted: () => {
      last = undefined;
      isFresh = true;
    },
    measure: (messages) => {
      // The answer itself stands right after what it answers, and was counted with it.
      const answer = last?.messages ?? messages.findLastIndex(({ role }) => role === 'assistant');
      const since = last === undefined ? messages : messages.slice(answer + 1);
      return { tokens: (last?.tokens ?? 0) + roughly(since), isGuess: last === undefined, isFresh, least };
    },
  };
}

const CHARS_PER_TOKEN = 4;
/** Their data is long, what they take is not. */
const MEDIA_TOKENS = 1600;

export function roughly(messages: readonly ApiMessage[]): number {
  if (messages.length === 0) return 0;
  let media = 0;
  const text = JSON.stringify(messages, (key, value: unknown) => {
    if (key !== 'data' || typeof value !== 'string') return value;
    media += 1;
    return '';
  });
  return Math.round(text.length / CHARS_PER_TOKEN) + media * MEDIA_TOKENS;
}
