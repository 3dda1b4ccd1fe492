/** `skein team init`: what it makes, keeps, changes and refuses. On a cluster: team-cluster.test.ts; broken off, odd names: team-schema.test.ts; days of classes: team-retention.test.ts. */
import { expect, test } from 'vitest';
import { at } from '../../src/format/json.ts';
import { accessStatements } from '../../src/team/schema/access.ts';
import { parseRetention } from '../../src/team/schema/retention.ts';
import { parseBudget, parseMember } from '../../src/team/schema/rules.ts';
import { setUpTeam } from '../../src/team/schema/setup.ts';
import { leaks } from '../../src/team/schema/state.ts';
import { STEPS, type Step } from '../../src/team/schema/steps.ts';
import { isPushed, TABLES } from '../../src/team/schema/tables.ts';
import { expectValid } from '../support/schema.ts';
import { command, database, engine, everything, init, newDatabase, outcomes } from '../team/databases.ts';

test('the first run makes all, the second nothing, and both say so', async () => {
  const first = await init('--json');
  expect(first.err).toBe('');
  expect(first.code).toBe(0);
  expectValid('team-init', first.json());
  expect(outcomes(first.json())).toEqual({ 'step 1': 'made', retention: 'made', 'roles and row policies': 'made' });
  const made = await engine.server.rows('SELECT name FROM system.tables WHERE database = {database: String}', {
    database,
  });
  expect(made.map(({ name }) => name).sort()).toEqual(TABLES.map(({ name }) => name).sort());
  const before = await everything();

  const second = await init('--json');
  expect(outcomes(second.json())).toEqual({ tables: 'kept', retention: 'kept', 'roles and row policies': 'kept' });
  expect(await everything()).toEqual(before);
  expect((await init()).text).toContain('nothing changed');
});

test('no password is ever printed', async () => {
  const password = new URL(engine.url()).password;
  for (const args of [[], ['--json'], ['--dry-run'], ['--verbose', '--retention', 'x']]) {
    const { text, err } = await init(...args);
    expect(text + err).not.toContain(password);
  }
  const wrong = await command('team', 'init', '--team', engine.url().replace(password, 'geheim'));
  expect(wrong.code).toBe(1);
  expect(wrong.err).toContain('the login or its password is wrong');
  expect(wrong.err).not.toContain('geheim');
});

test('--dry-run changes nothing and prints statements that do the work', async () => {
  const { text, code } = await init('--dry-run', '--member', "o'neil:r'ed", '--budget', 'team:red=10');
  expect(code).toBe(0);
  expect(
    await engine.server.rows('SELECT 1 FROM system.databases WHERE name = {database: String}', { database }),
  ).toEqual([]);
  for (const statement of text.split(/;\n/).filter((each) => each.trim() !== '')) {
    const [insert, rows] = statement.split(/(?<= FORMAT JSONEachRow) /);
    if (rows === undefined) await engine.server.command(statement);
    else expect(insert).toMatch(/^INSERT INTO \w+\.(?:members|budgets) /);
  }
  expect(outcomes((await init('--json')).json())).toMatchObject({ retention: 'kept' });
});

test('an older schema is upgraded step by step, its rows stay', async () => {
  await setUpTeam(engine.server, { database });
  await engine.server.insert(
    `${database}.members`,
    ['login', 'team', 'version'],
    ['{"login":"anna","team":"red","version":1}'],
  );
  const taken: number[] = [];
  const further = (version: number, sql: string): Step => ({
    version,
    what: `step ${version}`,
    statements: (place) => {
      taken.push(version);
      return [`ALTER TABLE ${place.database}.members ${sql}`];
    },
  });
  const steps = [
    ...STEPS,
    further(2, 'ADD COLUMN IF NOT EXISTS colour String'),
    further(3, "MODIFY COLUMN colour String DEFAULT 'blue'"),
  ];
  const { from, to, done } = await setUpTeam(engine.server, { database, steps });
  expect({ from, to, taken }).toEqual({ from: 1, to: 3, taken: [2, 3] });
  expect(done.filter(({ outcome }) => outcome === 'changed').map(({ what }) => what)).toEqual(['step 2', 'step 3']);
  expect(await engine.server.rows(`SELECT login, colour FROM ${database}.members FINAL`)).toEqual([
    { login: 'anna', colour: 'blue' },
  ]);
  const again = await setUpTeam(engine.server, { database, steps });
  expect(again.done.every(({ outcome }) => outcome === 'kept')).toBe(true);

  // This Skein knows less than the server has.
  const refused = await init();
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('newer (3) than this Skein knows (1)');
});

test('a table that was dropped by hand comes back', async () => {
  await init();
  await engine.server.command(`DROP TABLE ${database}.usage`);
  expect(outcomes((await init('--json')).json())).toMatchObject({ 'table usage': 'made' });
});

