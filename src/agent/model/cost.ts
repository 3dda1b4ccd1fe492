/** What usage costs, by the prices `skein usage` goes by. Their table is loaded while an answer is on its way, not before. */
import type { JsonObject } from '../../format/json.ts';
import { usageOf } from '../../format/usage.ts';
import type { Prices } from '../../views/usage/prices.ts';
import { costOf, PER_DOLLAR } from '../../views/usage/rates.ts';

export interface Costs {
  load(): Promise<void>;
  /** Dollars; undefined for a model without a price, and before `load`. */
  of(model: string, usage: JsonObject): number | undefined;
}

export function createCosts(now: () => number): Costs {
  let prices: Prices | undefined;
  return {
    load: async () => {
      // An answer without a price is still an answer.
      prices ??= await import('../../views/usage/prices.ts').then(
        ({ createPrices }) => createPrices([], now()),
        () => undefined,
      );
    },
    of: (model, usage) => {
      const counts = usageOf(usage);
      const rates = prices?.ratesOf(model, now());
      const cost = counts && rates && costOf(counts, rates);
      return cost === undefined ? undefined : cost / PER_DOLLAR;
    },
  };
}
