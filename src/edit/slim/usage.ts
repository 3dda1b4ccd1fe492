/** What the API counted for the last answer, less what was removed: the client goes by it to decide when a context is full. */
import type { Entry } from '../../format/entry.ts';
import { asNumber, asObject, type JsonObject } from '../../format/json.ts';
import { recordedTokens, type TokenCounts, totalOf } from '../tokens.ts';

/** The lines of the answer whose counts a client looks at. */
export function lastCounted(sent: readonly Entry[]): {
  readonly tokens: number | undefined;
  readonly lines: ReadonlySet<Entry>;
} {
  for (let at = sent.length - 1; at >= 0; at -= 1) {
    const entry = sent[at];
    const tokens = entry === undefined ? undefined : recordedTokens([entry]);
    if (entry === undefined || tokens === undefined) continue;
    const id = entry.head.message?.id;
    const lines = sent.filter((each) => each === entry || (id !== undefined && each.head.message?.id === id));
    return { tokens, lines: new Set(lines) };
  }
  return { tokens: undefined, lines: new Set() };
}

/** The input tokens of a line's usage less so many. Where they came from is no longer known, so they count as not cached. */
export function withLessUsage(value: JsonObject, saved: number): JsonObject {
  const message = asObject(value.message);
  const usage = asObject(message?.usage);
  if (message === undefined || usage === undefined || saved <= 0) return value;
  const { cache_creation: _, ...rest } = usage;
  const input =
    (asNumber(usage.input_tokens) ?? 0) +
    (asNumber(usage.cache_creation_input_tokens) ?? 0) +
    (asNumber(usage.cache_read_input_tokens) ?? 0);
  const less = {
    ...rest,
    input_tokens: Math.max(1, input - saved),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
  return { ...value, message: { ...message, usage: less } };
}

export interface Counts {
  readonly before: TokenCounts;
  readonly after: TokenCounts;
}

export interface Tokens {
  /** As the API counted it for the last answer, with system prompt and tools, where it did. */
  readonly before: number;
  /** An estimate. */
  readonly after: number;
  readonly recorded: boolean;
}

export function tokensOf(counts: Counts, recorded: number | undefined): Tokens {
  const before = recorded ?? totalOf(counts.before);
  return { before, after: before - savedOf(counts, recorded), recorded: recorded !== undefined };
}

/** An estimate that is more than was counted is scaled down to it. */
export function savedOf({ before, after }: Counts, recorded: number | undefined): number {
  const all = totalOf(before);
  const scale = recorded === undefined || all <= recorded ? 1 : recorded / all;
  return Math.round((all - totalOf(after)) * scale);
}