test('where roles may not be made, the statements for an administrator are printed', async () => {
  await engine.fail((request) =>
    request.sql.startsWith('CREATE ROLE')
      ? { status: 403, body: 'Code: 497. DB::Exception: anna: Not enough privileges. (ACCESS_DENIED)' }
      : undefined,
  );
  const { text, code } = await init();
  const json = (await init('--json')).json();
  await engine.works();
  expect(code).toBe(0);
  const { roles, policies, grants } = accessStatements(TABLES, { database });
  for (const statement of [...roles, ...policies, ...grants]) expect(text).toContain(`${statement};\n`);
  expect(at(json, 'administrator')).toEqual([...roles, ...policies, ...grants]);
});

test('a login that may not set up is told so, or that nothing is to do', async () => {
  await setUpTeam(engine.server, { database });
  await engine.addUser('anna', ['skein_member']);
  const asAnna = (name: string) => command('team', 'init', '--team', engine.url('anna').replace(/skein$/, name));
  expect((await asAnna(database)).text).toContain('nothing changed');
  const refused = await asAnna('elsewhere');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('this login may not do that');
});

test('tables of others are not touched', async () => {
  await engine.server.command(`CREATE DATABASE ${database}`);
  await engine.server.command(`CREATE TABLE ${database}.files (a String) ENGINE = MergeTree ORDER BY a`);
  const { code, err } = await init();
  expect(code).toBe(1);
  expect(err).toContain('has tables of other kinds with our names: files');
});

test('a server without a text index is refused', async () => {
  await engine.fail((request) =>
    request.sql.includes('version()') ? { status: 200, body: '{"version":"25.8.3.1"}\n' } : undefined,
  );
  const { code, err } = await init();
  await engine.works();
  expect(code).toBe(1);
  expect(err).toContain('too old: it is ClickHouse 25.8.3.1');
  expect(err).toContain('26.2 or newer');
});

test('a server whose row policies have a known hole is told of', async () => {
  const tight = ['26.3.33.101', '26.6.9.7', '26.7.11.6', '26.7.12.1', '26.8.7.7', '26.9.1.1', '26.10.1.1', '27.1.1.1'];
  for (const version of tight) expect(leaks(version), version).toBe(false);
  for (const version of ['26.2.9.9', '26.3.33.100', '26.5.99.1', '26.7.2.1', '26.8.7.6'])
    expect(leaks(version), version).toBe(true);
  for (const [version, told] of [
    ['26.7.2.1', true],
    ['26.9.1.1', false],
  ] as const) {
    await engine.fail(
      (request, said: { version: string }) =>
        request.sql.includes('version()') ? { status: 200, body: `{"version":"${said.version}"}\n` } : undefined,
      { version },
    );
    const { err } = await init('--dry-run');
    const { warnings } = await setUpTeam(engine.server, { database, dryRun: true });
    await engine.works();
    expect(err.includes('mergeTreeTextIndex')).toBe(told);
    expect(warnings).toHaveLength(told ? 1 : 0);
  }
});

test('members and budgets are written once, whatever their names are', async () => {
  const args = [
    '--member',
    "o'neil@x.org:r'ed",
    '--budget',
    'project:/work/a=b=12.5/week',
    '--budget',
    "team:r'ed=100",
  ];
  expect(outcomes((await init('--json', ...args)).json())).toMatchObject({
    "member o'neil@x.org": 'made',
    'budget of project /work/a=b': 'made',
    "budget of team r'ed": 'made',
  });
  expect(outcomes((await init('--json', ...args)).json())).toMatchObject({
    "member o'neil@x.org": 'kept',
    'budget of project /work/a=b': 'kept',
    "budget of team r'ed": 'kept',
  });
  expect(outcomes((await init('--json', '--budget', "team:r'ed=50")).json())).toMatchObject({
    "budget of team r'ed": 'changed',
  });
  expect(await engine.server.rows(`SELECT login, team, removed FROM ${database}.members FINAL`)).toEqual([
    { login: "o'neil@x.org", team: "r'ed", removed: 0 },
  ]);
  expect(
    await engine.server.rows(`SELECT scope, name, period, usd FROM ${database}.budgets FINAL ORDER BY usd`),
  ).toEqual([
    { scope: 'project', name: '/work/a=b', period: 'week', usd: 12.5 },
    { scope: 'team', name: "r'ed", period: 'month', usd: 50 },
  ]);
});

test('with a clock that is behind, what was set is what holds', async () => {
  const later = '2100-01-01 00:00:00';
  await init();
  const version = `toUnixTimestamp64Milli(toDateTime64('${later}', 3))`;
  await engine.server.command(
    `INSERT INTO ${database}.members (login, team, removed, version) VALUES ('anna', 'red', 1, ${version})`,
  );
  // As someone may write it by hand, beyond what a number holds here.
  await engine.server.command(
    `INSERT INTO ${database}.budgets (scope, name, period, usd, version) VALUES ('team', 'red', 'month', 1, 4102444800000000001)`,
  );
  const args = ['--json', '--member', 'anna:red', '--budget', 'team:red=20'];
  expect(outcomes((await init(...args)).json())).toMatchObject({
    'member anna': 'made',
    'budget of team red': 'changed',
  });
  expect(await engine.server.rows(`SELECT login, removed FROM ${database}.members FINAL`)).toEqual([
    { login: 'anna', removed: 0 },
  ]);
  expect(await engine.server.rows(`SELECT usd FROM ${database}.budgets FINAL`)).toEqual([{ usd: 20 }]);
  expect(outcomes((await init(...args)).json())).toMatchObject({ 'member anna': 'kept', 'budget of team red': 'kept' });

  // The number of the schema is such a row, too.
  await engine.server.command(`ALTER TABLE ${database}.schema_version DELETE WHERE 1`, undefined, {
    mutations_sync: '2',
  });
  await engine.server.command(
    `INSERT INTO ${database}.schema_version (part, value, version) VALUES ('schema', '0', ${version}), ('access', 'old', ${version})`,
  );
  await init();
  expect((await init()).text).toContain('nothing changed');
});

