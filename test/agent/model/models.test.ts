import { expect, test } from 'vitest';
import { DEFAULT_MODEL, factsOf, modelId } from '../../../src/agent/model/models.ts';
import { createPrices } from '../../../src/views/usage/prices.ts';

test('short names are ids of today, others stay as they are', () => {
  expect(['opus', 'Sonnet', 'haiku', 'opus[1m]', 'default', ' claude-x '].map(modelId)).toEqual([
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-haiku-5-5',
    'claude-opus-5-5',
    DEFAULT_MODEL,
    'claude-x',
  ]);
});

test.each([
  ['claude-opus-5-5', 1_000_000, 128_000, 'adaptive'],
  ['claude-opus-5-5-20260901', 1_000_000, 128_000, 'adaptive'],
  ['claude-opus-4-6', 1_000_000, 128_000, 'adaptive'],
  ['us.anthropic.claude-opus-4-6-v1:0', 1_000_000, 128_000, 'adaptive'],
  ['claude-opus-4-5-20251101', 200_000, 64_000, 'budget'],
  ['claude-opus-4-1-20250805', 200_000, 32_000, 'budget'],
  ['claude-opus-4-20250514', 200_000, 32_000, 'budget'],
  ['claude-sonnet-5', 1_000_000, 128_000, 'adaptive'],
  ['claude-sonnet-4-6', 1_000_000, 64_000, 'adaptive'],
  ['claude-sonnet-4-5-20250929', 200_000, 64_000, 'budget'],
  ['claude-sonnet-4-20250514', 200_000, 64_000, 'budget'],
  ['claude-3-7-sonnet-latest', 200_000, 64_000, 'budget'],
  ['claude-3-5-haiku@20241022', 200_000, 8192, 'budget'],
  ['claude-haiku-4-5-20251001', 200_000, 64_000, 'budget'],
  ['claude-haiku-5-5', 1_000_000, 128_000, 'adaptive'],
  ['claude-fable-5-1', 1_000_000, 128_000, 'adaptive'],
  ['claude-mythos-preview', 1_000_000, 128_000, 'adaptive'],
  ['claude-3-opus-latest', 200_000, 4096, 'budget'],
  ['opus', 1_000_000, 128_000, 'adaptive'],
  ['glm-4.6', 200_000, 32_000, 'budget'],
  ['my-opus', 200_000, 32_000, 'budget'],
])('%s: a window of %i, %i out, %s', (model, window, maxOutput, thinking) => {
  expect(factsOf(model)).toEqual({ window, maxOutput, thinking });
});

test('the models that are asked by default have a price', () => {
  const prices = createPrices();
  for (const name of ['default', 'opus', 'sonnet', 'fable']) {
    expect(prices.ratesOf(modelId(name), undefined), name).toBeDefined();
  }
});
