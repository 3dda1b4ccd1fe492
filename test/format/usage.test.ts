import { expect, test } from 'vitest';
import { usageOf } from '../../src/format/usage.ts';

test('E16: counts that cannot be are none', () => {
  const counts = (value: number) => usageOf({ input_tokens: value, output_tokens: value });
  for (const value of [-1, 1e12, 1e308, Number.POSITIVE_INFINITY, Number.NaN]) {
    expect(counts(value)).toMatchObject({ input: 0, output: 0 });
  }
  expect(counts(2_000_000)).toMatchObject({ input: 2_000_000, output: 2_000_000 });
});
