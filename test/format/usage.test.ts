import { expect, test } from 'vitest';
import { dollarsOf, usageOf } from '../../src/format/usage.ts';

test('E16: counts that cannot be are none', () => {
  const counts = (value: number) => usageOf({ input_tokens: value, output_tokens: value });
  for (const value of [-1, 1e12, 1e308, Number.POSITIVE_INFINITY, Number.NaN]) {
    expect(counts(value)).toMatchObject({ input: 0, output: 0 });
  }
  expect(counts(2_000_000)).toMatchObject({ input: 2_000_000, output: 2_000_000 });
});

test('E16: tokens are whole numbers', () => {
  const counts = { input_tokens: 0.1, output_tokens: 7.6, cache_read_input_tokens: 1e3 };
  expect(usageOf(counts)).toMatchObject({ input: 0, output: 0, cacheRead: 1000 });
});

test('E16: cache writes are at least as many as their parts', () => {
  const writes = (whole: number | undefined, parts: Record<string, number>) =>
    usageOf({ cache_creation_input_tokens: whole, cache_creation: parts })?.cacheCreation;
  expect(writes(undefined, { ephemeral_5m_input_tokens: 10 })).toBe(10);
  expect(writes(undefined, { ephemeral_1h_input_tokens: 10 })).toBe(10);
  expect(writes(5, { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 3 })).toBe(7);
  expect(writes(9, { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 3 })).toBe(9);
});

test('E16: speed and place are told where they are not the usual ones', () => {
  const told = (speed: string, geo: string) => {
    const { speed: how, inferenceGeo } = usageOf({ speed, inference_geo: geo }) ?? {};
    return [how, inferenceGeo];
  };
  expect(told('standard', '')).toEqual([undefined, undefined]);
  expect(told('standard', 'global')).toEqual([undefined, undefined]);
  expect(told('standard', 'not_available')).toEqual([undefined, undefined]);
  expect(told('fast', 'us')).toEqual(['fast', 'us']);
});

test('costs that cannot be are none', () => {
  for (const value of [-7, -1e-9, 1e6, 1e300, Number.POSITIVE_INFINITY, Number.NaN, '1', null]) {
    expect(dollarsOf(value)).toBeUndefined();
  }
  expect([0, 0.25, 900].map(dollarsOf)).toEqual([0, 0.25, 900]);
});
