/** What a cost is made of, and the time in which something was done. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sumParts } from '../../../src/views/usage/explain.ts';
import { type Fact, NOTHING } from '../../../src/views/usage/facts.ts';
import { costOf, costParts, PER_DOLLAR, type Rates } from '../../../src/views/usage/rates.ts';
import { reportOf } from '../../../src/views/usage/rows.ts';

const tokens = fc.integer({ min: 0, max: 1_000_000 });
const price = fc.oneof(
  fc.integer({ min: 0, max: 100 }),
  fc.record({
    base: fc.integer({ min: 1, max: 10 }),
    tiers: fc.constant([{ start: 200_000, price: 20 }]),
  }),
);
const usages = fc.record({
  input: tokens,
  output: tokens,
  cacheCreation: tokens,
  cacheRead: tokens,
  cacheCreation1h: tokens,
  webSearches: fc.integer({ min: 0, max: 20 }),
  serviceTier: fc.constantFrom('standard', 'batch'),
});
const prices: fc.Arbitrary<Rates> = fc.record({
  input: price,
  output: price,
  cacheWrite: fc.option(price, { nil: undefined }),
  cacheWrite1h: fc.option(price, { nil: undefined }),
  cacheRead: fc.option(price, { nil: undefined }),
  webSearches: fc.option(price, { nil: undefined }),
});

describe('parts of a cost', () => {
  test('sum to the cost, whatever tiers, lifetimes and batches make of it', () => {
    fc.assert(
      fc.property(usages, prices, (usage, rates) => {
        const parts = costParts(usage, rates);
        const sum = parts.reduce((all, { costUSD }) => all + costUSD, 0);
        expect(sum).toBeCloseTo((costOf(usage, rates) ?? Number.NaN) / PER_DOLLAR, 6);
        for (const { what, count, price: each, costUSD } of parts)
          expect(costUSD).toBeCloseTo((count * each) / (what === 'webSearches' ? 1000 : 1_000_000), 9);
      }),
    );
  });

  test('of many messages come the dearest first', () => {
    const cheap = { what: 'input', count: 10, price: 1, costUSD: 1 } as const;
    const dear = { what: 'output', count: 1, price: 5, costUSD: 5 } as const;
    expect(sumParts([cheap, dear, cheap])).toEqual([
      { what: 'output', count: 1, costUSD: 5 },
      { what: 'input', count: 20, costUSD: 2 },
    ]);
  });
});

test('time counts quarters of an hour once, however many messages and chats', () => {
  const minute = 60_000;
  const fact = (time: number | undefined, file: string): Fact => ({
    ...NOTHING,
    messages: 1,
    time,
    model: 'm',
    project: '/p',
    gitBranch: '',
    file,
    agentId: '',
  });
  const facts = [
    fact(0, 'a'),
    fact(14 * minute, 'b'),
    fact(15 * minute, 'a'),
    fact(undefined, 'a'),
    fact(61 * minute, 'b'),
  ];
  expect(reportOf(facts, { by: ['day'] }).activeMs).toBe(45 * minute);
  expect(reportOf(facts, { by: ['day'], wanted: ({ file }) => file === 'b' }).activeMs).toBe(30 * minute);
});
