/** Token counts of one API message as the client records them (E16). */
import { asNumber, asObject, asString, at, isObject, type Json, type JsonObject } from './json.ts';

export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheCreation: number;
  readonly cacheRead: number;
  /** Cache writes by lifetime, where the client recorded them. */
  readonly cacheCreation5m?: number;
  readonly cacheCreation1h?: number;
  readonly webSearches?: number;
  readonly webFetches?: number;
  readonly serviceTier?: string;
  /** Another speed than the usual one: `fast`. */
  readonly speed?: string;
  /** Where it had to be answered, if that was asked for: `us`. */
  readonly inferenceGeo?: string;
  /** The requests the counts above are the sum of, where there were several: each is priced by its own size. */
  readonly rounds?: readonly Usage[];
  /** What the service did besides to answer the request; no part of the counts above. */
  readonly besides?: readonly BesidesUsage[];
}

/** A second model that was asked for advice, or a summary that was made on the way. */
export interface BesidesUsage {
  readonly what: 'advisor' | 'compaction';
  /** Where it is not that of the message. */
  readonly model?: string;
  readonly usage: Usage;
}

export function usageOf(usage: Json | undefined): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const lifetimes = asObject(usage.cache_creation);
  const cacheCreation5m = countOf(lifetimes?.ephemeral_5m_input_tokens);
  const cacheCreation1h = countOf(lifetimes?.ephemeral_1h_input_tokens);
  const counted: Usage = {
    input: countOf(usage.input_tokens) ?? 0,
    output: countOf(usage.output_tokens) ?? 0,
    // Some tell the parts alone.
    cacheCreation: Math.max(
      countOf(usage.cache_creation_input_tokens) ?? 0,
      (cacheCreation5m ?? 0) + (cacheCreation1h ?? 0),
    ),
    cacheRead: countOf(usage.cache_read_input_tokens) ?? 0,
    cacheCreation5m,
    cacheCreation1h,
    webSearches: countOf(at(usage.server_tool_use, 'web_search_requests')),
    webFetches: countOf(at(usage.server_tool_use, 'web_fetch_requests')),
    serviceTier: asString(usage.service_tier),
    speed: unless(USUAL_SPEEDS, asString(usage.speed)),
    inferenceGeo: unless(ANYWHERE, asString(usage.inference_geo)),
  };
  // Most lines tell of none: of very many the look itself would take time.
  if (usage.iterations === undefined) return counted;
  return { ...counted, rounds: roundsIn(usage, counted), besides: besidesIn(usage) };
}

const COUNTED = ['input', 'output', 'cacheCreation', 'cacheRead'] as const;

/** undefined where there was one, or where they do not come to what the message counts. */
function roundsIn({ iterations }: JsonObject, counted: Usage): Usage[] | undefined {
  if (!Array.isArray(iterations) || iterations.length < 2) return undefined;
  const own = iterations.filter((each) => asObject(each) && (at(each, 'type') ?? 'message') === 'message');
  const rounds = own.flatMap((each) => usageOf({ ...asObject(each), iterations: undefined }) ?? []);
  const sumOf = (name: (typeof COUNTED)[number] | 'cacheCreation1h') =>
    rounds.reduce((sum, round) => sum + (round[name] ?? 0), 0);
  if (rounds.length < 2 || COUNTED.some((name) => sumOf(name) !== counted[name])) return undefined;
  const written1h = counted.cacheCreation1h ?? 0;
  if (sumOf('cacheCreation1h') === written1h) return rounds;
  // Only the message tells for how long; that can be said of each where it holds for all.
  return written1h === counted.cacheCreation
    ? rounds.map((round) => ({ ...round, cacheCreation1h: round.cacheCreation }))
    : undefined;
}

/** Rounds of the message itself are part of its counts, and attempts of a model that another stood in for are not charged. */
function besidesIn({ iterations, service_tier, inference_geo, speed }: JsonObject): BesidesUsage[] | undefined {
  if (!Array.isArray(iterations) || iterations.length === 0) return undefined;
  const found = iterations.flatMap((each): BesidesUsage[] => {
    const round = asObject(each);
    const what =
      round?.type === 'advisor_message' ? 'advisor' : round?.type === 'compaction' ? 'compaction' : undefined;
    if (what === undefined) return [];
    const ofRequest = { service_tier, inference_geo, ...(what === 'compaction' && { speed }) };
    const usage = usageOf({ ...ofRequest, ...round, iterations: undefined });
    return usage === undefined ? [] : [{ what, model: asString(round?.model), usage }];
  });
  return found.length === 0 ? undefined : found;
}

const USUAL_SPEEDS = new Set(['', 'standard']);
const ANYWHERE = new Set(['', 'global', 'not_available']);

function unless(usual: ReadonlySet<string>, value: string | undefined): string | undefined {
  return value === undefined || usual.has(value) ? undefined : value;
}

/** More than any message can have: one number that is none must not spoil all sums. */
const MOST = 1e12;

/** A count as it was told; undefined when it can be none. */
export function countOf(value: Json | undefined): number | undefined {
  const count = asNumber(value);
  return count !== undefined && Number.isInteger(count) && count >= 0 && count < MOST ? count : undefined;
}

/** In dollars: nothing that is told of costs as much. */
const DEAREST = 1e6;

/** A cost as it was told, in dollars; undefined when it can be none. */
export function dollarsOf(value: Json | undefined): number | undefined {
  const cost = asNumber(value);
  return cost !== undefined && cost >= 0 && cost < DEAREST ? cost : undefined;
}
