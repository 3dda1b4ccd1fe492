/** One push at a time: who waits, and who is told at once. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockTarget } from '../../src/team/push/lock.ts';
import { tempFolder } from '../support/files.ts';

const signal = new AbortController().signal;

test('another one that has it is waited for', async () => {
  const path = join(tempFolder(), 'team', 'a.sqlite');
  const unlock = await lockTarget(path, { waitMs: 0, signal });
  expect(await lockTarget(path, { waitMs: 0, signal })).toBeUndefined();
  const waits = lockTarget(path, { waitMs: 60_000, signal });
  unlock?.();
  const next = await waits;
  expect(next).toBeDefined();
  next?.();
});

test('a file that is no lock is told at once, with what to do', async () => {
  const folder = tempFolder();
  const path = join(folder, 'a.sqlite');
  const lock = join(folder, 'a.lock');
  writeFileSync(lock, 'x'.repeat(5000));
  // Would it wait, it would for ten minutes.
  await expect(lockTarget(path, { waitMs: 600_000, signal })).rejects.toMatchObject({
    message: 'cannot see whether another push is running: file is not a database',
    where: lock,
    next: expect.stringContaining('delete it and run it again'),
  });
  rmSync(lock);
  const unlock = await lockTarget(path, { waitMs: 0, signal });
  expect([typeof unlock, existsSync(lock)]).toEqual(['function', true]);
  unlock?.();
});
