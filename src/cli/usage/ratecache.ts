/** Prices as they were looked up, kept as JSON. */
import type { JsonObject } from '../../format/json.ts';
import { fromKnownRates, toKnownRates } from '../../views/usage/keptrates.ts';
import type { Rates } from '../../views/usage/rates.ts';

export interface RateCache {
  of(model: string): Promise<Rates | undefined>;
  known(): JsonObject;
}

/** Prices already looked up: the table itself takes longer to load than a status line may take. */
export function createRates(kept: JsonObject): RateCache {
  const known = toKnownRates(kept);
  return {
    async of(model) {
      if (known.has(model)) return known.get(model);
      const { createPrices } = await import('../../views/usage/prices.ts');
      const rates = createPrices().ratesOf(model, Date.now());
      known.set(model, rates);
      return rates;
    },
    known: () => fromKnownRates(known),
  };
}
