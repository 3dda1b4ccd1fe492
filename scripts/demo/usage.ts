/** Token counts that hang together: what was sent before comes from the cache, what is new is written to it. */
import type { JsonObject } from '../../src/format/json.ts';

export interface Meter {
  /** Tokens before the first prompt. */
  readonly base: number;
  /** Tokens of the conversation that the next request sends. */
  context: number;
  /** Tokens of the last request that the provider still holds. */
  cached: number;
  cachedAt: number;
}

export interface Usage {
  readonly input: number;
  readonly cacheCreation: number;
  readonly cacheRead: number;
  readonly output: number;
  readonly thinking: number;
}

/** The provider forgets a prefix that was not used for five minutes. */
const CACHE_LIFETIME = 300_000;

export function createMeter(base: number): Meter {
  return { base, context: base, cached: 0, cachedAt: 0 };
}

export function estimateTokens(text: string): number {
  const wide = [...text].filter((char) => char > '\u2e7f').length;
  return Math.ceil((text.length - wide) / 3.5 + wide * 0.9);
}

/** Counts one request and moves the meter on. */
export function countRequest(meter: Meter, fresh: number, output: number, thinking: number, time: number): Usage {
  const alive = time - meter.cachedAt <= CACHE_LIFETIME;
  const cacheRead = alive ? Math.min(meter.cached, meter.context - fresh) : 0;
  const usage = { input: fresh, cacheCreation: meter.context - fresh - cacheRead, cacheRead, output, thinking };
  meter.cached = meter.context - fresh;
  meter.cachedAt = time;
  // Thinking is not sent again once its turn is over; counting it out at once is near enough.
  meter.context += output - thinking;
  return usage;
}

export function totalOf(usage: Usage): number {
  return usage.input + usage.cacheCreation + usage.cacheRead + usage.output;
}

/** US dollars for a million tokens, input and output. */
const PRICES: Record<string, readonly [number, number]> = {
  'claude-opus-4-5-20251101': [5, 25],
  'claude-sonnet-4-5-20250929': [3, 15],
  'claude-haiku-4-5-20251001': [1, 5],
  'claude-sonnet-4-20250514': [3, 15],
};

function costOf(model: string, usage: Usage): number {
  const [input, output] = PRICES[model] ?? [0, 0];
  const weighted = usage.input + usage.cacheCreation * 1.25 + usage.cacheRead * 0.1;
  return (weighted * input + usage.output * output) / 1_000_000;
}

/** Totals of a session with its sub-agents, as `cost-state` has them. */
export interface Ledger {
  readonly models: Map<string, Usage & { cost: number }>;
  apiMs: number;
  toolMs: number;
  linesAdded: number;
  linesRemoved: number;
}

export function createLedger(): Ledger {
  return { models: new Map(), apiMs: 0, toolMs: 0, linesAdded: 0, linesRemoved: 0 };
}

export function book(ledger: Ledger, model: string, usage: Usage): void {
  const was = ledger.models.get(model) ?? { input: 0, cacheCreation: 0, cacheRead: 0, output: 0, thinking: 0, cost: 0 };
  ledger.models.set(model, {
    input: was.input + usage.input,
    cacheCreation: was.cacheCreation + usage.cacheCreation,
    cacheRead: was.cacheRead + usage.cacheRead,
    output: was.output + usage.output,
    thinking: was.thinking + usage.thinking,
    cost: was.cost + costOf(model, usage),
  });
}

export function costState(ledger: Ledger, sessionId: string, startTime: number, endTime: number): JsonObject {
  const modelUsage: JsonObject = {};
  let total = 0;
  for (const [model, usage] of ledger.models) {
    total += usage.cost;
    modelUsage[model] = {
      inputTokens: usage.input,
      outputTokens: usage.output,
      thinkingTokens: usage.thinking,
      cacheReadInputTokens: usage.cacheRead,
      cacheCreationInputTokens: usage.cacheCreation,
      cacheCreationEphemeral5mInputTokens: usage.cacheCreation,
      cacheCreationEphemeral1hInputTokens: 0,
      webSearchRequests: 0,
      costUSD: round(usage.cost),
    };
  }
  return {
    type: 'cost-state',
    sessionId,
    totalCostUSD: round(total),
    totalAPIDuration: ledger.apiMs,
    totalAPIDurationWithoutRetries: ledger.apiMs,
    totalToolDuration: ledger.toolMs,
    totalLinesAdded: ledger.linesAdded,
    totalLinesRemoved: ledger.linesRemoved,
    totalDuration: endTime - startTime,
    startTime,
    modelUsage,
    hasUnknownModelCost: false,
  };
}

function round(cost: number): number {
  return Math.round(cost * 1_000_000) / 1_000_000;
}
