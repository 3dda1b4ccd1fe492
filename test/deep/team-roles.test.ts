/**
 * Who sees what. Red: anna (a member), ruth (leads it). Blue: bert (a member), o'neil (leads it). olga audits, adam administers,
 * nina has no role. By statements here, through the official client; by the verbs in test/deep/team-access.test.ts.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { asString } from '../../src/format/json.ts';
import type { Team } from '../../src/team/connect.ts';
import { leaks } from '../../src/team/schema/state.ts';
import { PUSHED, sentColumns, TABLES } from '../../src/team/schema/tables.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';

const LOGINS = {
  anna: ['skein_pusher', 'skein_member'],
  ruth: ['skein_pusher', 'skein_team'],
  bert: ['skein_pusher', 'skein_member'],
  "o'neil": ['skein_pusher', 'skein_team'],
  olga: ['skein_auditor'],
  adam: ['skein_admin'],
  nina: [],
  puck: ['skein_pusher'],
} as const;
type Login = keyof typeof LOGINS;
const PUSHERS = ['anna', 'ruth', 'bert', "o'neil"] as const;
const TEAMS: Record<(typeof PUSHERS)[number], string> = {
  anna: 'red',
  ruth: 'red',
  bert: "blue's",
  "o'neil": "blue's",
};

let engine: ClickHouse;
const opened = new Map<Login, Team>();

beforeAll(async () => {
  engine = await startClickHouse();
  for (const [login, roles] of Object.entries(LOGINS)) await engine.addUser(login, roles);
  for (const login of Object.keys(LOGINS) as Login[]) opened.set(login, await engine.as(login));
  const members = PUSHERS.map((login) => JSON.stringify({ login, team: TEAMS[login], version: 1 }));
  await as('adam').insert('members', ['login', 'team', 'version'], members);
  for (const login of PUSHERS) for (const table of PUSHED) await put(login, table, `of-${login}`);
});
afterAll(() => engine.stop());

function as(login: Login): Team {
  const team = opened.get(login);
  if (team === undefined) throw new Error(login);
  return team;
}

/** A row as push would send it, with all columns that may be sent. */
async function put(login: Login, table: string, session: string, more: object = {}): Promise<void> {
  const known = TABLES.find(({ name }) => name === table);
  if (known === undefined) throw new Error(table);
  const row = { session, name: `${session}.jsonl`, message: session, version: 1, time: now(), ...more };
  await as(login).insert(table, sentColumns(known), [JSON.stringify(row)]);
}

function now(): string {
  return new Date().toISOString().replace('T', ' ').replace('Z', '');
}

async function owners(login: Login, table: string, rest = ''): Promise<string[]> {
  const rows = await as(login).rows(`SELECT owner FROM ${table} FINAL ${rest} ORDER BY owner`);
  return rows.map((row) => asString(row.owner) ?? '');
}

const SEES: Readonly<Record<string, readonly string[]>> = {
  anna: ['anna'],
  ruth: ['anna', 'ruth'],
  bert: ['bert'],
  "o'neil": ['bert', "o'neil"],
  olga: ['anna', 'bert', "o'neil", 'ruth'],
  adam: ['anna', 'bert', "o'neil", 'ruth'],
};

test('the rows are there: the filters hide something', async () => {
  for (const table of PUSHED) {
    expect(await engine.sql(`SELECT count() AS n, uniq(owner) AS owners FROM ${table} FINAL`)).toEqual([
      { n: 4, owners: 4 },
    ]);
  }
});

test('members read their own rows, those of a team the rows of that team, auditors all; in every table', async () => {
  for (const [login, seen] of Object.entries(SEES)) {
    for (const table of PUSHED) expect(await owners(login as Login, table), `${login} in ${table}`).toEqual(seen);
  }
});

test('without a role, or with the right to push alone, nothing can be read', async () => {
  for (const login of ['nina', 'puck'] as const) {
    for (const table of PUSHED) {
      await expect(as(login).rows(`SELECT count() AS n FROM ${table}`)).rejects.toMatchObject({
        kind: 'denied',
        code: 497,
      });
    }
  }
});

