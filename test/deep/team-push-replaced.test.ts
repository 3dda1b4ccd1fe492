/** What was sent before is replaced or taken back: after pushes that broke off, under other policies and classes, when parts are forgotten. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forget } from '../../src/archive/forget/forget.ts';
import { chooseFiles } from '../../src/archive/select.ts';
import { archiveId, openArchive } from '../../src/archive/store.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { openTeam, type Team } from '../../src/team/connect.ts';
import { TeamError } from '../../src/team/errors.ts';
import { machineOf } from '../../src/team/identity.ts';
import { openPushState, statePath } from '../../src/team/push/state.ts';
import { markRecalled, undoRecall } from '../../src/team/recall.ts';
import { resolveTarget } from '../../src/team/target.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { tempFolder } from '../support/files.ts';
import { countsBy, type Machine, newLogin, pushed } from '../support/team.ts';
import { answer, call, prompt, turns, writeSession } from '../support/teamsession.ts';

const CWD = '/srv/work/app';
const ID = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-1111-4111-8111-111111111111';
const FULL = { content: 'full' };
const TOKEN = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`;

let engine: ClickHouse;
beforeAll(async () => {
  engine = await startClickHouse();
});
afterAll(() => engine?.stop());

/** A server that takes nothing for one table. */
async function without(table: string, user: string, home: string): Promise<Team> {
  const team = await openTeam(resolveTarget({ env: {}, home }, engine.url(user)));
  return {
    ...team,
    insert: async (...args) => {
      if (args[0] === table) throw new TeamError({ what: 'away', where: '', next: '', kind: 'other' });
      await team.insert(...args);
    },
  };
}

async function breaksOff(machine: Machine, user: string, table: string, again = false): Promise<void> {
  const team = await without(table, user, machine.home);
  await expect(machine.push(engine, { login: user, team, again })).rejects.toThrow('away');
  await team.close();
}

const secretLines = () => [prompt({ id: ID, cwd: CWD, n: 1, text: `use ${TOKEN} falcon` }), ...turns(ID, CWD, 1, 2)];
const rootOf = (lines: JsonObject[], id = ID, root = tempFolder()) => {
  writeSession(root, { id, cwd: CWD, lines });
  return root;
};

async function readable(user: string, sql: string): Promise<unknown> {
  const team = await engine.as(user);
  const [row] = await team.rows(`SELECT ${sql} AS n`);
  return row?.n;
}

describe('after a push that broke off', () => {
  test('the policy of before replaces what arrived', async () => {
    const user = await newLogin(engine);
    const machine = await pushed(rootOf(secretLines()), engine, { content: 'masked' }, { login: user });
    machine.policy(FULL);
    await breaksOff(machine, user, 'messages');
    machine.policy({ content: 'masked' });
    await machine.push(engine, { login: user });
    const full = `(SELECT count() FROM entries FINAL WHERE content = 'full' OR position(line, '${TOKEN}') > 0)`;
    expect(await readable(user, full)).toBe(0);
    expect((await machine.push(engine, { login: user })).unchanged).toBe(1);
  });

  test('--all is finished by the next push, also of sessions it did not reach', async () => {
    const user = await newLogin(engine);
    const root = rootOf(turns(OTHER, CWD, 1), OTHER, rootOf(turns(ID, CWD, 2)));
    const machine = await pushed(root, engine, FULL, { login: user });
    const before = await countsBy(engine, user);
    for (const table of ['files', 'entries', 'messages', 'tool_calls', 'usage'])
      await engine.server.command(
        `ALTER TABLE skein.${table} DELETE WHERE owner = '${user}' SETTINGS mutations_sync = 2`,
      );
    await breaksOff(machine, user, 'entries', true);
    await machine.push(engine, { login: user });
    expect(await countsBy(engine, user)).toEqual(before);
  });
});

describe('classes of retention', () => {
  const words = "(SELECT count() FROM messages FINAL WHERE words LIKE '%falcon%')";

  test('a shorter one with less content: nothing of before is read', async () => {
    const user = await newLogin(engine);
    const machine = await pushed(
      rootOf(secretLines()),
      engine,
      { content: 'full', retention: { default: 'long' } },
      { login: user },
    );
    machine.policy({ content: 'none', retention: { default: 'short' } });
    await machine.push(engine, { login: user });
    expect(await readable(user, words)).toBe(0);
    expect(await readable(user, "(SELECT count() FROM entries FINAL WHERE content = 'full')")).toBe(0);
  });

  test('what was taken back stays so, however long it would have been kept', async () => {
    const user = await newLogin(engine);
    const old = secretLines().map((line) => ({ ...line, timestamp: '2024-12-01T10:00:00.000Z' }));
    const machine = await pushed(
      rootOf(old),
      engine,
      { content: 'full', retention: { default: 'long' } },
      { login: user },
    );
    machine.policy({ projects: { deny: [CWD] }, retention: { default: 'long' } });
    await machine.push(engine, { login: user });
    machine.policy({ content: 'none', retention: { default: 'long' } });
    await machine.push(engine, { login: user });
    expect(await readable(user, words)).toBe(0);
  });
});

