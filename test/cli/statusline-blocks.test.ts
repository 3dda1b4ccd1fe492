/** The block a status line shows is the one that `usage --by block` has, however it is told of what was before. */
import { appendFileSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type RecentQuery, recentUsage } from '../../src/cli/usage/recent.ts';
import { currentBlock, uniqueRows } from '../../src/cli/usage/recentblocks.ts';
import { io, ioSince } from '../../src/disk/io.ts';
import { BLOCK_MS, createBlocks } from '../../src/views/usage/blocks.ts';
import { assistant, toJsonl } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 16, 9, 23);

/** A machine on which something is said at these times (hours before now), and a status line shown at some. */
function machine() {
  const folder = tempFolder();
  const state = join(folder, 'skein');
  mkdirSync(state);
  const said: number[] = [];
  const files = new Set<string>();
  let count = 0;
  return {
    state,
    files,
    say(name: string, hours: readonly number[]): void {
      const file = join(folder, `${name}.jsonl`);
      const times = hours.map((hour) => NOW - hour * HOUR);
      const lines = times.map((time) => {
        count += 1;
        const line = assistant('x', {
          id: `m${count}`,
          requestId: `r${count}`,
          model: 'claude-opus-4-5',
          output: 40_000,
        });
        return { ...line, uuid: `u${count}`, timestamp: new Date(time).toISOString() };
      });
      files.add(file);
      said.push(...times);
      appendFileSync(file, toJsonl(lines));
      const last = Math.max(...times) / 1000;
      utimesSync(file, last, last);
    },
    async shown(hoursBefore = 0, more: Partial<RecentQuery> = {}) {
      const now = NOW - hoursBefore * HOUR;
      const find = async () => [...files];
      const { rows, chain } = await recentUsage({ folder: state, now, find, transcript: undefined, ...more });
      return currentBlock(uniqueRows(rows), chain, now);
    },
    /** As reports find it: over all messages. */
    reported(hoursBefore = 0) {
      const now = NOW - hoursBefore * HOUR;
      const blockOf = createBlocks();
      const blocks = said.toSorted((a, b) => a - b).map(blockOf);
      const start = blocks.findLast((each) => each <= now && now - each < BLOCK_MS);
      return { start, messages: blocks.filter((each) => each === start).length };
    },
  };
}

function expectSame(block: Awaited<ReturnType<ReturnType<typeof machine>['shown']>>, right: object): void {
  expect({ start: block?.start, messages: Math.round((block?.cost ?? 0) / 1e9) }).toEqual(right);
}

/** Every half hour, from so many hours before now until so many. */
function halfHours(from: number, to: number): number[] {
  return Array.from({ length: (from - to) * 2 + 1 }, (_, n) => from - n / 2);
}

describe('the block of a status line', () => {
  test.each([38, 41.5, 60, 100])('is that of the report after %d hours without a pause, in one file', async (hours) => {
    const { say, shown, reported } = machine();
    say('one', halfHours(hours, 0));
    expectSame(await shown(), reported());
  });

  test('also where the hours before stand in files that were left since', async () => {
    const { say, shown, reported } = machine();
    for (let from = 117; from >= 0; from -= 9) say(`f${from}`, halfHours(from, Math.max(0, from - 8.5)));
    expectSame(await shown(), reported());
    expect(await shown()).toBeDefined();
  });

  test('goes on from what is kept, shown often, seldom, and after days without', async () => {
    const { say, shown, reported } = machine();
    say('one', halfHours(300, 200));
    expectSame(await shown(200), reported(200));
    // Nobody looked while another file was written and left.
    say('two', halfHours(199.5, 98.5));
    say('three', halfHours(98, 60));
    expectSame(await shown(60), reported(60));
    for (let hour = 59.5; hour >= 0; hour -= 0.5) {
      say('three', [hour]);
      if (hour % 3 === 0) expectSame(await shown(hour), reported(hour));
    }
  });

  test('files older than the last pause are not read', async () => {
    const { say, shown, reported, files } = machine();
    say('old', halfHours(90, 44));
    say('new', halfHours(38, 0));
    const [, file = ''] = files;
    const before = { ...io };
    expectSame(await shown(), reported());
    // And the last byte once more, to see whether the line ends.
    expect(ioSince(before).bytesRead).toBeLessThanOrEqual(statSync(file).size + 1);
  });

  test('a clock that was ahead does no harm once it is set right', async () => {
    const { say, shown, reported } = machine();
    say('one', halfHours(60, 0));
    expect(await shown(-1000)).toBeUndefined();
    expectSame(await shown(), reported());
  });

  test('what an older version kept is read again', async () => {
    const { say, shown, reported, state, files } = machine();
    say('one', halfHours(60, 0));
    const [file = ''] = files;
    const { length } = readFileSync(file);
    const kept = { size: length, mtimeMs: NOW, at: length, rows: [] };
    writeFileSync(join(state, 'statusline.json'), JSON.stringify({ walked: NOW - 1, files: { [file]: kept } }));
    expectSame(await shown(), reported());
  });
});
