/** L5: the client goes by the settings of whoever manages the machine before a person's own. */
import { rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { managedFiles } from '../../src/disk/managed.ts';
import { at } from '../../src/format/json.ts';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { entry, PLACE, rootOf, SESSION } from './helpers.ts';

const managed = vi.hoisted(() => ({ folder: '' }));
vi.mock(import('../../src/disk/managed.ts'), async (original) => {
  const real = await original();
  return { ...real, managedFiles: (folder = managed.folder) => real.managedFiles(folder) };
});

const NAME = `${PLACE}/${SESSION}.jsonl`;
const FILE = 'managed-settings.json';
const PARTS = 'managed-settings.d';

/** A session of ten days ago. */
async function machineWith(own: string, files: Record<string, string>) {
  managed.folder = rootOf(files);
  const here = machine(rootOf({ [NAME]: entry('a'), 'settings.json': own }));
  const time = Date.parse('2026-12-22T00:00:00Z') / 1000;
  utimesSync(join(here.root, NAME), time, time);
  await here.run('archive', 'sync');
  return here;
}

test.each([
  ['what is managed counts', '{"cleanupPeriodDays": 99}', { [FILE]: '{"cleanupPeriodDays": 7}' }, FILE, 7],
  [
    'that of the last part first',
    '{}',
    {
      [FILE]: '{"cleanupPeriodDays": 99}',
      [`${PARTS}/1.json`]: '{"cleanupPeriodDays": 8}',
      [`${PARTS}/2.json`]: '{"cleanupPeriodDays": 7}',
      [`${PARTS}/3.json`]: '{}',
    },
    `${PARTS}/2.json`,
    7,
  ],
])('%s', async (_, own, files, told, days) => {
  const { root, run } = await machineWith(own, files);
  const settings = join(managed.folder, told);
  expect((await run('archive', 'status', '--json')).json()).toMatchObject({
    cleanup: [{ root, settings, days, from: 'managed' }],
    deletions: [{ at: '2026-12-29T00:00:00.000Z' }],
  });
  expect((await run('archive', 'status')).text).toContain(`cleanupPeriodDays is 7 in ${settings}: whoever manages`);
  rmSync(join(root, NAME));
  expect((await run('archive', 'restore', '--all')).text).toMatch(/1 file got the present time.*7 days/);
  expect(statSync(join(root, NAME)).mtimeMs).toBeGreaterThan(Date.parse('2026-12-31T00:00:00Z'));
});

test.each([
  ['nothing is managed', {}],
  ['it says nothing of it', { [FILE]: '{"model": "x"}' }],
  ['it cannot be read', { [FILE]: '{bad' }],
])("a person's own count where %s", async (_, files) => {
  const { run } = await machineWith('{"cleanupPeriodDays": 99}', files);
  expect(at((await run('archive', 'status', '--json')).json(), 'cleanup')).toMatchObject([
    { days: 99, from: 'settings' },
  ]);
});

test('a folder that is not there has the one file', () => {
  const folder = join(tempFolder(), 'none');
  expect(managedFiles(folder)).toEqual([join(folder, FILE)]);
});
