/** What a session used and cost until now, as the client keeps it in `cost-state` lines. */
import { asNumber, asObject, type JsonObject } from '../../format/json.ts';
import type { Spent } from '../ports.ts';

/** `before` is the last line of the session, if it has one. */
export function addSpent(before: JsonObject | undefined, spent: Spent, startTime: number): JsonObject {
  const count = (key: string, more = 0): number => (asNumber(before?.[key]) ?? 0) + more;
  const modelUsage: JsonObject = { ...asObject(before?.modelUsage) };
  for (const [model, usage] of Object.entries(spent.usage ?? {})) {
    modelUsage[model] = addUsage(asObject(modelUsage[model]) ?? {}, usage);
  }
  return {
    totalCostUSD: count('totalCostUSD', spent.costUSD),
    totalAPIDuration: count('totalAPIDuration', spent.apiMs),
    totalAPIDurationWithoutRetries: count('totalAPIDurationWithoutRetries', spent.apiMs),
    totalToolDuration: count('totalToolDuration'),
    totalLinesAdded: count('totalLinesAdded'),
    totalLinesRemoved: count('totalLinesRemoved'),
    totalDuration: count('totalDuration', spent.durationMs),
    startTime: asNumber(before?.startTime) ?? startTime,
    modelUsage,
    hasUnknownModelCost:
      before?.hasUnknownModelCost === true || spent.costUSD === undefined || spent.isUnpriced === true,
  };
}

/** The client's name of each count, and the API's. */
const COUNTS = [
  ['inputTokens', 'input_tokens'],
  ['outputTokens', 'output_tokens'],
  ['cacheReadInputTokens', 'cache_read_input_tokens'],
  ['cacheCreationInputTokens', 'cache_creation_input_tokens'],
] as const;

function addUsage(before: JsonObject, usage: JsonObject): JsonObject {
  const made: JsonObject = { ...before };
  for (const [ours, theirs] of COUNTS) made[ours] = (asNumber(before[ours]) ?? 0) + (asNumber(usage[theirs]) ?? 0);
  const searches = asNumber(asObject(usage.server_tool_use)?.web_search_requests) ?? 0;
  made.webSearchRequests = (asNumber(before.webSearchRequests) ?? 0) + searches;
  made.costUSD = (asNumber(before.costUSD) ?? 0) + (asNumber(usage.costUSD) ?? 0);
  return made;
}
