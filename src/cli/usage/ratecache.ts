/** Prices as they were looked up, kept as JSON. */
import type { JsonObject } from '../../format/json.ts';
import type { Pricing } from '../../views/usage/facts.ts';
import { fromKnownRates, priceDay, toKnownRates } from '../../views/usage/keptrates.ts';
import type { Rates } from '../../views/usage/rates.ts';

export interface RateCache {
  of(model: string, time: number): Promise<Rates | undefined>;
  known(): JsonObject;
}

/** Prices already looked up: the table itself takes longer to load than a status line may take. */
export function createRates(kept: JsonObject, now = Date.now()): RateCache {
  const today = priceDay(now);
  const known = toKnownRates(kept, today);
  let ratesOf: Pricing['ratesOf'] | undefined;
  return {
    async of(model, time) {
      // What is kept are the prices of today.
      const isOfToday = priceDay(time) === today;
      if (isOfToday && known.has(model)) return known.get(model);
      ratesOf ??= (await import('../../views/usage/prices.ts')).createPrices().ratesOf;
      const rates = ratesOf(model, time);
      if (isOfToday && rates?.isOfHour !== true) known.set(model, rates);
      return rates;
    },
    known: () => fromKnownRates(known, today),
  };
}
