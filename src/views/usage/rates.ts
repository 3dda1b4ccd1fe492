/** What tokens cost: the prices of one model at one time, and the sum a message comes to. */
import type { Usage } from '../../format/usage.ts';

/** Dollars for a million tokens: one price, or prices that hold for requests with more input than `start`. */
export type Rate = number | { readonly base: number; readonly tiers: readonly { start: number; price: number }[] };

export interface Rates {
  readonly input: Rate;
  readonly output: Rate;
  readonly cacheWrite?: Rate;
  readonly cacheWrite1h?: Rate;
  readonly cacheRead?: Rate;
  /** Dollars for a thousand searches. */
  readonly webSearches?: Rate;
}

/** Costs are added as whole billionths of a dollar, so that they sum to the same whatever they are grouped by. */
export const PER_DOLLAR = 1_000_000_000;

/** The price list of the API sells batches at half; priority capacity is sold by contract and counted at the usual price. */
const TIER_FACTORS: Readonly<Record<string, number>> = { batch: 0.5 };

/** Billionths of a dollar; undefined when the counts make no sense. */
export function costOf(usage: Usage, rates: Rates): number | undefined {
  const written1h = usage.cacheCreation1h ?? 0;
  const written = Math.max(usage.cacheCreation, written1h);
  // A long request pays the higher price for all its tokens.
  const whole = usage.input + written + usage.cacheRead;
  const at = (rate: Rate | undefined, otherwise: number) => (rate === undefined ? otherwise : priceAt(rate, whole));
  const input = at(rates.input, 0);
  const cacheWrite = at(rates.cacheWrite, input);
  const dollarsPerMillion =
    usage.input * input +
    (written - written1h) * cacheWrite +
    written1h * at(rates.cacheWrite1h, cacheWrite) +
    usage.cacheRead * at(rates.cacheRead, input) +
    usage.output * at(rates.output, 0) +
    (usage.webSearches ?? 0) * at(rates.webSearches, 0) * 1000;
  const cost = Math.round(dollarsPerMillion * 1000 * (TIER_FACTORS[usage.serviceTier ?? ''] ?? 1));
  return Number.isSafeInteger(cost) && cost >= 0 ? cost : undefined;
}

function priceAt(rate: Rate, input: number): number {
  if (typeof rate === 'number') return rate;
  let price = rate.base;
  for (const tier of rate.tiers) if (input > tier.start) price = tier.price;
  return price;
}
