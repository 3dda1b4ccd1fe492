/** The way to a team's server: what travels, what comes back, and how troubles are told. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openTeam, type Team } from '../../src/team/connect.ts';
import { resolveTarget } from '../../src/team/target.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { tempFolder } from '../support/files.ts';

let engine: ClickHouse;
let anna: Team;
beforeAll(async () => {
  engine = await startClickHouse();
  await engine.addUser('anna', ['skein_member', 'skein_pusher']);
  anna = await engine.as('anna');
});
afterEach(() => engine.works());
afterAll(() => engine.stop());

test('rows come back with their types, whatever the parameters are, for an administrator and for others', async () => {
  const params = { text: `a'b"c\`\\\t\n\0 {x:String} 日本 🎉`, list: [`q'`, '\\', ''], n: 7, none: null };
  const sql =
    'SELECT {text: String} AS text, {list: Array(String)} AS list, {n: UInt64} AS n, {none: Nullable(String)} AS none';
  expect(await engine.admin.rows(sql, params)).toEqual([params]);
  expect(await anna.rows(sql, params)).toEqual([params]);
  const pairs = { pairs: [['a', "b'"]] };
  for (const team of [engine.admin, anna]) {
    expect(
      await team.rows('SELECT arrayMap(x -> [x.1, x.2], [({a: String}, {b: String})]) AS pairs', { a: 'a', b: "b'" }),
    ).toEqual([pairs]);
  }
});

test('lists that are too long for an address travel in the body', async () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => `0${i}-${'x'.repeat(30)}`);
  for (const team of [engine.admin, anna]) {
    expect(
      await team.rows('SELECT length({ids: Array(String)}) AS n, {ids: Array(String)}[7] AS one', { ids }),
    ).toEqual([{ n: ids.length, one: ids[6] }]);
  }
  const [last] = engine.received().slice(-1);
  expect(last?.url.length).toBeLessThan(1000);
});

test('many rows come one after the other, and a reader may leave', async () => {
  let sum = 0;
  for await (const { number } of anna.each('SELECT number FROM numbers(200000)')) sum += Number(number);
  expect(sum).toBe((199_999 * 200_000) / 2);
  let seen = 0;
  for await (const _ of anna.each('SELECT number FROM numbers(200000)')) if (++seen === 3) break;
  expect(seen).toBe(3);
  expect(await anna.rows('SELECT 1 AS a')).toEqual([{ a: 1 }]);
});

test('rows are sent packed, as they are, and the server says who sent them', async () => {
  const line = JSON.stringify({ text: `\\ " ' \u2028 ${'long '.repeat(50_000)}` });
  const rows = [1, 2, 3].map((n) => JSON.stringify({ session: 's', name: 'f', n, id: `i${n}`, line, version: 1 }));
  await anna.insert('entries', ['session', 'name', 'n', 'id', 'line', 'version'], rows);
  const kept = await engine.sql("SELECT n, line, owner FROM entries FINAL WHERE session = 's' ORDER BY n");
  expect(kept).toEqual([1, 2, 3].map((n) => ({ n, line, owner: 'anna' })));
  const [sent] = engine.received().filter(({ sql }) => sql.startsWith('INSERT INTO entries'));
  expect(sent?.encoding).toBe('gzip');
  expect(sent?.wire).toBeLessThan((sent?.length ?? 0) / 10);
  expect(sent?.body.toString('utf8')).toBe(`${rows.join('\n')}\n`);
});

test('troubles are told by what can be done about them', async () => {
  const asked = (team: Team, sql: string) => team.rows(sql);
  await expect(asked(anna, 'SELECT * FROM nowhere.x')).rejects.toMatchObject({ kind: 'missing', code: 81 });
  await expect(asked(engine.admin, 'SELECT * FROM nothing')).rejects.toMatchObject({ kind: 'missing', code: 60 });
  await expect(asked(anna, 'SELECT count() FROM system.users')).rejects.toMatchObject({ kind: 'denied', code: 497 });
  await expect(asked(anna, 'SELECT {x: String}')).rejects.toMatchObject({ kind: 'other', code: 456 });
  await expect(asked(anna, 'SELEC 1')).rejects.toMatchObject({ kind: 'denied' });
  await expect(asked(engine.admin, 'SELECT 1; SELECT 2')).rejects.toMatchObject({ kind: 'other', code: 62 });
  const stranger = await openTeam({ ...anna.target, password: 'wrong' });
  await expect(stranger.rows('SELECT 1')).rejects.toMatchObject({
    kind: 'denied',
    code: 516,
    what: 'The team could not be asked: the login or its password is wrong',
    where: anna.target.name,
  });
  await stranger.close();
  const nobody = await openTeam({ ...anna.target, url: 'http://127.0.0.1:1' });
  await expect(nobody.rows('SELECT 1')).rejects.toMatchObject({ kind: 'offline', passes: true });
  await nobody.close();
});

test('what passes is told apart, with the time a server asks for', async () => {
  const insert = () => anna.insert('entries', ['session', 'version'], ['{"session":"x","version":1}']);
  const count = async () => (await engine.sql("SELECT count() AS n FROM entries WHERE session = 'x'"))[0]?.n;
  await engine.fail(() => ({ status: 429, body: 'slow down', headers: { 'retry-after': '7' } }));
  await expect(insert()).rejects.toMatchObject({ kind: 'refused', retryAfterMs: 7000, passes: true });
  await expect(anna.rows('SELECT 1')).rejects.toMatchObject({ kind: 'refused', retryAfterMs: 7000 });
  await engine.fail(() => ({ status: 503, body: '<html>busy</html>' }));
  await expect(insert()).rejects.toMatchObject({ kind: 'refused', passes: true });
  await engine.fail(() => ({ status: 500, body: 'Code: 252. DB::Exception: Too many parts. (TOO_MANY_PARTS)' }));
  await expect(insert()).rejects.toMatchObject({ kind: 'refused', code: 252 });
  await engine.fail(() => 'dropped');
  await expect(insert()).rejects.toMatchObject({ kind: 'offline' });
  await expect(anna.rows('SELECT 1')).rejects.toMatchObject({ kind: 'offline' });
  await engine.works();
  expect(await count()).toBe(0);
  await engine.fail((request) => (request.sql.startsWith('INSERT') ? 'lost' : undefined));
  await expect(insert()).rejects.toMatchObject({ kind: 'offline' });
  expect(await count()).toBe(1);
  const hasty = await openTeam({ ...anna.target, timeoutMs: 300 });
  await engine.fail(() => 'hangs');
  await expect(hasty.rows('SELECT 1')).rejects.toMatchObject({
    kind: 'offline',
    what: expect.stringContaining('no answer in time'),
  });
  await hasty.close();
});

test('an answer that breaks off is an error, not a shorter list', async () => {
  const broken = { kind: 'refused', what: expect.stringContaining('broke off') };
  for (const body of [
    '{"a":1}\nCode: 241. DB::Exception: Memory limit exceeded\n',
    '{"a":1}\nCode: 241. DB::Exception: Memory limit exceeded',
    '{"a":1}\n{"a":2}',
    '{"a":1}\n{"a"',
    '{"a":1',
  ]) {
    await engine.fail((_, answer) => answer, { status: 200, body });
    await expect(anna.rows('SELECT 1 AS a')).rejects.toMatchObject(broken);
  }
  await engine.fail((_, answer) => answer, { status: 200, body: '{"a":1}\n{"a":2}\n' });
  expect(await anna.rows('SELECT 1 AS a')).toEqual([{ a: 1 }, { a: 2 }]);
});

test('what is not ClickHouse is no empty team', async () => {
  for (const body of ['', 'Ok.\n', '<html>Please sign in</html>', '{"tagline":"You Know, for Search"}\n']) {
    await engine.fail((_, answer) => answer, { status: 200, body, headers: {} });
    const other = { kind: 'other', next: expect.stringContaining('URL') };
    const what = `The team could not be asked: the answer is not ClickHouse’s${body === '' ? '' : `: ${body.trim()}`}`;
    await expect(anna.rows('SELECT 1')).rejects.toMatchObject({ ...other, what });
    await expect(engine.admin.command('SYSTEM FLUSH LOGS')).rejects.toMatchObject(other);
  }
});

test('a server that is too old, settings that may not be sent, and a page in its place say what to do', async () => {
  const refuse = (status: number, body: string, code?: string) =>
    engine.fail((_, answer) => answer, {
      status,
      body,
      headers: code === undefined ? {} : { 'x-clickhouse-exception-code': code },
    });
  const asked = () => anna.rows('SELECT 1');
  await refuse(
    404,
    'Code: 46. DB::Exception: Function with name `hasAllTokens` does not exist. (UNKNOWN_FUNCTION)',
    '46',
  );
  await expect(asked()).rejects.toMatchObject({ code: 46, next: expect.stringContaining('26.2') });
  const setting = "Cannot modify 'output_format_json_quote_64bit_integers' setting in readonly mode. (READONLY)";
  await refuse(500, `Code: 164. DB::Exception: ${setting}`, '164');
  await expect(asked()).rejects.toMatchObject({
    code: 164,
    kind: 'denied',
    what: expect.stringContaining('readonly = 1'),
    next: expect.stringContaining('readonly = 2'),
  });
  await refuse(500, 'Code: 164. DB::Exception: Cannot execute query in readonly mode. (READONLY)', '164');
  await expect(asked()).rejects.toMatchObject({ code: 164, what: expect.stringContaining('may only read') });
  await refuse(404, '<html><head><title>404 Not Found</title></head></html>\n');
  await expect(asked()).rejects.toMatchObject({
    what: 'The team could not be asked: the answer was 404 with a page instead of rows',
    next: expect.stringContaining('Check the URL'),
  });
});

test('an insert can be stopped', async () => {
  const stop = new AbortController();
  await engine.fail(() => 'hangs');
  const sent = anna.insert('entries', ['session'], ['{"session":"y"}'], { signal: stop.signal });
  setTimeout(() => stop.abort(), 100);
  await expect(sent).rejects.toThrow();
});

/** A home with a team.json. */
function place(teams: unknown, env: Record<string, string> = {}) {
  const home = tempFolder();
  const folder = join(home, 'skein');
  mkdirSync(folder);
  writeFileSync(join(folder, 'team.json'), typeof teams === 'string' ? teams : JSON.stringify(teams));
  writeFileSync(join(folder, 'word'), 'from file\n');
  return { home, env: { SKEIN_HOME: folder, ...env } };
}