test('when something fails, what was done before is told', async () => {
  await engine.fail((request) =>
    request.sql.includes('.budgets (')
      ? { status: 403, body: 'Code: 497. DB::Exception: no. (ACCESS_DENIED)' }
      : undefined,
  );
  const args = ['--member', 'anna:red', '--budget', 'team:red=20'];
  const { code, text, err } = await init(...args);
  const json = await init('--json', ...args, '--member', 'ben:red');
  await engine.works();
  expect(code).toBe(1);
  expect(text).toMatch(
    /it broke off; this was done:\n +made +step 1: .*\n +made +retention[\s\S]*made +member anna: red\n$/,
  );
  expect(err).toContain('this login may not do that');
  expect(json.code).toBe(1);
  expectValid('team-init', json.json());
  expect(outcomes(json.json())).toMatchObject({ tables: 'kept', 'member anna': 'kept', 'member ben': 'made' });

  newDatabase();
  await engine.fail((request) => (request.sql.startsWith('CREATE ROLE') ? { status: 500, body: 'gone' } : undefined));
  const broken = await init();
  await engine.works();
  expect(broken.code).toBe(1);
  expect(broken.text).toMatch(/made +step 1/);
});

test('a database of one server is not made one of a cluster, nor the other way round', async () => {
  const cluster = (tables = '') =>
    engine.fail(
      (request, told: { tables: string }) => {
        if (request.sql.includes('FROM system.clusters'))
          return { status: 200, body: '{"host_name":"a","cluster":"main"}\n' };
        if (request.sql.includes('clusterAllReplicas')) return { status: 200, body: '{"login":"default"}\n' };
        return request.sql.includes('engine_full') && told.tables !== ''
          ? { status: 200, body: told.tables }
          : undefined;
      },
      { tables },
    );
  await init();
  const before = await everything();
  await cluster();
  const refused = await init('--cluster', 'main', '--member', 'anna:red');
  await engine.works();
  expect(refused.code).toBe(1);
  expect(refused.err).toContain(`The database "${database}" was made without a cluster`);
  expect(refused.err).toContain('Nothing was touched');
  expect(await everything()).toEqual(before);
  expect(await engine.server.rows(`SELECT login FROM ${database}.members`)).toEqual([]);

  // What a server of a cluster says of its tables; this one knows no cluster.
  const spread = TABLES.flatMap(({ name }) =>
    isPushed(name)
      ? [
          { name, engine_full: `Distributed('main', '${database}', '${name}_local', sipHash64(session))` },
          { name: `${name}_local`, engine_full: "ReplicatedReplacingMergeTree('/clickhouse/tables', 'a', version)" },
        ]
      : [{ name, engine_full: "ReplicatedReplacingMergeTree('/clickhouse/tables', 'a', version)" }],
  );
  await cluster(spread.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const without = await init('--member', 'anna:red');
  const allowed = await init('--cluster', 'main', '--dry-run');
  await engine.works();
  expect(without.code).toBe(1);
  expect(without.err).toContain(`The database "${database}" was made for the cluster "main"`);
  expect(without.err).toContain('Say --cluster main');
  expect(await everything()).toEqual(before);
  expect(allowed).toMatchObject({ code: 0 });
});

test('what is not understood is refused before anything is made', async () => {
  expect(parseRetention('a=1')).toEqual(['a', 1]);
  for (const text of ['a', 'a=', 'a=0', "a'=1", '=1', 'a=1.5', 'a=-1', 'a=99999', 'A=1'])
    expect(parseRetention(text)).toBeUndefined();
  expect(parseMember('a:b:c')).toEqual({ login: 'a:b', team: 'c' });
  for (const text of ['a', ':b', 'a:']) expect(parseMember(text)).toBeUndefined();
  for (const text of ['team:red', 'team:red=x', 'land:x=1', 'team:=1', 'team:red=1/year'])
    expect(parseBudget(text)).toBeUndefined();
  for (const args of [['--retention', 'x'], ['--member', 'x'], ['--budget', 'x'], ['word']])
    expect((await init(...args)).code).toBe(2);
  expect((await command('team', 'init')).err).toContain('Which team?');
  expect((await command('team', 'init', '--team', 'http://elsewhere.example:8123')).err).toContain('--insecure');
});
