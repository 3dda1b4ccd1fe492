/** How much the first status line of a machine looks at, and what is left of it when it was stopped. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { type RecentRow, recentUsage } from '../../src/cli/usage/recent.ts';
import { currentBlock, uniqueRows } from '../../src/cli/usage/recentblocks.ts';
import { createBlocks } from '../../src/views/usage/blocks.ts';
import { assistant, toJsonl } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';

/** Files that were read, how often the time of any row was asked for, and when the reading is stopped. */
const seen = vi.hoisted(() => ({ files: 0, looks: 0, stopAfter: Number.POSITIVE_INFINITY }));

vi.mock('../../src/cli/usage/recentread.ts', async (original) => {
  const { createRecentReader } = await original<typeof import('../../src/cli/usage/recentread.ts')>();
  const watched = (row: RecentRow): RecentRow =>
    new Proxy(row, {
      get(target, name) {
        if (name === '2') seen.looks += 1;
        return Reflect.get(target, name);
      },
    });
  return {
    createRecentReader(...kept: Parameters<typeof createRecentReader>) {
      const reader = createRecentReader(...kept);
      return {
        ...reader,
        async read(...asked: Parameters<typeof reader.read>) {
          if (seen.files >= seen.stopAfter) throw new Error('stopped');
          seen.files += 1;
          const file = await reader.read(...asked);
          return { ...file, rows: file.rows.map(watched) };
        },
      };
    },
  };
});

beforeEach(() => Object.assign(seen, { files: 0, looks: 0, stopAfter: Number.POSITIVE_INFINITY }));

const NOW = Date.UTC(2026, 10, 16, 9, 23);
const EVERY = 10 * 60_000;

/** A file every ten minutes with one answer, and never a pause. */
function machine(count: number) {
  const folder = tempFolder();
  mkdirSync(join(folder, 'skein'));
  const times = Array.from({ length: count }, (_, n) => NOW - (count - 1 - n) * EVERY);
  const files = times.map((time, n) => {
    const file = join(folder, `${n}.jsonl`);
    const said = assistant('x', { id: `m${n}`, requestId: `r${n}`, model: 'claude-opus-4-5', output: 40_000 });
    writeFileSync(file, toJsonl([{ ...said, uuid: `u${n}`, timestamp: new Date(time).toISOString() }]));
    utimesSync(file, time / 1000, time / 1000);
    return file;
  });
  return {
    async shown() {
      const query = { folder: join(folder, 'skein'), now: NOW, find: async () => files, transcript: undefined };
      const { rows, chain } = await recentUsage(query);
      return currentBlock(uniqueRows(rows), chain, NOW)?.start;
    },
    reported: times.map(createBlocks()).at(-1),
  };
}

test('a file more costs the first status line the same, however many there are', async () => {
  const { shown, reported } = machine(600);
  expect(await shown()).toBe(reported);
  expect(seen.files).toBe(600);
  expect(seen.looks).toBeLessThan(10 * 600);
});

test('what one that was stopped had read is not read again', async () => {
  const { shown, reported } = machine(600);
  seen.stopAfter = 550;
  await expect(shown()).rejects.toThrow('stopped');
  Object.assign(seen, { files: 0, stopAfter: Number.POSITIVE_INFINITY });
  expect(await shown()).toBe(reported);
  expect(seen.files).toBeLessThan(300);
});