test('a target is a URL or a profile; what is nearer wins', () => {
  const teams = {
    profiles: {
      work: { url: 'https://ch.example:8443', user: 'anna', database: 'd', cluster: 'c', passwordFile: 'word' },
    },
    default: 'work',
  };
  const plain = place(teams);
  const work = {
    url: 'https://ch.example:8443',
    database: 'd',
    user: 'anna',
    password: 'from file',
    cluster: 'c',
    name: 'work',
  };
  expect(resolveTarget(plain, 'work')).toEqual(work);
  expect(resolveTarget(plain, undefined)).toEqual({ ...work, name: 'ch.example:8443/d' });
  const env = place(teams, {
    SKEIN_TEAM_USER: 'bea',
    SKEIN_TEAM_PASSWORD: 'from env',
    SKEIN_TEAM: 'http://localhost:1/x',
    SKEIN_TEAM_TIMEOUT: '5',
  });
  expect(resolveTarget(env, 'work')).toMatchObject({ user: 'bea', password: 'from env', timeoutMs: 5000 });
  expect(resolveTarget(env, undefined)).toMatchObject({
    url: 'http://localhost:1',
    database: 'x',
    name: 'localhost:1/x',
  });
  for (const timeout of ['3000000', 'Infinity', '1e400']) {
    const longest = place(teams, { SKEIN_TEAM_TIMEOUT: timeout });
    expect(resolveTarget(longest, 'work').timeoutMs).toBe(2 ** 31 - 1);
  }
  expect(resolveTarget(env, 'http://c%40x:p%2Fw@[::1]:8123')).toMatchObject({
    user: 'c@x',
    password: 'p/w',
    database: 'skein',
  });
});

