/** What could bring back what was taken back, or tell more than the policy lets go. */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiveId, openArchive } from '../../src/archive/store.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { projectSlug } from '../../src/format/slug.ts';
import { openTeam } from '../../src/team/connect.ts';
import { machineOf } from '../../src/team/identity.ts';
import { lockTarget } from '../../src/team/push/lock.ts';
import { openPushState, statePath } from '../../src/team/push/state.ts';
import { markRecalled, undoRecall } from '../../src/team/recall.ts';
import { resolveTarget } from '../../src/team/target.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { skein, startSkein } from '../support/skein.ts';
import { bytesReceived, countsBy, type Machine, machine, rowsBy } from '../support/team.ts';
import { answer, prompt, result, turns, writeSession } from '../support/teamsession.ts';

let engine: ClickHouse;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skein-hostile-push-'));
  engine = await startClickHouse();
  for (const login of ['two', 'late', 'hash', 'moved', 'waits', 'needles'])
    await engine.addUser(login, ['skein_pusher', 'skein_member'], 'pw');
});
afterAll(async () => {
  await engine.stop();
  rmSync(folder, { recursive: true, force: true });
});

const A = 'aaaaaaaa-2222-4222-8222-222222222222';

function rootOf(name: string, cwd = '/srv/a'): string {
  const root = join(folder, name);
  writeSession(root, { id: A, cwd, lines: turns(A, cwd, 2) });
  return root;
}

/** As `skein team recall` does it. */
async function recall(of: Machine, login: string, { undo = false, now = Date.now } = {}): Promise<void> {
  const target = resolveTarget({ env: {}, home: of.home }, engine.url(login));
  const state = openPushState(statePath(of.home, target));
  const archive = openArchive(of.home);
  if (archive === undefined) throw new Error('there is an archive');
  const here = machineOf(archiveId(archive.db));
  archive.close();
  if (undo) {
    const team = await openTeam(target);
    await undoRecall(team, state, [A], here, now());
    await team.close();
  } else markRecalled(state, [A], 'a key');
  state.close();
  if (!undo) await of.push(engine, { login, now });
}

async function isSeen(login: string): Promise<boolean> {
  const rows = await (await engine.as(login)).rows('SELECT count() AS n FROM entries FINAL');
  return Number(rows[0]?.n) > 0;
}

test('what a person took back on one machine is not brought back by the policy of another', async () => {
  const [one, other] = [await machine(rootOf('one')), await machine(rootOf('other'))];
  const deny = { projects: { deny: ['/srv/a'] } };
  one.policy({});
  other.policy({});
  await one.push(engine, { login: 'two' });
  await other.push(engine, { login: 'two' });
  one.policy(deny);
  await one.push(engine, { login: 'two' });
  expect(await isSeen('two')).toBe(false);
  await recall(other, 'two');
  one.policy({});
  await one.push(engine, { login: 'two' });
  expect(await isSeen('two')).toBe(false);
  await recall(other, 'two', { undo: true });
  expect(await isSeen('two')).toBe(true);
});

test('taking back holds whatever the clocks of machines say', async () => {
  const [ahead, behind] = [await machine(rootOf('ahead')), await machine(rootOf('behind'))];
  for (const each of [ahead, behind]) each.policy({});
  const late = () => Date.now() - 3_600_000;
  await ahead.push(engine, { login: 'late' });
  await behind.push(engine, { login: 'late', now: late });
  await recall(ahead, 'late');
  await recall(ahead, 'late', { undo: true });
  await ahead.push(engine, { login: 'late' });
  expect(await isSeen('late')).toBe(true);
  await recall(behind, 'late', { now: late });
  expect(await isSeen('late')).toBe(false);
});

test('a hash of the file as it is here would tell what was masked', async () => {
  const root = rootOf('hash');
  const lines = [...turns(A, '/srv/a', 1), prompt({ id: A, cwd: '/srv/a', n: 60, text: 'password=hunter2 please' })];
  writeSession(root, { id: A, cwd: '/srv/a', lines });
  const one = await machine(root);
  one.policy({ content: 'full' });
  await one.push(engine, { login: 'hash' });
  const digest = async () =>
    (await engine.sql("SELECT digest FROM files FINAL WHERE owner = 'hash'")).map((row) => row.digest);
  const full = await digest();
  for (const content of ['masked', 'none']) {
    one.policy({ content });
    await one.push(engine, { login: 'hash' });
    expect(await digest(), content).not.toEqual(full);
  }
});

