import { readFileSync } from 'node:fs';
import { calcPrice } from '@pydantic/genai-prices';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asObject, parseJson } from '../../../src/format/json.ts';
import { fromKnownRates, priceDay, toKnownRates } from '../../../src/views/usage/keptrates.ts';
import { createPrices, ownModels } from '../../../src/views/usage/prices.ts';
import { TABLE } from '../../../src/views/usage/pricetable.ts';
import { costOf, costOfSum, costParts, PER_DOLLAR } from '../../../src/views/usage/rates.ts';

const count = fc.oneof(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 900_000 }));
const usage = fc.record({
  input: count,
  output: count,
  written: count,
  written1h: count,
  cacheRead: count,
  webSearches: fc.integer({ min: 0, max: 9 }),
});
const model = fc.constantFrom(
  'claude-sonnet-4-5-20250929',
  'claude-opus-4-5-20251101',
  'claude-haiku-4-5-20251001',
  'claude-opus-4-6',
  'claude-sonnet-4-6',
  'claude-3-opus-20240229',
);
const time = fc.date({ min: new Date('2026-01-01'), max: new Date('2026-08-01'), noInvalidDate: true });

test('a mark for a larger window makes no other model', () => {
  const { ratesOf } = createPrices();
  const when = Date.UTC(2026, 9, 1);
  for (const name of ['claude-opus-5', 'claude-opus-4-8', 'claude-sonnet-4-5-20250929']) {
    expect(ratesOf(name, when)).toBeDefined();
    expect(ratesOf(`${name}[1m]`, when)).toEqual(ratesOf(name, when));
  }
  const own = ownModels({ models: { 'claude-opus-5[1m]': { input_mtok: 7, output_mtok: 8 } } });
  if (typeof own === 'string') throw new Error(own);
  expect(createPrices(own).ratesOf('claude-opus-5[1m]', when)?.input).toBe(7);
  expect(createPrices(own).ratesOf('claude-opus-5', when)?.input).toBe(5);
  expect(ratesOf('no-such-model[1m]', when)).toBeUndefined();
});

test('cache writes for an hour cost as many times the input at the clouds as at Anthropic', () => {
  const { ratesOf } = createPrices();
  const when = Date.UTC(2026, 9, 1);
  for (const [name, input, hour] of [
    ['us.anthropic.claude-opus-4-6-v1', 5.5, 11],
    ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 3.3, 6.6],
    ['global.anthropic.claude-haiku-4-5-20251001-v1:0', 1, 2],
    ['anthropic.claude-3-5-haiku-20241022-v1:0', 0.8, 1.6],
    ['arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-7-v1', 5.5, 11],
    // The table has it.
    ['us.anthropic.claude-opus-5-5-v1:0', 4.4, 8.8],
  ] as const)
    expect([name, ratesOf(name, when)]).toMatchObject([name, { input, cacheWrite1h: expect.closeTo(hour, 9) }]);
  for (const name of ['claude-sonnet-4-5@20250929', 'claude-opus-4-6@default'])
    expect(ratesOf(name, when)?.cacheWrite1h, name).toBeDefined();
  const own = ownModels({ models: { 'us.anthropic.claude-opus-4-6': { input_mtok: 7, output_mtok: 8 } } });
  if (typeof own === 'string') throw new Error(own);
  expect(createPrices(own).ratesOf('us.anthropic.claude-opus-4-6-v1', when)?.cacheWrite1h).toBeUndefined();
});

test('a model at Google has the prices of Google, and no fast mode', () => {
  const { ratesOf } = createPrices();
  const when = Date.UTC(2026, 9, 1);
  const [google, anthropic] = [ratesOf('claude-opus-4-6@20260205', when), ratesOf('claude-opus-4-6', when)];
  expect(google?.input).toEqual({ base: 5, tiers: [{ start: 200_000, price: 10 }] });
  expect(anthropic).toMatchObject({ input: 5, fast: 6, usOnly: 1.1 });
  expect([google?.fast, google?.usOnly]).toEqual([undefined, undefined]);
});

test('searches cost at the clouds what they cost at Anthropic, where the table does not tell', () => {
  const { ratesOf } = createPrices();
  for (const name of ['us.anthropic.claude-opus-4-6-v1', 'claude-3-5-haiku@20241022', 'claude-opus-4-6@20260205'])
    expect([name, ratesOf(name, Date.UTC(2026, 9, 1))?.webSearches]).toEqual([name, 10]);
});

const NONE = { input: 0, output: 0, cacheCreation: 0, cacheRead: 0 };