test('an output and an agent that the archive forgot are taken back', async () => {
  const user = await newLogin(engine);
  const root = tempFolder();
  const agent = turns(ID, CWD, 1, 501, 'agent').map((line) => ({ ...line, isSidechain: true, agentId: 'a1' }));
  const beside = {
    'tool-results/out.txt': 'falcon key 1234',
    'subagents/agent-a1.jsonl': agent.map((line) => `${JSON.stringify(line)}\n`).join(''),
  };
  writeSession(root, { id: ID, cwd: CWD, lines: turns(ID, CWD, 1), beside });
  const machine = await pushed(root, engine, FULL, { login: user });
  expect(await countsBy(engine, user)).toMatchObject({ files: 3 });
  const archive = openArchive(machine.home);
  for (const name of Object.keys(beside)) if (archive) forget(archive, chooseFiles(archive.db, name).files, new Date());
  archive?.close();
  await machine.push(engine, { login: user });
  const alone = await newLogin(engine);
  const fresh = await pushed(rootOf(turns(ID, CWD, 1)), engine, FULL, { login: alone });
  expect(await countsBy(engine, user)).toEqual(await countsBy(engine, alone));
  expect((await machine.push(engine, { login: user })).unchanged).toBe(1);
  expect(fresh.report.sent).toEqual([ID]);
});

test('half a character in any name is no reason to send nothing', async () => {
  const half = '\ud83d';
  const first = prompt({ id: ID, cwd: CWD, n: 1, text: `cut ${half}` });
  const calls = answer({ id: ID, cwd: CWD, n: 2, text: 'ok' }, [
    call('toolu_1', { file_path: `/a${half}` }, 'Read'),
    call('toolu_2', { command: 'x' }, `B${half}`),
  ]);
  const lines = [
    { ...first, gitBranch: `x${half}` },
    calls,
    { type: 'custom-title', customTitle: half, sessionId: ID },
  ];
  for (const content of ['masked', 'full']) {
    const user = await newLogin(engine);
    const { report } = await pushed(rootOf(lines), engine, { content }, { login: user });
    expect(report.sent).toEqual([ID]);
    expect(await countsBy(engine, user)).toMatchObject({ files: 1, entries: 3 });
  }
});

test('taken back on one machine and allowed again on another, it is sent again from there', async () => {
  const user = await newLogin(engine);
  const [here, there] = [tempFolder(), tempFolder()].map((root) => rootOf(turns(ID, CWD, 2), ID, root));
  const first = await pushed(here ?? '', engine, FULL, { login: user });
  const second = await pushed(there ?? '', engine, FULL, { login: user });
  const before = await countsBy(engine, user);
  const state = (home: string) => openPushState(statePath(home, resolveTarget({ env: {}, home }, engine.url(user))));
  const known = state(first.home);
  markRecalled(known, [ID], '');
  known.close();
  await first.push(engine, { login: user });
  expect(await countsBy(engine, user)).toMatchObject({ entries: 0 });
  const [archive, own, team] = [openArchive(second.home), state(second.home), await engine.as(user)];
  if (archive) await undoRecall(team, own, [ID], machineOf(archiveId(archive.db)), Date.now());
  archive?.close();
  own.close();
  await second.push(engine, { login: user });
  const after = await countsBy(engine, user);
  expect([after.entries, after.messages, after.usage]).toEqual([before.entries, before.messages, before.usage]);
});

test('a session whose folder only its agent tells leaves, when that is allowed', async () => {
  const user = await newLogin(engine);
  const root = tempFolder();
  const strip = ({ cwd: _, ...line }: JsonObject) => line;
  const agent = turns(ID, CWD, 1, 501, 'agent').map((line) => ({ ...line, isSidechain: true, agentId: 'a1' }));
  const beside = { 'subagents/agent-a1.jsonl': agent.map((line) => `${JSON.stringify(line)}\n`).join('') };
  writeSession(root, { id: ID, cwd: CWD, lines: turns(ID, CWD, 1).map(strip), beside });
  const { report } = await pushed(root, engine, { projects: { allow: [CWD] } }, { login: user });
  expect([report.sent, report.held]).toEqual([[ID], []]);
});
