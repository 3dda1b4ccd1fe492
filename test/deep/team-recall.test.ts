import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { skein } from '../support/skein.ts';
import { countsBy } from '../support/team.ts';
import { turns, writeSession } from '../support/teamsession.ts';

let engine: ClickHouse;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skein-recall-'));
  engine = await startClickHouse();
  await engine.addUser('ann', ['skein_pusher', 'skein_member'], 'pw');
  await engine.addUser('aud', ['skein_auditor'], 'pw');
});
afterAll(async () => {
  await engine.stop();
  rmSync(folder, { recursive: true, force: true });
});

const [A, B] = ['aaaaaaaa-1111-4111-8111-111111111111', 'bbbbbbbb-1111-4111-8111-111111111111'];
const NONE = { files: 0, entries: 0, messages: 0, tool_calls: 0, usage: 0 };

async function left(session: string): Promise<number> {
  const sum = async (table: string) =>
    Number(
      (await engine.sql(`SELECT count() AS n FROM ${table} WHERE session = {session: String}`, { session }))[0]?.n,
    );
  return (await Promise.all(['files', 'entries', 'messages', 'tool_calls', 'usage'].map(sum))).reduce((a, b) => a + b);
}

test('taken back, it is hidden at once, not sent again, deleted by an administrator, and sent again after --undo', async () => {
  const root = join(folder, 'config');
  writeSession(root, { id: A, cwd: '/srv/a', lines: turns(A, '/srv/a', 2) });
  writeSession(root, { id: B, cwd: '/srv/b', lines: turns(B, '/srv/b', 1) });
  const env = { SKEIN_HOME: join(folder, 'home'), CLAUDE_CONFIG_DIR: root, SKEIN_TEAM: engine.url('ann') };
  const run = (...args: string[]) => skein(['team', ...args], { env, home: join(folder, 'user') });
  expect(run('push', '--yes').code).toBe(0);
  const both = await countsBy(engine, 'ann');
  expect(both).toMatchObject({ files: 2, entries: 12 });

  expect(run('recall', 'aaaa', '--reason', 'a key', '--json').json()).toMatchObject({ sessions: [A] });
  expect(await countsBy(engine, 'ann')).toMatchObject({ files: 1, entries: 4 });
  const auditor = await engine.as('aud');
  expect(await auditor.rows('SELECT count() AS n FROM entries FINAL WHERE session = {a: String}', { a: A })).toEqual([
    { n: 0 },
  ]);
  expect(await engine.sql('SELECT session, reason, undone FROM recalls FINAL')).toEqual([
    { session: A, reason: 'a key', undone: 0 },
  ]);

  writeSession(root, { id: A, cwd: '/srv/a', lines: turns(A, '/srv/a', 3) });
  const again = run('push', '--all', '--json').json();
  expect(again).toMatchObject({ held: [{ session: A, rule: 'recalled' }] });
  expect(await countsBy(engine, 'ann')).toMatchObject({ files: 1, entries: 4 });

  expect(await left(A)).toBeGreaterThan(0);
  const member = run('recall', '--purge', '--yes');
  expect(member.code).toBe(1);
  expect(member.err).toContain('may not');
  const admin = { env: { ...env, SKEIN_TEAM: engine.url() } };
  expect(skein(['team', 'recall', '--purge', '--yes', '--json'], admin).json()).toMatchObject({ sessions: 1, left: 0 });
  expect(await left(A)).toBe(0);
  expect(await left(B)).toBeGreaterThan(0);

  expect(run('recall', 'aaaa', '--undo').code).toBe(0);
  expect(run('push').code).toBe(0);
  expect(await countsBy(engine, 'ann')).toMatchObject({ files: 2, entries: 16 });
});

test('what the archive forgot is taken back by the next push', async () => {
  const root = join(folder, 'config');
  const env = { SKEIN_HOME: join(folder, 'home'), CLAUDE_CONFIG_DIR: root, SKEIN_TEAM: engine.url('ann') };
  const home = join(folder, 'user');
  expect(skein(['archive', 'forget', B, '--yes'], { env, home }).code).toBe(0);
  expect(skein(['archive', 'forget', A, '--yes'], { env, home }).code).toBe(0);
  expect(skein(['team', 'push', '--json'], { env, home }).json()).toMatchObject({ takenBack: [A, B] });
  expect(await countsBy(engine, 'ann')).toEqual(NONE);
});
