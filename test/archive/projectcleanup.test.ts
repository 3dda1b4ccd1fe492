/** L5: the client deletes sessions of all projects by the settings of the one it is started in. */
import { mkdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { projectSlug } from '../../src/format/slug.ts';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { entry, FORK, PLACE, rootOf, SESSION } from './helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const SHARED = '.claude/settings.json';
const LOCAL = '.claude/settings.local.json';

const days = (count: number) => `{"cleanupPeriodDays": ${count}}`;

/** A session of ten days ago, and one of another project, which has the files given. */
async function machineWith(own: string, files: Record<string, string>, below = '.') {
  const project = rootOf(files, tempFolder());
  const cwd = join(project, below);
  mkdirSync(cwd, { recursive: true });
  const line = `${JSON.stringify({ type: 'user', uuid: 'u-1', sessionId: FORK, cwd, message: { role: 'user', content: 'x' } })}\n`;
  const other = `projects/${projectSlug(cwd)}/${FORK}.jsonl`;
  const here = machine(rootOf({ [NAME]: entry('a'), [other]: line, 'settings.json': own }));
  const time = Date.parse('2026-12-22T00:00:00Z') / 1000;
  utimesSync(join(here.root, NAME), time, time);
  utimesSync(join(here.root, other), time + 1, time + 1);
  await here.run('archive', 'sync');
  return { ...here, project };
}

test.each([
  ['sooner than the person’s own', days(99), { [SHARED]: days(7) }, SHARED, 'project', '.'],
  ['sooner than the default', '{}', { [SHARED]: '{"cleanupPeriodDays": 7, // short\n}' }, SHARED, 'project', '.'],
  ['what is not shared first', days(99), { [SHARED]: days(3), [LOCAL]: days(7) }, LOCAL, 'local', '.'],
  ['that of the repository', days(99), { '.git/HEAD': 'x', [LOCAL]: days(7) }, LOCAL, 'local', 'packages/a'],
])('the settings of a project count: %s', async (_, own, files, told, from, below) => {
  const { root, run, project } = await machineWith(own, files, below);
  const settings = join(project, told);
  expect((await run('archive', 'status', '--json')).json()).toMatchObject({
    cleanup: [{ root, settings, days: 7, from }],
    deletions: [{ session: SESSION, at: '2026-12-29T00:00:00.000Z' }, { session: FORK }],
  });
  expect((await run('archive', 'status')).text).toContain(`cleanupPeriodDays is 7 in ${settings}: started in`);
  rmSync(join(root, NAME));
  expect((await run('archive', 'restore', SESSION)).text).toMatch(/1 file got the present time.*7 days/);
  expect(statSync(join(root, NAME)).mtimeMs).toBeGreaterThan(Date.parse('2026-12-31T00:00:00Z'));
});

test.each([
  ['keep longer', days(12), { [SHARED]: days(99) }],
  ['keep longer where they are not shared', days(12), { [SHARED]: days(3), [LOCAL]: days(99) }],
  ['say nothing of it', days(12), { [SHARED]: '{}', [LOCAL]: '' }],
  ['cannot be read', days(12), { [SHARED]: '{bad' }],
])('the person’s own count where those of a project %s: the client may be started elsewhere', async (_, own, files) => {
  const { root, run } = await machineWith(own, files);
  expect((await run('archive', 'status', '--json')).json()).toMatchObject({
    cleanup: [{ settings: join(root, 'settings.json'), days: 12, from: 'settings' }],
  });
});
