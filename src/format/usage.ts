/** Token counts of one API message as the client records them (E16). */
import { asNumber, asObject, asString, at, isObject, type Json } from './json.ts';

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
}

export function usageOf(usage: Json | undefined): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const lifetimes = asObject(usage.cache_creation);
  return {
    input: countOf(usage.input_tokens) ?? 0,
    output: countOf(usage.output_tokens) ?? 0,
    cacheCreation: countOf(usage.cache_creation_input_tokens) ?? 0,
    cacheRead: countOf(usage.cache_read_input_tokens) ?? 0,
    cacheCreation5m: countOf(lifetimes?.ephemeral_5m_input_tokens),
    cacheCreation1h: countOf(lifetimes?.ephemeral_1h_input_tokens),
    webSearches: countOf(at(usage.server_tool_use, 'web_search_requests')),
    webFetches: countOf(at(usage.server_tool_use, 'web_fetch_requests')),
    serviceTier: asString(usage.service_tier),
  };
}

/** More than any message can have: one number that is none must not spoil all sums. */
const MOST = 1e12;

function countOf(value: Json | undefined): number | undefined {
  const count = asNumber(value);
  return count !== undefined && count >= 0 && count < MOST ? count : undefined;
}