test('no question gets around it: counts, joins, subqueries, ids, words, other names of the table', async () => {
  const of = 'of-bert';
  const one = (sql: string, params = {}) => as('anna').rows(sql, params);
  expect(await one('SELECT count() AS n FROM entries')).toEqual([{ n: 1 }]);
  expect(await one('SELECT count() AS n FROM entries FINAL WHERE session = {of: String}', { of })).toEqual([{ n: 0 }]);
  expect(await one('SELECT uniqExact(owner) AS n, groupArray(session) AS s FROM files')).toEqual([
    { n: 1, s: ['of-anna'] },
  ]);
  expect(await one("SELECT count() AS n FROM usage WHERE owner = 'bert' OR 1 = 1")).toEqual([{ n: 1 }]);
  expect(
    await one(
      'SELECT count() AS n FROM usage AS a LEFT JOIN files AS b ON a.session != b.session WHERE b.session != {none: String}',
      { none: '' },
    ),
  ).toEqual([{ n: 0 }]);
  expect(await one('SELECT (SELECT count() FROM messages) AS n')).toEqual([{ n: 1 }]);
  expect(
    await one('SELECT count() AS n FROM (SELECT session FROM entries UNION ALL SELECT session FROM skein.messages)'),
  ).toEqual([{ n: 2 }]);
  expect(
    await one("SELECT count() AS n FROM messages WHERE hasToken(words, 'x') OR session = {of: String}", { of }),
  ).toEqual([{ n: 0 }]);
  for (const sql of [
    "SELECT * FROM merge('skein', '^entries$')",
    "SELECT * FROM remote('127.0.0.1', 'skein.entries')",
    "SELECT * FROM cluster('one', 'skein.entries')",
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    'SELECT * FROM system.query_log',
    'SELECT * FROM system.parts_columns',
  ]) {
    const answer = await one(sql).catch((error: unknown) => error);
    // Refused, or nothing of others in it.
    expect(JSON.stringify(answer), sql).not.toContain('of-bert');
  }
});

test('where the engine itself lets indexes be read past the policies, init says so', async () => {
  const [row] = await engine.sql('SELECT version() AS version');
  const looks = [
    "SELECT * FROM mergeTreeIndex('skein', 'entries')",
    "SELECT * FROM mergeTreeTextIndex('skein', 'messages', 'by_word')",
  ];
  for (const sql of looks) {
    const refused = await as('anna')
      .rows(sql)
      .then(
        () => false,
        () => true,
      );
    expect(refused).toBe(!leaks(asString(row?.version) ?? ''));
  }
});

test('what is not theirs to do is refused: other owners, deleting, defining, granting', async () => {
  const anna = as('anna');
  const insert = (columns: string[], row: object, table = 'entries') =>
    anna.insert(table, columns, [JSON.stringify(row)]);
  await expect(
    insert(['session', 'owner', 'version'], { session: 'x', owner: 'bert', version: 1 }),
  ).rejects.toMatchObject({ kind: 'denied' });
  await expect(
    insert(['login', 'team', 'version'], { login: 'anna', team: "blue's", version: 9 }, 'members'),
  ).rejects.toMatchObject({ kind: 'denied' });
  await expect(insert(['scope', 'version'], { scope: 'team', version: 9 }, 'budgets')).rejects.toMatchObject({
    kind: 'denied',
  });
  await expect(
    insert(['part', 'value', 'version'], { part: 'schema', value: '0', version: 9 }, 'schema_version'),
  ).rejects.toMatchObject({ kind: 'denied' });
  for (const sql of [
    'ALTER TABLE entries DELETE WHERE 1',
    'DELETE FROM entries WHERE 1',
    'ALTER TABLE entries UPDATE line = {x: String} WHERE 1',
    'TRUNCATE TABLE entries',
    'DROP TABLE entries',
    'CREATE VIEW skein.v AS SELECT 1',
    'CREATE ROW POLICY OR REPLACE skein_member ON skein.entries FOR SELECT USING 1 TO skein_member',
    'DROP ROW POLICY skein_member ON skein.entries',
    'GRANT skein_auditor TO anna',
    "INSERT INTO entries (session, owner) SELECT 'x', 'bert'",
    'OPTIMIZE TABLE entries FINAL',
  ]) {
    await expect(anna.command(sql, { x: '' }), sql).rejects.toMatchObject({ kind: 'denied' });
  }
  expect(await engine.sql('SELECT count() AS n FROM entries')).toEqual([{ n: 4 }]);
});

test('a row that says it is another’s does not replace it', async () => {
  await put('anna', 'entries', 'of-bert', { name: 'of-bert.jsonl', line: 'forged', version: 99 });
  expect(await as('bert').rows("SELECT line FROM entries FINAL WHERE session = 'of-bert'")).toEqual([{ line: '' }]);
  expect(await owners('olga', 'entries', "WHERE session = 'of-bert'")).toEqual(['anna', 'bert']);
  await engine.admin.command(
    "ALTER TABLE entries DELETE WHERE owner = 'anna' AND session = 'of-bert'",
    {},
    { mutations_sync: '1' },
  );
});

