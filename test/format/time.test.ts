import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTimestamp } from '../../src/format/time.ts';

const date = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((each) => each.toISOString());

test('a timestamp is read as Date.parse reads it', () => {
  fc.assert(
    fc.property(fc.array(date, { minLength: 1, maxLength: 4 }), (texts) => {
      for (const text of texts) expect(parseTimestamp(text)).toBe(Date.parse(text));
    }),
  );
});

test('also with any character replaced', () => {
  fc.assert(
    fc.property(date, fc.nat(23), fc.string({ minLength: 1, maxLength: 1 }), (text, at, char) => {
      const odd = text.slice(0, at) + char + text.slice(at + 1);
      expect(parseTimestamp(odd)).toBe(Date.parse(odd));
    }),
    { numRuns: 3000 },
  );
});

test.each([
  '',
  'soon',
  '2026-11-15',
  '2026-11-15T06:37:15Z',
  '2026-11-15T06:37:15.035+02:00',
  '2026-13-15T06:37:15.035Z',
  '2026-02-30T06:37:15.035Z',
  '2026-11-15T24:00:00.000Z',
  '2026-11-15T06:60:15.035Z',
])('%j', (text) => expect(parseTimestamp(text)).toBe(Date.parse(text)));
