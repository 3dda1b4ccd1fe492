/** Prices from the library @pydantic/genai-prices, offline; a table of one's own comes before it. */
import { calcPrice, findProvider, type ModelInfo, type ModelPrice, type Provider } from '@pydantic/genai-prices';
import { asObject, type Json, type JsonObject } from '../../format/json.ts';
import { QUARTER } from './days.ts';
import { factorsOf } from './factors.ts';
import type { Rate, Rates } from './rates.ts';

export interface Prices {
  /** The prices of a model at a time (milliseconds); undefined for a model the table does not know. */
  ratesOf(model: string, time: number | undefined): Rates | undefined;
}

/** Whose prices to look in, for ids as the clouds write them too. */
const PROVIDERS = ['anthropic', undefined, 'aws', 'google'] as const;
/** `claude-opus-4-6@20260205`: Google's name, which Anthropic's table would take for one of its own. */
const GOOGLES = /^claude-[^@]*@/;
/** The client marks a larger window so; the table knows some names with it, others only without. */
const WINDOW_MARK = /\[\w+\]$/;
const DAY = 86_400_000;

export function createPrices(own: readonly ModelInfo[] = [], now = Date.now()): Prices {
  const byDay = new Map<string, Rates | undefined>();
  const byQuarter = new Map<string, Rates>();
  const find = (model: string, time: number) => {
    const [plain = model] = model.split(WINDOW_MARK);
    return findRates(model, new Date(time), own) ?? findRates(plain, new Date(time), own);
  };
  return {
    ratesOf(model, time = now) {
      // Most prices change with the day.
      const day = `${model} ${Math.floor(time / DAY)}`;
      if (!byDay.has(day)) byDay.set(day, find(model, time));
      const rates = byDay.get(day);
      if (rates?.isOfHour !== true) return rates;
      const quarter = `${model} ${Math.floor(time / QUARTER)}`;
      const then = byQuarter.get(quarter) ?? find(model, time) ?? rates;
      byQuarter.set(quarter, then);
      return then;
    },
  };
}

function findRates(model: string, timestamp: Date, own: readonly ModelInfo[]): Rates | undefined {
  const anthropic = findProvider({ providerId: 'anthropic' });
  const mine: Provider | undefined = anthropic && { ...anthropic, models: [...own] };
  const theirs = GOOGLES.test(model) ? (['google', ...PROVIDERS] as const) : PROVIDERS;
  const places = [...(mine ? [{ provider: mine }] : []), ...theirs.map((providerId) => ({ providerId }))];
  for (const place of places) {
    const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, model, { ...place, timestamp });
    const rates = found ? toRates(found.model_price) : undefined;
    if (found === null || rates === undefined) continue;
    // A price of one's own is one that is paid, in fast mode too if nothing is known of that.
    const paid = 'provider' in place ? { fast: 1 } : lackedOf(model, rates, timestamp);
    return { ...rates, ...paid, ...factorsOf(model), ...(changesByHour(found.model) && { isOfHour: true }) };
  }
  return undefined;
}

/** Some sell cheaper by night. */
function changesByHour({ prices }: ModelInfo): boolean {
  return Array.isArray(prices) && prices.some(({ constraint }) => constraint?.type === 'time_of_date');
}

/** `eu.anthropic.claude-opus-4-6-v1:0`, `claude-opus-4-6@20260205`: Anthropic's name in that of a cloud. */
const IN_CLOUD = /(?:^|[./])(claude-[a-z\d.-]+?)(?:-v\d+(?::\d+)?|@\w+)?$/;

