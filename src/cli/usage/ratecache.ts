/** Prices as they were looked up, kept as JSON. */
import { asArray, asNumber, asObject, type Json, type JsonObject, parseJson } from '../../format/json.ts';
import { TABLE } from '../../views/usage/pricetable.ts';
import type { Rates } from '../../views/usage/rates.ts';

export interface RateCache {
  of(model: string): Promise<Rates | undefined>;
  known(): JsonObject;
}

/** Prices already looked up: the table itself takes longer to load than a status line may take. */
export function createRates(kept: JsonObject): RateCache {
  const known = new Map<string, Rates | undefined>();
  for (const [model, rates] of Object.entries(asObject(kept[TABLE.version]) ?? {})) known.set(model, toRates(rates));
  return {
    async of(model) {
      if (known.has(model)) return known.get(model);
      const { createPrices } = await import('../../views/usage/prices.ts');
      const rates = createPrices().ratesOf(model, Date.now());
      known.set(model, rates);
      return rates;
    },
    known: () => ({
      [TABLE.version]: Object.fromEntries(
        [...known].map(([model, rates]) => [model, parseJson(JSON.stringify(rates ?? null)) ?? null]),
      ),
    }),
  };
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
