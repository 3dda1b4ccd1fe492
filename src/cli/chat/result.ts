/** The `result` of a turn, as `--output-format json` and stream-json print it. */
import { randomUUID } from 'node:crypto';
import type { TurnEnd } from '../../agent/ports.ts';
import { addUsage } from '../../agent/turn/tally.ts';
import { asNumber, asObject, type JsonObject } from '../../format/json.ts';

/** What a process has used so far; the published client tells the sums of all its turns. */
export interface Totals {
  costUSD: number;
  apiMs: number;
  readonly usage: Record<string, JsonObject>;
}

export interface ResultFacts {
  readonly sessionId: string;
  readonly stopReason: string | null;
  /** As the client counts; else the answers of the model. */
  readonly turns?: number;
  /** Of the session itself, where its agents are not to be counted. */
  readonly usage?: JsonObject;
  readonly maxTurns?: number;
  readonly maxBudgetUSD?: number;
  /** Of a model, where known. */
  readonly limits: (model: string) => JsonObject;
}

export function newTotals(): Totals {
  return { costUSD: 0, apiMs: 0, usage: {} };
}

/** What a session that is gone on with has used before; `saved` is its last `cost-state`. */
export function addSaved(totals: Totals, saved: JsonObject | undefined): void {
  totals.costUSD += asNumber(saved?.totalCostUSD) ?? 0;
  totals.apiMs += asNumber(saved?.totalAPIDuration) ?? 0;
  for (const [model, value] of Object.entries(asObject(saved?.modelUsage) ?? {})) {
    const used = asObject(value);
    const count = (name: string) => asNumber(used?.[name]) ?? 0;
    totals.usage[model] = {
      input_tokens: count('inputTokens'),
      output_tokens: count('outputTokens'),
      cache_read_input_tokens: count('cacheReadInputTokens'),
      cache_creation_input_tokens: count('cacheCreationInputTokens'),
      server_tool_use: { web_search_requests: count('webSearchRequests') },
      costUSD: count('costUSD'),
    };
  }
}

export function addTurn(totals: Totals, end: TurnEnd): void {
  totals.costUSD += end.costUSD;
  totals.apiMs += end.apiMs;
  for (const [model, usage] of Object.entries(end.usage)) {
    totals.usage[model] = addUsage(totals.usage[model] ?? {}, usage);
  }
}

/** Over all models; what it costs is told apart. */
export function sumUsage(usage: TurnEnd['usage']): JsonObject {
  const { costUSD: _, ...sum } = Object.values(usage).reduce(addUsage, {});
  return sum;
}

/** A turn that did not come to its end is an error. */
export function isError({ reason }: TurnEnd): boolean {
  return reason !== 'end_turn' && reason !== 'stopped';
}

export function resultMessage(end: TurnEnd, totals: Totals, facts: ResultFacts): JsonObject {
  const usage = facts.usage ?? sumUsage(end.usage);
  return {
    type: 'result',
    ...outcomeOf(end, facts),
    duration_ms: end.durationMs,
    duration_api_ms: Math.round(totals.apiMs),
    num_turns: facts.turns ?? end.rounds,
    stop_reason: facts.stopReason,
    session_id: facts.sessionId,
    total_cost_usd: totals.costUSD,
    usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0, ...usage },
    modelUsage: Object.fromEntries(
      Object.entries(totals.usage).map(([model, used]) => [model, modelUsage(model, used, facts)]),
    ),
    permission_denials: [...end.denials].map((denial) => ({ ...denial })),
    ...(end.output !== undefined && { structured_output: end.output }),
    ...terminalReason(end, facts.stopReason),
    uuid: randomUUID(),
  };
}

/** Limits are errors of their own; a failure of the model is told as its answer. */
function outcomeOf(end: TurnEnd, { maxTurns, maxBudgetUSD }: ResultFacts): JsonObject {
  const words = failureWords(end, { maxTurns, maxBudgetUSD });
  const subtypes: Partial<Record<TurnEnd['reason'], string>> = {
    max_turns: 'error_max_turns',
    budget: 'error_max_budget_usd',
    interrupted: 'error_during_execution',
  };
  const subtype = subtypes[end.reason];
  if (subtype !== undefined) return { subtype, is_error: true, errors: [words ?? ''] };
  const status = end.failure?.status ?? null;
  return { subtype: 'success', is_error: isError(end), api_error_status: status, result: words ?? end.text };
}

/** Why a turn did not end well, for a person. */
export function failureWords(end: TurnEnd, limits: Pick<ResultFacts, 'maxTurns' | 'maxBudgetUSD'>): string | undefined {
  if (end.reason === 'max_turns') return `Reached maximum number of turns (${limits.maxTurns})`;
  if (end.reason === 'budget') return `Reached maximum budget ($${limits.maxBudgetUSD})`;
  if (end.reason === 'interrupted') return 'Interrupted';
  if (end.failure !== undefined) return failureText(end.failure);
  if (end.reason === 'refusal') return end.text || 'The model refused to answer.';
  if (end.reason === 'max_tokens') return end.text || 'The answer was cut: it reached the most tokens it may have.';
  return end.reason === 'failed' ? end.text || 'The turn failed.' : undefined;
}

function failureText({ status, message, requestId }: NonNullable<TurnEnd['failure']>): string {
  const request = requestId === undefined ? '' : ` (request ${requestId})`;
  return status === undefined ? message : `API Error: ${status} ${message}${request}`;
}

/** A prompt that a hook refused began no turn that could end. */
function terminalReason({ reason, rounds }: TurnEnd, stopReason: string | null): JsonObject {
  if (reason === 'stopped' && rounds === 0) return {};
  if (reason === 'interrupted' && stopReason === 'tool_use') return { terminal_reason: 'aborted_tools' };
  const names: Readonly<Record<TurnEnd['reason'], string>> = {
    end_turn: 'completed',
    stopped: 'completed',
    max_turns: 'max_turns',
    budget: 'budget_exhausted',
    interrupted: 'aborted_streaming',
    max_tokens: 'api_error',
    refusal: 'api_error',
    failed: 'api_error',
  };
  return { terminal_reason: names[reason] };
}

function modelUsage(model: string, used: JsonObject, { limits }: ResultFacts): JsonObject {
  const count = (name: string) => asNumber(used[name]) ?? 0;
  return {
    inputTokens: count('input_tokens'),
    outputTokens: count('output_tokens'),
    cacheReadInputTokens: count('cache_read_input_tokens'),
    cacheCreationInputTokens: count('cache_creation_input_tokens'),
    webSearchRequests: asNumber(asObject(used.server_tool_use)?.web_search_requests) ?? 0,
    costUSD: count('costUSD'),
    ...limits(model),
  };
}
