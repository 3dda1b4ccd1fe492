/** Prices of a day as they were looked up, kept as JSON under it and the version of their table: another table knows others. */
import { asArray, asNumber, asObject, type Json, type JsonObject, parseJson } from '../../format/json.ts';
import { TABLE } from './pricetable.ts';
import type { Rates } from './rates.ts';

/** What older versions kept is of no day. */
const keptAs = (day: string) => `${TABLE.version}/5/${day}`;

/** By model; undefined for one that the table does not know. */
export type KnownRates = Map<string, Rates | undefined>;

/** The day whose prices hold at a time. */
export function priceDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

export function toKnownRates(kept: Json | undefined, day: string): KnownRates {
  const rates = Object.entries(asObject(asObject(kept)?.[keptAs(day)]) ?? {});
  return new Map(rates.map(([model, each]) => [model, toRates(each)]));
}

/** Those that do not hold all day are left out. */
export function fromKnownRates(known: KnownRates, day: string): JsonObject {
  const rates = [...known]
    .filter(([, each]) => each?.isOfHour !== true)
    .map(([model, each]) => [model, parseJson(JSON.stringify(each ?? null)) ?? null]);
  return { [keptAs(day)]: Object.fromEntries(rates) };
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
