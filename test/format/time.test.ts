import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseTimestamp } from '../../src/format/time.ts';

const before = process.env.TZ;

function setZone(zone: string | undefined): void {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
}

// There Date.parse takes a time without a zone for what it is.
beforeEach(() => setZone('UTC'));
afterEach(() => setZone(before));

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

describe.each(['UTC', 'America/New_York', 'Asia/Kolkata'])('E15: where the clock is that of %s', (zone) => {
  beforeEach(() => setZone(zone));

  test.each([
    ['2026-11-10T01:00:00', '2026-11-10T01:00:00Z'],
    ['2026-11-10T01:00:00.5', '2026-11-10T01:00:00.500Z'],
    ['2026-11-10T01:00:00.123456', '2026-11-10T01:00:00.123Z'],
    ['2026-11-10T01:00', '2026-11-10T01:00:00Z'],
    ['2026-11-10 01:00:00', '2026-11-10T01:00:00Z'],
    ['2026-11-10', '2026-11-10T00:00:00Z'],
    ['2026-11-10T01:00:00+02:00', '2026-11-09T23:00:00Z'],
    ['2026-11-10T01:00:00.000-0500', '2026-11-10T06:00:00Z'],
  ])('%s is %s', (text, utc) => {
    expect(new Date(0).getTimezoneOffset() === 0).toBe(zone === 'UTC');
    expect(parseTimestamp(text)).toBe(Date.parse(utc));
  });
});