test('lines that were cut while a session moved to another folder are taken back', async () => {
  const root = rootOf('moved');
  const one = await machine(root);
  one.policy({ content: 'full' });
  await one.push(engine, { login: 'moved' });
  expect(await countsBy(engine, 'moved')).toMatchObject({ files: 1, entries: 8 });
  rmSync(join(root, 'projects', projectSlug('/srv/a')), { recursive: true });
  const file = writeSession(root, { id: A, cwd: '/srv/b', lines: turns(A, '/srv/b', 1) });
  const soon = new Date(Date.now() + 5000);
  utimesSync(file, soon, soon);
  await one.sync();
  await one.push(engine, { login: 'moved' });
  const moved = await rowsBy(engine, 'moved');
  expect(moved.entries).toHaveLength(4);
  expect(moved.entries?.join('')).not.toContain('/srv/a');
  expect((await one.push(engine, { login: 'moved' })).unchanged).toBe(1);
});

test('an answer of 200 that is not ClickHouse’s, or tells of a failure, has taken nothing', async () => {
  const answers = [
    { status: 200, body: '<html>Please sign in</html>', kind: 'other' },
    { status: 200, body: '', kind: 'other' },
    { status: 200, body: 'Code: 241. DB::Exception: Memory limit exceeded', named: true, kind: 'refused' },
    { status: 302, body: '', location: '/elsewhere', kind: 'other' },
  ];
  let at = 0;
  let asked = 0;
  const server = createServer((request, response) => {
    const { status, body, named, location } = answers[at] ?? { status: 500, body: '' };
    asked += 1;
    if (named) response.setHeader('X-ClickHouse-Query-Id', 'x');
    if (location) response.setHeader('Location', location);
    request.resume().on('end', () => response.writeHead(status).end(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const team = await openTeam(resolveTarget({ env: {}, home: folder }, `http://a:b@127.0.0.1:${port}/skein`));
  try {
    for (const { kind } of answers) {
      const sent = team.insert('entries', ['session'], ['{"session":"x"}']);
      await expect(sent, String(at)).rejects.toMatchObject({ name: 'TeamError', kind });
      at += 1;
    }
    // Nothing goes where a redirection leads.
    expect(asked).toBe(answers.length);
  } finally {
    await team.close();
    server.close();
  }
});

test('a policy that changed while a push waited, or ran, is followed', async () => {
  const root = rootOf('waiting', '/srv/waiting');
  const home = join(folder, 'waiting-home');
  const policy = (json: object) => writeFileSync(join(home, 'team-policy.json'), JSON.stringify(json));
  const env = { SKEIN_HOME: home, CLAUDE_CONFIG_DIR: root, SKEIN_TEAM: engine.url('waits') };
  const target = resolveTarget({ env: {}, home }, engine.url('waits'));
  mkdirSync(home);
  policy({});
  const unlock = await lockTarget(statePath(home, target), { waitMs: 0, signal: new AbortController().signal });
  const push = startSkein(['team', 'push', '--json'], { env, home: join(folder, 'user') });
  const ended = once(push, 'exit');
  await waitFor(() => existsSync(statePath(home, target)));
  policy({ projects: { deny: ['/srv/waiting'] } });
  unlock?.();
  expect((await ended)[0]).toBe(0);
  expect(bytesReceived(engine, 'waits')).not.toContain('/srv/waiting');

  policy({});
  await engine.slow(1500);
  const slow = startSkein(['team', 'push', '--json'], { env, home: join(folder, 'user') });
  const stopped = once(slow, 'exit');
  const before = engine.received().length;
  await waitFor(() => engine.received().length > before);
  policy({ content: 'none' });
  expect((await stopped)[0]).toBe(1);
  await engine.slow(0);
  // What was under way arrived; nothing followed.
  expect(await countsBy(engine, 'waits')).toMatchObject({ files: 0, messages: 0 });
  expect(skein(['team', 'push'], { env, home: join(folder, 'user') }).code).toBe(0);
  expect(await countsBy(engine, 'waits')).toMatchObject({ files: 1, messages: 0 });
});

async function waitFor(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !isSo(); ) {
    if (Date.now() > end) throw new Error('it did not come to pass');
    await sleep(20);
  }
}

const KEY = 'sk-ant-api03-Qm9vYmFyZm9vYmFyMTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1ub3A';
/** Said in every corner of a session; `id` is where ids stand. */
function needled(cwd: string, needle: string): JsonObject[] {
  const say = (n: number) => ({ id: A, cwd, n, text: needle });
  const spaced = `${needle} x`;
  return [
    { type: 'summary', summary: spaced, leafUuid: 'u1' },
    { type: 'custom-title', customTitle: spaced, sessionId: A },
    { type: 'ai-title', title: spaced, aiTitle: spaced },
    { type: 'file-history-snapshot', messageId: 'm1', snapshot: { trackedFileBackups: { [`/p/${needle}`]: {} } } },
    { type: `${needle} is a new type`, [`${needle} key`]: 1 },
    {
      ...prompt(say(1)),
      gitBranch: spaced,
      slug: spaced,
      [`${needle} key`]: needle,
      permissionMode: spaced,
      version: spaced,
    },
    answer(say(2), [
      { type: 'thinking', thinking: needle, signature: spaced },
      { type: 'tool_use', id: spaced, name: `mcp__${needle} x__run`, input: { [`${needle} key`]: needle } },
      { type: 'tool_use', id: 'toolu_2', name: 'Read', input: { file_path: `/p/${needle}` } },
      { type: `${needle} new`, data: needle, source: { data: Buffer.from(needle).toString('base64') } },
    ]),
    { ...result(say(3), 'toolu_2'), toolUseResult: { file: { filePath: needle }, status: spaced, agentType: spaced } },
    {
      ...answer(say(4)),
      message: { model: spaced, id: spaced, role: 'assistant', content: needle, stop_reason: spaced },
    },
    { ...prompt(say(5)), uuid: spaced, timestamp: spaced, requestId: spaced, agentId: spaced },
    { type: 'system', subtype: 'local_command', content: needle, level: spaced, error: { cause: needle } },
    { type: 'progress', data: { type: 'agent_progress', prompt: needle, message: prompt(say(6)) } },
    { type: 'attachment', attachment: { type: spaced, names: [needle], content: needle } },
    { type: 'queue-operation', operation: spaced, content: needle },
    { type: 'pr-link', prUrl: needle, prRepository: spaced },
    { type: 'worktree-state', worktreeSession: { worktreePath: `/w/${needle}`, originalCwd: `/w/${needle}` } },
  ].map((line) => ({ ...line }));
}

test.each([
  ['masked', KEY],
  ['none', 'zebrafish'],
])(
  'content %s: what was said, or stands anywhere in a session, is in no byte that was sent',
  async (content, needle) => {
    const root = join(folder, `needles-${content}`);
    const meta = JSON.stringify({ agentType: `${needle} x`, description: needle, toolUseId: 'toolu_2' });
    writeSession(root, {
      id: A,
      cwd: '/srv/needles',
      lines: needled('/srv/needles', needle),
      beside: {
        'subagents/agent-a1.jsonl': needled('/srv/needles', needle)
          .map((line) => `${JSON.stringify(line)}\n`)
          .join(''),
        'subagents/agent-a1.meta.json': meta,
        'tool-results/toolu_2.txt': needle,
        'custom-title.json': JSON.stringify({ title: needle }),
      },
      torn: `{"type":"user","message":{"content":"${needle}`,
    });
    const one = await machine(root);
    one.policy({ content });
    const before = engine.received().length;
    await one.push(engine, { login: 'needles' });
    const told = engine
      .received()
      .slice(before)
      .map(({ sql, url, body }) => `${sql} ${url} ${body.toString('utf8')}`)
      .join('');
    expect(told).toContain('entries');
    const at = told.toLowerCase().indexOf(needle.toLowerCase());
    expect(at < 0 ? '' : told.slice(Math.max(0, at - 300), at + 100)).toBe('');
    for (const half of [Buffer.from(needle).toString('base64').slice(0, 20)])
      if (content === 'none') expect(told).not.toContain(half);
  },
);

test('what a newer version put down of earlier pushes is left alone', () => {
  const path = join(folder, 'team', 'newer.sqlite');
  const state = openPushState(path);
  state.db.exec('PRAGMA user_version = 99');
  state.close();
  expect(() => openPushState(path)).toThrow(/newer version of Skein/);
});
