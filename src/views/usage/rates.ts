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

/** What the tokens of one request are sold at: dollars for a million, searches for a thousand. */
interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly webSearches: number;
  readonly factor: number;
}

function pricesFor(usage: Usage, rates: Rates, written: number): Prices {
  // A long request pays the higher price for all its tokens.
  const whole = usage.input + written + usage.cacheRead;
  const at = (rate: Rate | undefined, otherwise: number) => (rate === undefined ? otherwise : priceAt(rate, whole));
  const input = at(rates.input, 0);
  const cacheWrite = at(rates.cacheWrite, input);
  return {
    input,
    output: at(rates.output, 0),
    cacheWrite,
    cacheWrite1h: at(rates.cacheWrite1h, cacheWrite),
    cacheRead: at(rates.cacheRead, input),
    webSearches: at(rates.webSearches, 0),
    factor: TIER_FACTORS[usage.serviceTier ?? ''] ?? 1,
  };
}

/** Billionths of a dollar; undefined when the counts make no sense. */
export function costOf(usage: Usage, rates: Rates): number | undefined {
  const written1h = usage.cacheCreation1h ?? 0;
  const written = Math.max(usage.cacheCreation, written1h);
  const prices = pricesFor(usage, rates, written);
  const dollarsPerMillion =
    usage.input * prices.input +
    (written - written1h) * prices.cacheWrite +
    written1h * prices.cacheWrite1h +
    usage.cacheRead * prices.cacheRead +
    usage.output * prices.output +
    (usage.webSearches ?? 0) * prices.webSearches * 1000;
  const cost = Math.round(dollarsPerMillion * 1000 * prices.factor);
  return Number.isSafeInteger(cost) && cost >= 0 ? cost : undefined;
}

/** One kind of token in the cost of a message. */
export interface CostPart {
  readonly what: 'input' | 'output' | 'cacheWrite' | 'cacheWrite1h' | 'cacheRead' | 'webSearches';
  readonly count: number;
  /** Dollars for a million tokens, or for a thousand searches. */
  readonly price: number;
  readonly costUSD: number;
}

/** What the cost of a message is made of; kinds of which there are none are left out. */
export function costParts(usage: Usage, rates: Rates): CostPart[] {
  const written1h = usage.cacheCreation1h ?? 0;
  const written = Math.max(usage.cacheCreation, written1h);
  const prices = pricesFor(usage, rates, written);
  const part = (what: CostPart['what'], count: number, per = 1_000_000): CostPart => ({
    what,
    count,
    price: prices[what] * prices.factor,
    costUSD: (count * prices[what] * prices.factor) / per,
  });
  return [
    part('input', usage.input),
    part('cacheWrite', written - written1h),
    part('cacheWrite1h', written1h),
    part('cacheRead', usage.cacheRead),
    part('output', usage.output),
    part('webSearches', usage.webSearches ?? 0, 1000),
  ].filter(({ count }) => count > 0);
}

function priceAt(rate: Rate, input: number): number {
  if (typeof rate === 'number') return rate;
  let price = rate.base;
  for (const tier of rate.tiers) if (input > tier.start) price = tier.price;
  return price;
}