test('what cannot be a target says why, and never shows a password', () => {
  const one = place({ profiles: { work: { url: 'http://far.example:8123' }, empty: {} } });
  const told = (value: string | undefined, where = one) => {
    try {
      return resolveTarget(where, value);
    } catch (error) {
      return error;
    }
  };
  expect(told('home')).toMatchObject({ what: 'There is no team "home"', next: expect.stringContaining('work, empty') });
  expect(told('empty')).toMatchObject({ what: expect.stringContaining('no "url"') });
  expect(told('work')).toMatchObject({ next: expect.stringContaining('--insecure') });
  expect(resolveTarget(one, 'work', { insecure: true })).toMatchObject({ url: 'http://far.example:8123' });
  expect(
    resolveTarget(place({ profiles: { work: { url: 'http://far.example:1', insecure: true } } }), 'work'),
  ).toMatchObject({ user: 'default' });
  expect(told(undefined)).toMatchObject({ what: expect.stringContaining('Which team?') });
  for (const url of ['ftp://a:geheim@b', 'http://', 'http://a:geheim%@b:1', 'http://a:geheim@far.example/x']) {
    const error = told(url);
    expect(error).toMatchObject({ name: 'TeamError' });
    expect(JSON.stringify(error) + String(error)).not.toContain('geheim');
  }
  expect(told('work', place('{'))).toMatchObject({ what: expect.stringContaining('not a JSON object') });
  const missing = place({ profiles: { work: { url: 'https://a', passwordFile: 'none' } } });
  expect(told('work', missing)).toMatchObject({ what: expect.stringContaining('password cannot be read') });
  if (process.getuid?.() !== 0) {
    chmodSync(join(one.env.SKEIN_HOME, 'team.json'), 0);
    expect(told('work')).toMatchObject({ what: expect.stringContaining('cannot be read') });
  }
});