/** What the clouds sell too and their tables mostly lack: cache writes for an hour, as many times as dear as input as at Anthropic, and searches. */
function lackedOf(model: string, rates: Rates, timestamp: Date): Pick<Rates, 'cacheWrite1h' | 'webSearches'> {
  const [, name] = IN_CLOUD.exec(model) ?? [];
  const { input, cacheWrite1h, webSearches } = rates;
  if (name === undefined || (cacheWrite1h !== undefined && webSearches !== undefined)) return {};
  const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, name, { providerId: 'anthropic', timestamp });
  const theirs = found ? toRates(found.model_price) : undefined;
  if (theirs === undefined) return {};
  const hour = theirs.cacheWrite1h && timesAsMuch(input, baseOf(theirs.cacheWrite1h) / baseOf(theirs.input));
  return { cacheWrite1h: cacheWrite1h ?? hour, webSearches: webSearches ?? theirs.webSearches };
}

function baseOf(rate: Rate): number {
  return typeof rate === 'number' ? rate : rate.base;
}

function timesAsMuch(rate: Rate, times: number): Rate {
  if (typeof rate === 'number') return rate * times;
  return { base: rate.base * times, tiers: rate.tiers.map(({ start, price }) => ({ start, price: price * times })) };
}

function toRates(price: ModelPrice): Rates | undefined {
  const { input_mtok: input, output_mtok: output } = price;
  if (input === undefined || output === undefined) return undefined;
  return {
    input: toRate(input),
    output: toRate(output),
    cacheWrite: maybeRate(price.cache_write_mtok),
    cacheWrite1h: maybeRate(price.cache_write_1h_mtok),
    cacheRead: maybeRate(price.cache_read_mtok),
    webSearches: maybeRate(price.web_searches_kcount),
  };
}

function toRate(price: Exclude<ModelPrice[string], undefined>): Rate {
  return typeof price === 'number'
    ? price
    : { base: price.base, tiers: price.tiers.map(({ start, price: each }) => ({ start, price: each })) };
}

function maybeRate(price: ModelPrice[string]): Rate | undefined {
  return price === undefined ? undefined : toRate(price);
}

/** `{"models":{"claude-x":{"input_mtok":3,"output_mtok":15,…}}}`: names are beginnings of model ids, prices as the library names them. */
export function ownModels(table: JsonObject): ModelInfo[] | string {
  const models = asObject(table.models);
  if (models === undefined) return 'there is no "models" in it';
  const found: ModelInfo[] = [];
  for (const [id, prices] of Object.entries(models)) {
    const price = priceOf(prices);
    if (typeof price === 'string') return `${id}: ${price}`;
    found.push({ id, match: { starts_with: id }, prices: price });
  }
  // The longest name that fits is meant.
  return found.toSorted((a, b) => b.id.length - a.id.length);
}

const NAMES = new Set([
  'input_mtok',
  'output_mtok',
  'cache_write_mtok',
  'cache_write_1h_mtok',
  'cache_read_mtok',
  'web_searches_kcount',
]);

function priceOf(prices: Json | undefined): ModelPrice | string {
  const price: ModelPrice = {};
  for (const [name, value] of Object.entries(asObject(prices) ?? {})) {
    if (!NAMES.has(name)) return `"${name}" is not a price (${[...NAMES].join(', ')})`;
    const rate = rateOf(value);
    if (rate === undefined) return `${name} is not a price: a number, or {"base","tiers":[{"start","price"}]}`;
    price[name] = typeof rate === 'number' ? rate : { base: rate.base, tiers: [...rate.tiers] };
  }
  return price.input_mtok === undefined || price.output_mtok === undefined
    ? 'input_mtok and output_mtok are needed'
    : price;
}

function rateOf(value: Json | undefined): Rate | undefined {
  if (isPrice(value)) return value;
  const { base, tiers } = asObject(value) ?? {};
  if (!isPrice(base) || !Array.isArray(tiers)) return undefined;
  const steps = tiers.flatMap((tier) => {
    const { start, price } = asObject(tier) ?? {};
    return isPrice(start) && isPrice(price) ? [{ start, price }] : [];
  });
  return steps.length === tiers.length ? { base, tiers: steps.toSorted((a, b) => a.start - b.start) } : undefined;
}

function isPrice(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
