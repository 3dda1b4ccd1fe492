import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { io, ioSince } from '../../src/disk/io.ts';
import { lastTimeOf } from '../../src/disk/tail.ts';
import { tempFolder } from '../support/files.ts';
import { line } from './helpers.ts';

const EARLY = '2026-01-01T00:00:00.000Z';
const LATE = '2026-01-02T00:00:00.000Z';

function timeOf(text: string): number | undefined {
  const file = join(tempFolder(), 's.jsonl');
  writeFileSync(file, text);
  return lastTimeOf(file);
}

test.each([
  ['short', ''],
  ['longer than the first look', 'x'.repeat(40_000)],
  ['very long', 'x'.repeat(3_000_000)],
])('the time of a last line that is %s', (_, payload) => {
  expect(timeOf(`${line('a', { timestamp: EARLY })}\n${line('b', { payload, timestamp: LATE })}\n`)).toBe(
    Date.parse(LATE),
  );
});

test('a long last line without a time, or torn, leaves it to the one before', () => {
  const first = `${line('a', { timestamp: EARLY })}\n`;
  const long = line('b', { payload: 'x'.repeat(100_000) });
  expect(timeOf(`${first}${long}\n`)).toBe(Date.parse(EARLY));
  expect(timeOf(`${first}${long.slice(0, -10)}`)).toBe(Date.parse(EARLY));
});

test('nothing to be found', () => {
  expect(timeOf('')).toBeUndefined();
  expect(timeOf(`${line('a')}\n`)).toBeUndefined();
  expect(lastTimeOf(join(tempFolder(), 'missing.jsonl'))).toBeUndefined();
});

test('the end of a long file is enough', () => {
  const file = join(tempFolder(), 's.jsonl');
  writeFileSync(file, `${line('a', { timestamp: EARLY })}\n`.repeat(20_000));
  const before = { ...io };
  lastTimeOf(file);
  expect(ioSince(before).bytesRead).toBe(32 << 10);
});
