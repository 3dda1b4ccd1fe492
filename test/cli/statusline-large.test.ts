/** A status line reads at most 24 MB a call, says so while some is left, and comes to all of it in the end. */
import { appendFileSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recentUsage } from '../../src/cli/usage/recent.ts';
import { uniqueRows } from '../../src/cli/usage/recentblocks.ts';
import { io, ioSince } from '../../src/disk/io.ts';
import { assistant, toJsonl } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';

const NOW = Date.UTC(2026, 10, 16, 9, 23);
const MINUTE = 60_000;
const MOST = 24 << 20;
const PAD = 'x'.repeat(1 << 20);

/** Answers of a megabyte, one a minute until now. */
function answers(from: number, count: number, until = NOW): string {
  const lines = Array.from({ length: count }, (_, n) => ({
    ...assistant(PAD, { id: `m${from + n}`, requestId: `r${from + n}`, model: 'claude-opus-4-5', output: 1 }),
    uuid: `u${from + n}`,
    timestamp: new Date(until - (count - 1 - n) * MINUTE).toISOString(),
  }));
  return toJsonl(lines);
}

function statusline() {
  const folder = tempFolder();
  mkdirSync(join(folder, 'skein'));
  const files: string[] = [];
  const touch = (file: string, time = NOW) => utimesSync(file, time / 1000, time / 1000);
  return {
    folder,
    add(name: string, text: string): string {
      const file = join(folder, name);
      writeFileSync(file, text);
      touch(file);
      files.push(file);
      return file;
    },
    append(file: string, text: string): void {
      appendFileSync(file, text);
      touch(file, NOW + 1000);
    },
    /** How many messages are known, and whether that is all. */
    async shown(after = 0, most = MOST) {
      const before = { ...io };
      const now = NOW + 2000 + after;
      const query = { folder: join(folder, 'skein'), now, find: async () => files, transcript: undefined };
      const { rows, partial } = await recentUsage(query);
      // Beside it a few looks for where lines begin.
      expect(ioSince(before).bytesRead).toBeLessThan(most + (4 << 20));
      return [uniqueRows(rows).length, partial];
    },
    async sums() {
      const query = { folder: join(folder, 'skein'), now: NOW + 2000, find: async () => files, transcript: undefined };
      return uniqueRows((await recentUsage(query)).rows);
    },
  };
}

test('of a file that has grown by more the rest is read by the next calls', async () => {
  const { add, append, shown } = statusline();
  const file = add('a.jsonl', answers(0, 2));
  expect(await shown()).toEqual([2, false]);
  append(file, answers(2, 60));
  const seen = [await shown(), await shown(), await shown()];
  expect(seen.map(([, partial]) => partial)).toEqual([true, true, false]);
  expect(seen[2]).toEqual([62, false]);
  append(file, answers(62, 1));
  expect(await shown()).toEqual([63, false]);
});

test('of a large file that is met first the end is read, then what stands before it', async () => {
  const { add, shown } = statusline();
  add('a.jsonl', answers(0, 60));
  const first = await shown();
  expect(first[1]).toBe(true);
  expect(first[0]).toBeGreaterThan(20);
  expect((await shown())[1]).toBe(true);
  expect(await shown()).toEqual([60, false]);
});

test('not what stands before the last day and a half', async () => {
  const { add, shown } = statusline();
  add('a.jsonl', answers(0, 40, NOW - 48 * 60 * MINUTE) + answers(40, 10));
  const first = await shown();
  expect(first[1]).toBe(false);
  expect(await shown()).toEqual(first);
});

test('a file there was no time for is met by the next call, also within the minute', async () => {
  const { add, shown } = statusline();
  add('a.jsonl', answers(0, 23));
  add('b.jsonl', answers(23, 10));
  add('c.jsonl', answers(33, 1));
  expect((await shown())[1]).toBe(true);
  expect(await shown(1000)).toEqual([34, false]);
});

test('a line that is longer than all that may be read is passed over', async () => {
  const { add, append, shown } = statusline();
  const file = add('a.jsonl', answers(0, 1));
  expect(await shown()).toEqual([1, false]);
  append(file, `${JSON.stringify({ type: 'user', pad: 'x'.repeat(MOST + (8 << 20)) })}\n${answers(1, 1)}`);
  // Where it might end is looked for too.
  expect((await shown(0, 2 * MOST))[1]).toBe(true);
  expect(await shown()).toEqual([2, false]);
});

describe('a line that does not fit into what other files left of a call is read by the next', () => {
  test('where a file has grown', async () => {
    const { add, append, shown } = statusline();
    const [a, b] = [add('a.jsonl', answers(0, 1)), add('b.jsonl', answers(1, 1))];
    expect(await shown()).toEqual([2, false]);
    append(a, answers(2, 23));
    append(b, answers(25, 2));
    expect(await shown()).toEqual([25, true]);
    expect(await shown()).toEqual([27, false]);
  });

  test('before the end of a large file', async () => {
    const { add, append, shown } = statusline();
    const a = add('a.jsonl', answers(0, 20));
    add('b.jsonl', answers(20, 7));
    expect((await shown())[1]).toBe(true);
    append(a, answers(27, 23));
    expect((await shown())[1]).toBe(true);
    expect(await shown()).toEqual([50, false]);
  });

  test('where it is still being written at the end of a file that is met first', async () => {
    const { add, append, shown } = statusline();
    add('a.jsonl', answers(0, 23));
    const text = answers(23, 6);
    const b = add('b.jsonl', text.slice(0, -40));
    expect(await shown()).toEqual([23, true]);
    expect(await shown()).toEqual([28, false]);
    append(b, text.slice(-40));
    expect(await shown()).toEqual([29, false]);
  });
});

test('what a status line that was stopped left beside what it keeps is removed', async () => {
  const { add, shown, folder } = statusline();
  add('a.jsonl', answers(0, 1));
  const name = (pid: number) => `.statusline.json.${pid}.abc.tmp`;
  // No process has so large a number.
  for (const pid of [2 ** 30, process.pid]) writeFileSync(join(folder, 'skein', name(pid)), '{');
  await shown();
  expect(readdirSync(join(folder, 'skein')).sort()).toEqual([name(process.pid), 'statusline.json']);
});

test('a price that changes within the day is that of the time of each message', async () => {
  const { add, sums } = statusline();
  const line = (id: string, hours: number) => ({
    type: 'assistant',
    timestamp: new Date(NOW - hours * 60 * MINUTE).toISOString(),
    message: { id, model: 'deepseek-v4-pro', usage: { input_tokens: 1_000_000 } },
  });
  // Between 6 and 10 o'clock it is twice the price.
  add('a.jsonl', toJsonl([line('m1', 4), line('m2', 0)]));
  expect(await sums()).toMatchObject([{ cost: 660_000_000 }, { cost: 1_320_000_000 }]);
});

test('E4: a message costs what its line with most output does, as in reports', async () => {
  const { add, sums } = statusline();
  const line = (input: number, output: number) => ({
    type: 'assistant',
    requestId: 'r1',
    timestamp: new Date(NOW).toISOString(),
    message: { id: 'm1', model: 'claude-opus-4-5', usage: { input_tokens: input, output_tokens: output } },
  });
  add('a.jsonl', toJsonl([line(100_000, 1), line(10, 20)]));
  // $5 and $25 for a million.
  expect(await sums()).toMatchObject([{ cost: (10 * 5 + 20 * 25) * 1000, unpriced: 0 }]);
});
