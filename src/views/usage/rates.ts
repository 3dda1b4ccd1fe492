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
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly webSearches: number;
  readonly factor: number;
}

/** `whole`: all that was sent. A long request pays the higher price for all its tokens. */
function pricesFor(usage: Usage, rates: Rates, whole: number): Prices {
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
  const prices = pricesFor(usage, rates, usage.input + written + usage.cacheRead);
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

/** How much a price may be off a whole number of billionths by the way numbers are written. */
const NOISE = 1e-6;

/**
 * What several messages cost that all pay the prices of a request with `whole` tokens of input; cacheCreation holds cacheCreation1h.
 * undefined where that is not the sum of what each costs: a token does not cost a whole number of billionths, each message is rounded.
 */
export function costOfSum(usage: Usage, whole: number, rates: Rates): number | undefined {
  const prices = pricesFor(usage, rates, whole);
  const written1h = usage.cacheCreation1h ?? 0;
  const counts = [
    [usage.input, prices.input],
    [usage.cacheCreation - written1h, prices.cacheWrite],
    [written1h, prices.cacheWrite1h],
    [usage.cacheRead, prices.cacheRead],
    [usage.output, prices.output],
    [usage.webSearches ?? 0, prices.webSearches * 1000],
  ] as const;
  let cost = 0;
  for (const [count, price] of counts) {
    const each = price * 1000 * prices.factor;
    const rounded = Math.round(each);
    if (count > 0 && Math.abs(each - rounded) > NOISE) return undefined;
    cost += count * rounded;
  }
  return Number.isSafeInteger(cost) && cost >= 0 ? cost : undefined;
}

/** What a request with `whole` tokens of input pays at the usual tier. */
export function pricesAt(rates: Rates, whole: number): Prices {
  return pricesFor({ input: 0, output: 0, cacheCreation: 0, cacheRead: 0 }, rates, whole);
}

/** Above how many tokens of input something costs otherwise. */
export function startsOf(rates: Rates): number[] {
  return Object.values(rates).flatMap((rate: Rate | undefined) =>
    typeof rate === 'object' ? rate.tiers.map(({ start }) => start) : [],
  );
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
  const prices = pricesFor(usage, rates, usage.input + written + usage.cacheRead);
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
