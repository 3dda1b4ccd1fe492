/** Prices as they were looked up, kept as JSON under the version of their table: another table knows others. */
import { asArray, asNumber, asObject, type Json, type JsonObject, parseJson } from '../../format/json.ts';
import { TABLE } from './pricetable.ts';
import type { Rates } from './rates.ts';

/** Prices as older versions kept them know nothing of fast mode, or of cache writes for an hour at the clouds. */
const KEPT_AS = `${TABLE.version}/3`;

/** By model; undefined for one that the table does not know. */
export type KnownRates = Map<string, Rates | undefined>;

export function toKnownRates(kept: Json | undefined): KnownRates {
  const rates = Object.entries(asObject(asObject(kept)?.[KEPT_AS]) ?? {});
  return new Map(rates.map(([model, each]) => [model, toRates(each)]));
}

export function fromKnownRates(known: KnownRates): JsonObject {
  const rates = [...known].map(([model, each]) => [model, parseJson(JSON.stringify(each ?? null)) ?? null]);
  return { [KEPT_AS]: Object.fromEntries(rates) };
}

function toRates(json: Json | undefined): Rates | undefined {
  const rates = asObject(json);
  const input = toRate(rates?.input);
  const output = toRate(rates?.output);
  if (rates === undefined || input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    cacheWrite: toRate(rates.cacheWrite),
    cacheWrite1h: toRate(rates.cacheWrite1h),
    cacheRead: toRate(rates.cacheRead),
    webSearches: toRate(rates.webSearches),
    fast: asNumber(rates.fast),
    usOnly: asNumber(rates.usOnly),
  };
}

function toRate(json: Json | undefined): Rates['input'] | undefined {
  if (typeof json === 'number') return json;
  const base = asNumber(asObject(json)?.base);
  const tiers = asArray(asObject(json)?.tiers)?.map((tier) => ({
    start: asNumber(asObject(tier)?.start) ?? 0,
    price: asNumber(asObject(tier)?.price) ?? 0,
  }));
  return base === undefined || tiers === undefined ? undefined : { base, tiers };
}
