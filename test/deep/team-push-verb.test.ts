/** `skein team push` as it is run: by a person, offline, by the hook. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { tempFolder } from '../support/files.ts';
import { expectValid } from '../support/schema.ts';
import { BIN, skein } from '../support/skein.ts';
import { bytesReceived, countsBy } from '../support/team.ts';
import { turns, writeSession } from '../support/teamsession.ts';

const CWD = '/srv/work/app';
const ID = '11111111-1111-4111-8111-111111111111';

let engine: ClickHouse;
beforeAll(async () => {
  engine = await startClickHouse();
  for (const login of ['kim', 'lou']) await engine.addUser(login, ['skein_pusher', 'skein_member'], `pw-${login}`);
});
afterAll(() => engine.stop());

test('asks before the first push, says what it did, and that nothing waits', async () => {
  const root = tempFolder();
  writeSession(root, { id: ID, cwd: CWD, lines: turns(ID, CWD, 1) });
  const home = tempFolder();
  const env = { SKEIN_HOME: tempFolder(), CLAUDE_CONFIG_DIR: root, SKEIN_TEAM: engine.url('kim') };
  const first = skein(['team', 'push'], { env, home });
  expect(first.code).toBe(2);
  expect(first.err).toContain('1 session');
  expect(bytesReceived(engine, 'kim')).toBe('');
  const dry = skein(['team', 'push', '--dry-run', '--json'], { env, home }).json();
  expectValid('team-push', dry);
  expect(dry).toMatchObject({ dryRun: true, sent: [ID], rows: { entries: 4 } });
  expect(bytesReceived(engine, 'kim')).toBe('');
  const sent = skein(['team', 'push', '--yes'], { env, home });
  expect(sent).toMatchObject({ code: 0 });
  expect(sent.text).toContain('1 session sent');
  expect(sent.text + sent.err).not.toContain('pw-kim');
  expect(skein(['team', 'push', '--json'], { env, home }).json()).toMatchObject({ unchanged: 1, stopped: null });
});

test('a server that is not there: exit 1 with what waits; with --quiet exit 0', () => {
  const root = tempFolder();
  writeSession(root, { id: ID, cwd: CWD, lines: turns(ID, CWD, 1) });
  const env = { SKEIN_HOME: tempFolder(), CLAUDE_CONFIG_DIR: root, SKEIN_TEAM: 'http://kim@127.0.0.1:9' };
  const quiet = skein(['team', 'push', ID, '--yes', '--quiet'], { env });
  expect(quiet).toMatchObject({ code: 0, text: '', err: '' });
  const told = skein(['team', 'push'], { env });
  expect(told.code).toBe(1);
  expect(told.err).toContain('1 session waits; the next push sends it');
}, 30_000);

test('the hook pushes what is new, by a process the client does not wait for', async () => {
  const [root, home] = [tempFolder(), tempFolder()];
  const file = writeSession(root, { id: ID, cwd: CWD, lines: turns(ID, CWD, 1) });
  const env = { SKEIN_HOME: tempFolder(), CLAUDE_CONFIG_DIR: root };
  const refused = skein(['hook', 'install', '--team', engine.url('lou'), '--dry-run'], { env, home });
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('A password would stand in settings.json') });
  const profile = { url: engine.url('lou') };
  writeFileSync(join(env.SKEIN_HOME, 'team.json'), JSON.stringify({ profiles: { ours: profile } }));
  expect(skein(['hook', 'install', '--team', 'ours'], { env, home }).text).toContain('hook run --archive --team ours');
  expect(readFileSync(join(root, 'settings.json'), 'utf8')).not.toMatch(/pw-lou|127\.0\.0\.1/);
  const input = JSON.stringify({ hook_event_name: 'Stop', session_id: ID, transcript_path: file });
  const ran = spawnSync(process.execPath, [BIN, 'hook', 'run', '--team', 'ours', '--wait', '0'], {
    env: { PATH: process.env.PATH, HOME: home, ...env },
    input,
  });
  expect(ran).toMatchObject({ status: 0 });
  await expect.poll(async () => (await countsBy(engine, 'lou')).files, { timeout: 15_000 }).toBe(1);
  expect(await countsBy(engine, 'lou')).toMatchObject({ entries: 4, tool_calls: 1 });
  // This one waits until that has ended.
  expect(skein(['team', 'push', '--team', 'ours', '--json'], { env, home }).json()).toMatchObject({ unchanged: 1 });
}, 30_000);
