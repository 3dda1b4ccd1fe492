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
  /** How many times as much tokens cost in fast mode; undefined where that is not known. */
  readonly fast?: number;
  /** The same of answers that had to come from the United States; as much as others where it is not told. */
  readonly usOnly?: number;
  /** They are others at another time of the day. */
  readonly isOfHour?: true;
}

/** Costs are added as whole billionths of a dollar, so that they sum to the same whatever they are grouped by. */
export const PER_DOLLAR = 1_000_000_000;

/** The price list of the API sells batches at half; priority capacity is sold by contract and counted at the usual price. */
const BATCH = 0.5;

/** How many times the usual price the tokens of a request cost; undefined when that is not known. Searches cost the same always. */
function factorOf({ serviceTier, speed, inferenceGeo }: Usage, { fast, usOnly = 1 }: Rates): number | undefined {
  const bySpeed = speed === undefined ? 1 : speed === 'fast' ? fast : undefined;
  if (bySpeed === undefined) return undefined;
  return (serviceTier === 'batch' ? BATCH : 1) * bySpeed * (inferenceGeo === 'us' ? usOnly : 1);
}

/** What the tokens of one request are sold at: dollars for a million, searches for a thousand. */
export interface Prices {
  readonly input: number;
  readonly output: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
  readonly webSearches: number;
}

/** `whole`: all that was sent. A long request pays the higher price for all its tokens. */
function pricesFor(usage: Usage, rates: Rates, whole: number): Prices | undefined {
  const factor = factorOf(usage, rates);
  return factor === undefined ? undefined : pricesAt(rates, whole, factor);
}

/** What a request with `whole` tokens of input pays, where tokens cost so many times the usual. */
export function pricesAt(rates: Rates, whole: number, factor = 1): Prices {
  const at = (rate: Rate | undefined, otherwise: number) =>
    rate === undefined ? otherwise : priceAt(rate, whole) * factor;
  const input = at(rates.input, 0);
  const cacheWrite = at(rates.cacheWrite, input);
  return {
    input,
    output: at(rates.output, 0),
    cacheWrite,
    cacheWrite1h: at(rates.cacheWrite1h, cacheWrite),
    cacheRead: at(rates.cacheRead, input),
    webSearches: rates.webSearches === undefined ? 0 : priceAt(rates.webSearches, whole),
  };
}

/** Billionths of a dollar; undefined when the counts make no sense, or it is not known what they are sold at. */
export function costOf(usage: Usage, rates: Rates): number | undefined {
  const requests = requestsOf(usage, rates);
  if (requests === undefined) return undefined;
  // Searches are told of the message as a whole.
  let dollarsPerMillion = (usage.webSearches ?? 0) * (requests[0]?.prices.webSearches ?? 0) * 1000;
  for (const { counts, prices } of requests) {
    dollarsPerMillion +=
      counts.input * prices.input +
      counts.cacheWrite * prices.cacheWrite +
      counts.cacheWrite1h * prices.cacheWrite1h +
      counts.cacheRead * prices.cacheRead +
      counts.output * prices.output;
  }
  const cost = Math.round(dollarsPerMillion * 1000);
  return Number.isSafeInteger(cost) && cost >= 0 ? cost : undefined;
}

type Counts = Record<Exclude<CostPart['what'], 'webSearches'>, number>;

/** The requests a message was made of, each with the prices of its own size. How it was sold is told of the message. */
function requestsOf(usage: Usage, rates: Rates): { counts: Counts; prices: Prices }[] | undefined {
  const requests: { counts: Counts; prices: Prices }[] = [];
  for (const request of usage.rounds ?? [usage]) {
    const cacheWrite1h = request.cacheCreation1h ?? 0;
    const written = Math.max(request.cacheCreation, cacheWrite1h);
    const { input, output, cacheRead } = request;
    const prices = pricesFor(usage, rates, input + written + cacheRead);
    if (prices === undefined) return undefined;
    requests.push({ counts: { input, output, cacheRead, cacheWrite: written - cacheWrite1h, cacheWrite1h }, prices });
  }
  return requests;
}

/** How much a price may be off a whole number of billionths by the way numbers are written. */
const NOISE = 1e-6;

/**
 * What several messages cost that all pay the prices of a request with `whole` tokens of input; cacheCreation holds cacheCreation1h.
 * undefined where that is not the sum of what each costs: a token does not cost a whole number of billionths, each message is rounded.
 */
export function costOfSum(usage: Usage, whole: number, rates: Rates): number | undefined {
  const prices = pricesFor(usage, rates, whole);
  if (prices === undefined) return undefined;
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
    const each = price * 1000;
    const rounded = Math.round(each);
    if (count > 0 && Math.abs(each - rounded) > NOISE) return undefined;
    cost += count * rounded;
  }
  return Number.isSafeInteger(cost) && cost >= 0 ? cost : undefined;
}

/** Above how many tokens of input something costs otherwise. */
export function startsOf(rates: Rates): number[] {
  return Object.values(rates).flatMap((rate: Rate | true | undefined) =>
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

/** In the order they are told. */
const PARTS = ['input', 'cacheWrite', 'cacheWrite1h', 'cacheRead', 'output'] as const;

/** What the cost of a message is made of, by kind and price; kinds of which there are none are left out. */
export function costParts(usage: Usage, rates: Rates): CostPart[] {
  const requests = requestsOf(usage, rates);
  if (requests === undefined) return [];
  const part = (what: CostPart['what'], count: number, price: number, per = 1_000_000): CostPart => ({
    what,
    count,
    price,
    costUSD: (count * price) / per,
  });
  const parts = PARTS.flatMap((what) => {
    const counts = new Map<number, number>();
    for (const { counts: each, prices } of requests)
      counts.set(prices[what], (counts.get(prices[what]) ?? 0) + each[what]);
    return [...counts].map(([price, count]) => part(what, count, price));
  });
  const searches = part('webSearches', usage.webSearches ?? 0, requests[0]?.prices.webSearches ?? 0, 1000);
  return [...parts, searches].filter(({ count }) => count > 0);
}

function priceAt(rate: Rate, input: number): number {
  if (typeof rate === 'number') return rate;
  let price = rate.base;
  for (const tier of rate.tiers) if (input > tier.start) price = tier.price;
  return price;
}
