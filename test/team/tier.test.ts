import { expect, test } from 'vitest';
import { tierOf, tierText } from '../../src/team/tier.ts';

test.each([
  [{}, ''],
  [{ serviceTier: 'batch' }, 'batch'],
  [{ serviceTier: 'standard', speed: 'fast' }, 'standard+fast'],
  [{ serviceTier: 'standard', inferenceGeo: 'us' }, 'standard@us'],
  [{ speed: 'fast', inferenceGeo: 'us' }, '+fast@us'],
])('how a request was sold is one word: %j', (sold, text) => {
  expect(tierText(sold)).toBe(text);
  expect(tierOf(text)).toEqual({ serviceTier: undefined, speed: undefined, inferenceGeo: undefined, ...sold });
});

test('no word is taken for another', () => {
  const odd = { serviceTier: 'a+b@c', speed: 'x@us', inferenceGeo: 'us+fast' };
  expect(tierOf(tierText(odd))).toEqual({ serviceTier: 'a-b-c', speed: 'x-us', inferenceGeo: 'us-fast' });
});
