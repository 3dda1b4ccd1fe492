/** Times as people type them. */
import { expect, test } from 'vitest';
import { parseTime } from '../../src/views/typedtime.ts';

test('an age that goes back before all dates is the first day there is', () => {
  const now = new Date('2026-11-16T00:00:00Z');
  const first = Date.parse('0001-01-01T00:00:00Z');
  for (const age of ['999999999999d', '99999999999999999999d', `${'9'.repeat(400)}w`]) {
    expect(parseTime(age, now)).toBe(first);
  }
  expect(parseTime('3d', now)).toBe(Date.parse('2026-11-13T00:00:00Z'));
});