describe('costs', () => {
  test('are those of the price library: lifetimes of the cache, long requests, searches, prices that changed', () => {
    const prices = createPrices();
    fc.assert(
      fc.property(usage, model, time, ({ input, output, written, written1h, cacheRead, webSearches }, name, when) => {
        const all = written + written1h;
        const counts = {
          input,
          output,
          cacheCreation: all,
          cacheRead,
          cacheCreation5m: written,
          cacheCreation1h: written1h,
          webSearches,
        };
        const rates = prices.ratesOf(name, when.getTime());
        const cost = rates && costOf(counts, rates);
        const asked = {
          input_tokens: input + all + cacheRead,
          output_tokens: output,
          cache_write_tokens: all,
          cache_write_1h_tokens: written1h,
          cache_read_tokens: cacheRead,
          web_searches: webSearches,
        };
        const right = calcPrice(asked, name, { providerId: 'anthropic', timestamp: when })?.total_price ?? Number.NaN;
        expect(cost).toBeDefined();
        expect(Math.abs((cost ?? 0) / PER_DOLLAR - right)).toBeLessThan(1e-8);
      }),
    );
  });

  test('one example by hand', () => {
    const rates = createPrices().ratesOf('claude-opus-4-5-20251101', Date.UTC(2026, 0, 2));
    const counts = { input: 1000, output: 100, cacheCreation: 3000, cacheRead: 10_000, cacheCreation1h: 1000 };
    // 1000 × $5 + 100 × $25 + 2000 × $6.25 + 1000 × $10 + 10000 × $0.5, for a million each
    expect(rates && costOf(counts, rates)).toBe(35_000_000);
    expect(rates && costOf({ ...counts, serviceTier: 'batch' }, rates)).toBe(17_500_000);
    expect(rates && costOf({ ...counts, serviceTier: 'priority' }, rates)).toBe(35_000_000);
    expect(rates && costOf({ ...counts, webSearches: 2 }, rates)).toBe(55_000_000);
  });

  test('searches of a batch cost the same as others', () => {
    const rates = createPrices().ratesOf('claude-opus-4-5', Date.UTC(2026, 0, 2));
    const batch = { ...NONE, input: 1_000_000, webSearches: 1000, serviceTier: 'batch' };
    expect(rates && costOf(batch, rates)).toBe(12.5 * PER_DOLLAR);
    expect(rates && costOfSum(batch, 1_000_000, rates)).toBe(12.5 * PER_DOLLAR);
    expect(rates && costParts(batch, rates)).toMatchObject([
      { what: 'input', price: 2.5, costUSD: 2.5 },
      { what: 'webSearches', price: 10, costUSD: 10 },
    ]);
  });

  // $5 for a million tokens of input, $4 of Opus 5.5.
  test.each([
    ['claude-opus-4-6', 30],
    ['claude-opus-4-7-20260416', 30],
    ['claude-opus-4-8', 10],
    ['claude-opus-5', 10],
    ['claude-opus-5-20260724', 10],
    ['claude-opus-5-5', 8],
    // They have no such mode: what it costs is not known.
    ['claude-opus-4-5-20251101', undefined],
    ['claude-opus-4-20250514', undefined],
    ['claude-haiku-4-5', undefined],
    ['us.anthropic.claude-opus-4-6-v1', undefined],
  ])('fast mode of %s', (name, dollars) => {
    const rates = createPrices().ratesOf(name, Date.UTC(2026, 9, 1));
    if (rates === undefined) throw new Error('no price');
    const fast = { ...NONE, input: 1_000_000, speed: 'fast' };
    expect(costOf(fast, rates)).toBe(dollars && dollars * PER_DOLLAR);
    expect(costOfSum(fast, 1_000_000, rates)).toBe(dollars && dollars * PER_DOLLAR);
    expect(costParts(fast, rates).map(({ price }) => price)).toEqual(dollars === undefined ? [] : [dollars]);
    expect(costOf({ ...fast, webSearches: 1000 }, rates)).toBe(dollars && (dollars + 10) * PER_DOLLAR);
    expect(costOf({ ...fast, speed: 'faster' }, rates)).toBeUndefined();
  });

  test('a model of a table of one’s own costs in fast mode what is known of that, else what the table says', () => {
    const price = { input_mtok: 1, output_mtok: 1 };
    const models = ownModels({ models: { 'my-': price, 'claude-opus-4-6': price } });
    if (typeof models === 'string') throw new Error(models);
    const cost = (name: string) => {
      const rates = createPrices(models).ratesOf(name, 0);
      return rates && costOf({ ...NONE, input: 1_000_000, speed: 'fast' }, rates);
    };
    expect([cost('my-model'), cost('claude-opus-4-6')]).toEqual([PER_DOLLAR, 6 * PER_DOLLAR]);
  });

  test.each([
    ['claude-opus-4-6', 5.5],
    ['claude-sonnet-4-6', 3.3],
    ['claude-opus-5-5', 4.4],
    ['claude-opus-4-5-20251101', 5],
    ['claude-opus-4-1-20250805', 15],
    ['claude-sonnet-4-20250514', 3],
  ])('%s, answered in the United States alone', (name, dollars) => {
    const rates = createPrices().ratesOf(name, Date.UTC(2026, 9, 1));
    const usOnly = { ...NONE, input: 100_000, inferenceGeo: 'us' };
    expect(rates && costOf(usOnly, rates)).toBe((dollars * PER_DOLLAR) / 10);
    expect(rates && costOfSum(usOnly, 100_000, rates)).toBe((dollars * PER_DOLLAR) / 10);
  });

  test('prices that are kept are those that were looked up; what older versions kept is looked up again', () => {
    const { ratesOf } = createPrices();
    const known = new Map(
      ['claude-opus-4-6', 'claude-sonnet-4-5', 'my-own-model'].map((name) => [name, ratesOf(name, 0)]),
    );
    const kept = parseJson(JSON.stringify(fromKnownRates(known, '2026-10-01')));
    expect(toKnownRates(kept, '2026-10-01')).toEqual(known);
    const older = { [`${TABLE.version}/3`]: { 'claude-opus-4-6': { input: 5, output: 25 } } };
    expect(toKnownRates(older, '2026-10-01').size).toBe(0);
  });

  test('prices that are kept hold for their day alone, and are not kept where they hold for hours', () => {
    const { ratesOf } = createPrices();
    const when = Date.UTC(2026, 11, 31);
    const known = new Map(['gemini-3.8-flash', 'deepseek-v4-pro'].map((name) => [name, ratesOf(name, when)]));
    const kept = fromKnownRates(known, priceDay(when));
    expect([...toKnownRates(kept, '2026-12-31').keys()]).toEqual(['gemini-3.8-flash']);
    expect(toKnownRates(kept, '2027-01-01').size).toBe(0);
  });

  test.each([[[2, 12]], [[12, 2]]])('prices that change within the day are those of the hour, asked at %j', (hours) => {
    const { ratesOf } = createPrices();
    for (const hour of hours) {
      const when = Date.UTC(2026, 8, 10, hour);
      const { model_price: price } = calcPrice({}, 'deepseek-v4-pro', { timestamp: new Date(when) }) ?? {};
      expect(price?.input_mtok).toBe(hour === 2 ? 1.32 : 0.66);
      expect(ratesOf('deepseek-v4-pro', when)).toMatchObject({ input: price?.input_mtok, output: price?.output_mtok });
    }
  });

  test('counts that make no sense have no cost', () => {
    const rates = createPrices().ratesOf('claude-opus-4-5', 0);
    for (const wrong of [-1e9, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(rates && costOf({ input: wrong, output: 0, cacheCreation: 0, cacheRead: 0 }, rates)).toBeUndefined();
    }
  });

  test('models: cloud spellings are known, unknown ones are not', () => {
    const { ratesOf } = createPrices();
    expect(ratesOf('us.anthropic.claude-sonnet-4-5-20250929-v1:0', Date.UTC(2026, 5, 1))?.input).toBeDefined();
    expect(ratesOf('my-own-model', 0)).toBeUndefined();
  });

  test('a table of one’s own comes first, the longest name wins', () => {
    const models = ownModels({
      models: {
        'my-': { input_mtok: 1, output_mtok: 2 },
        'my-own': { input_mtok: { base: 3, tiers: [{ start: 10, price: 6 }] }, output_mtok: 4 },
        'claude-opus-4-5': { input_mtok: 9, output_mtok: 9 },
      },
    });
    if (typeof models === 'string') throw new Error(models);
    const { ratesOf } = createPrices(models);
    expect(ratesOf('my-own-model', 0)).toMatchObject({ input: { base: 3 }, output: 4 });
    expect(ratesOf('my-other', 0)?.input).toBe(1);
    expect(ratesOf('claude-opus-4-5-20251101', 0)?.input).toBe(9);
    const rates = ratesOf('my-own-model', 0);
    expect(rates && costOf({ input: 11, output: 0, cacheCreation: 0, cacheRead: 0 }, rates)).toBe(66_000);
  });

  test.each([
    [{}, 'models'],
    [{ models: { a: { input_mtok: 1 } } }, 'output_mtok'],
    [{ models: { a: { input_mtok: 'x', output_mtok: 1 } } }, 'input_mtok'],
    [{ models: { a: { inputs: 1 } } }, 'inputs'],
  ])('a wrong table is told: %j', (table, word) => {
    expect(ownModels(table)).toContain(word);
  });

  test('the date is that of the version in use', () => {
    const text = readFileSync(
      new URL('../../../node_modules/@pydantic/genai-prices/package.json', import.meta.url),
      'utf8',
    );
    expect(asObject(parseJson(text))?.version).toBe(TABLE.version);
    expect(TABLE.name).toContain(TABLE.version);
  });
});
