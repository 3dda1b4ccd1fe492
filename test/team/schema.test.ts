/** Small parts of setting up a team that need no server. */
import { expect, test } from 'vitest';
import { nextVersion } from '../../src/team/schema/nextversion.ts';
import { DEFAULT_RETENTION, isWrapping, retentionOf, ttlOf } from '../../src/team/schema/retention.ts';

test('a version is larger than the one before, whatever the clock says', () => {
  expect(nextVersion(undefined, 1000)).toBe(1000);
  expect(nextVersion(999n, 1000)).toBe(1000);
  expect(nextVersion(1000n, 1000)).toBe(1001);
  expect(nextVersion(5000n, 1000)).toBe(5001);
  expect(nextVersion(4102444800000000001n, 1000)).toBe('4102444800000000002');
});

test('days are read from rules as they are made, as a server tells them, and as they were made before', () => {
  const made = ttlOf(DEFAULT_RETENTION);
  const before =
    "toDateTime(time) + toIntervalDay(7) WHERE retention = 'a', toDateTime(time) + toIntervalDay(9) WHERE retention = 'b'";
  for (const text of [made, made.replaceAll(' DELETE', '')]) {
    expect(Object.fromEntries(retentionOf(`ReplacingMergeTree TTL ${text}`))).toEqual({
      short: 30,
      standard: 365,
      long: 1825,
    });
    expect(isWrapping(text)).toBe(false);
  }
  expect([...retentionOf(before)]).toEqual([
    ['a', 7],
    ['b', 9],
  ]);
  expect(isWrapping(before)).toBe(true);
});