test('who leaves a team reads and is read no longer; who joins does', async () => {
  const move = (removed: number, version: number) =>
    as('adam').insert(
      'members',
      ['login', 'team', 'removed', 'version'],
      [JSON.stringify({ login: 'anna', team: 'red', removed, version })],
    );
  await move(1, 2);
  expect(await owners('ruth', 'files')).toEqual(['ruth']);
  await move(0, 3);
  expect(await owners('ruth', 'files')).toEqual(['anna', 'ruth']);
});

test('members of a team see who is in it; others their own row alone', async () => {
  expect((await as('anna').rows('SELECT login FROM members FINAL')).map(({ login }) => login)).toEqual(['anna']);
  expect((await as('ruth').rows('SELECT login FROM members FINAL')).length).toBe(4);
});

test('budgets of other teams are not seen', async () => {
  const rows = [
    { scope: 'team', name: 'red', usd: 1 },
    { scope: 'team', name: "blue's", usd: 2 },
    { scope: 'person', name: 'anna', usd: 3 },
    { scope: 'person', name: 'bert', usd: 4 },
    { scope: 'model', name: 'opus', usd: 5 },
  ].map((row) => JSON.stringify({ ...row, period: 'month', version: 1 }));
  await as('adam').insert('budgets', ['scope', 'name', 'period', 'usd', 'version'], rows);
  const seen = async (login: Login) =>
    (await as(login).rows('SELECT usd FROM budgets FINAL ORDER BY usd')).map(({ usd }) => usd);
  expect(await seen('anna')).toEqual([1, 3, 5]);
  expect(await seen('ruth')).toEqual([1, 3, 5]);
  expect(await seen("o'neil")).toEqual([2, 4, 5]);
  expect(await seen('olga')).toEqual([1, 2, 3, 4, 5]);
});

test('what was taken back is gone for all readers at once, and comes back when that is undone', async () => {
  const recall = (undone: number) =>
    as('anna').insert(
      'recalls',
      ['session', 'name', 'undone', 'time'],
      [JSON.stringify({ session: 'of-anna', name: '', undone, time: now() })],
    );
  const seen = async () => [
    await owners('anna', 'entries'),
    await owners('ruth', 'usage'),
    (await owners('olga', 'files')).includes('anna'),
  ];
  const before = [['anna'], ['anna', 'ruth'], true];
  expect(await seen()).toEqual(before);
  await recall(0);
  expect(await seen()).toEqual([[], ['ruth'], false]);
  // Who has to delete it sees it.
  expect(await owners('adam', 'entries', "WHERE session = 'of-anna'")).toEqual(['anna']);
  await recall(1);
  expect(await seen()).toEqual(before);
});

test('nobody takes back what is another’s', async () => {
  await as('anna').insert(
    'recalls',
    ['session', 'name', 'undone', 'time'],
    [JSON.stringify({ session: 'of-bert', name: '', undone: 0, time: now() })],
  );
  expect(await owners('bert', 'entries')).toEqual(['bert']);
  expect(await owners('olga', 'entries')).toContain('bert');
  await expect(
    as('anna').insert('recalls', ['session', 'owner'], ['{"session":"of-bert","owner":"bert"}']),
  ).rejects.toMatchObject({ kind: 'denied' });
  expect(await as('bert').rows('SELECT session FROM recalls FINAL')).toEqual([]);
});

test('an administrator of the team deletes rows, an auditor does not', async () => {
  await put('puck', 'entries', 'of-puck');
  await expect(as('olga').command("ALTER TABLE entries DELETE WHERE session = 'of-puck'")).rejects.toMatchObject({
    kind: 'denied',
  });
  await as('adam').command("ALTER TABLE entries DELETE WHERE session = 'of-puck'", {}, { mutations_sync: '1' });
  expect(await engine.sql("SELECT count() AS n FROM entries WHERE session = 'of-puck'")).toEqual([{ n: 0 }]);
  await expect(as('adam').command('DROP TABLE entries')).rejects.toMatchObject({ kind: 'denied' });
});

test('names with quotes stay names', async () => {
  const odd = ["x' OR 1=1 --", 'a\\', 'b`"', "c'); DROP TABLE skein.entries; --", '日本'];
  for (const session of odd) await put("o'neil", 'entries', session);
  const found = async (login: Login, session: string) =>
    (await as(login).rows('SELECT owner FROM entries FINAL WHERE session = {session: String}', { session })).map(
      (row) => row.owner,
    );
  for (const session of odd) {
    expect(await found("o'neil", session)).toEqual(["o'neil"]);
    expect(await found('anna', session)).toEqual([]);
  }
});
