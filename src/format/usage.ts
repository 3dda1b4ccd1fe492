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
    input: asNumber(usage.input_tokens) ?? 0,
    output: asNumber(usage.output_tokens) ?? 0,
    cacheCreation: asNumber(usage.cache_creation_input_tokens) ?? 0,
    cacheRead: asNumber(usage.cache_read_input_tokens) ?? 0,
    cacheCreation5m: asNumber(lifetimes?.ephemeral_5m_input_tokens),
    cacheCreation1h: asNumber(lifetimes?.ephemeral_1h_input_tokens),
    webSearches: asNumber(at(usage.server_tool_use, 'web_search_requests')),
    webFetches: asNumber(at(usage.server_tool_use, 'web_fetch_requests')),
    serviceTier: asString(usage.service_tier),
  };
}
