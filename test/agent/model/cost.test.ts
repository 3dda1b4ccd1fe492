import { expect, test } from 'vitest';
import { usageOf } from '../../../src/format/usage.ts';
import { createPrices } from '../../../src/views/usage/prices.ts';
import { costOf, PER_DOLLAR } from '../../../src/views/usage/rates.ts';
import { says } from '../../support/scripted-model.ts';
import { hear, MODEL, modelOf, requestOf, serving } from './asking.ts';

const serve = serving();

const USAGE = {
  input_tokens: 1000,
  output_tokens: 2000,
  cache_creation_input_tokens: 3000,
  cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 2000 },
  cache_read_input_tokens: 40_000,
  server_tool_use: { web_search_requests: 3 },
};

test('an answer costs what `skein usage` says it does: cache lifetimes and searches counted', async () => {
  const server = await serve([says('Hi', { usage: USAGE })]);
  const model = modelOf(server);
  const { outcome } = await hear(model.ask(requestOf()));
  const usage = outcome.kind === 'answer' ? outcome.usage : {};
  const rates = createPrices().ratesOf(MODEL, undefined);
  const counts = usageOf(USAGE);
  const expected = rates && counts && costOf(counts, rates);
  expect(model.cost(MODEL, usage)).toBe((expected ?? Number.NaN) / PER_DOLLAR);
  // 3 $ in, 15 $ out, 3.75 $ and 6 $ written, 0.30 $ read, 10 $ for a thousand searches.
  expect(model.cost(MODEL, usage)).toBeCloseTo(0.003 + 0.03 + 0.00375 + 0.012 + 0.012 + 0.03, 9);
});

test('a model without a price costs nobody knows what', async () => {
  const server = await serve([says('Hi')]);
  const model = modelOf(server);
  await hear(model.ask(requestOf()));
  expect(model.cost('glm-4.6-air-of-mine', USAGE)).toBeUndefined();
});
