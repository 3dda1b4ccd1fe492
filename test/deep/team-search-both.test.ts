/** Searching a team finds what searching the archive finds. More of it: test/deep/team-search.test.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { literalsOf } from '../../src/team/search/cut.ts';
import { searchTeam } from '../../src/team/search/search.ts';
import { parseQuery } from '../../src/views/search/query.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { type Machine, pushed } from '../support/team.ts';
import { askBoth, isByTime, NOW, plain, requestOf, settled } from '../team/search-both.ts';
import { writeCorpus } from '../team/search-corpus.ts';

let engine: ClickHouse;
let machine: Machine;
let root: string;

beforeAll(async () => {
  engine = await startClickHouse({ record: false });
  root = mkdtempSync(join(tmpdir(), 'skein-test-'));
  writeCorpus(root);
  machine = await pushed(root, engine);
});
afterAll(async () => {
  await engine.stop();
  for (const folder of [root, machine.home]) rmSync(folder, { recursive: true });
});

test.each([
  'login',
  'numbat in:prompt role:user',
  'bilby',
  '"exponential backoff" -docker',
  'login -"login again" -auth*',
  '"a au*"',
  '登录',
  '中文',
  'cafe',
  'project:shop -session:2222 -role:assistant -in:title login',
  'session:a77',
  'tool:ba* is:error file:APP/ git-branch:main',
  '-file:compose -model:test -tool:Read after:2026-01-02T10:00:03Z before:2026-01-06T00:00:00Z',
  "' OR 1=1 --",
  'file:"\' OR 1=1 --" -session:"\\\' OR"',
  '~"修好了。"',
  '~"in red" login',
  '~"\\"',
  '/TODO\\(\\w+\\)/ project:shop',
  '/log(in|out)/i -/agent/',
])('as in the archive: %s', async (words) => {
  const { kept, team } = await askBoth(machine, engine.admin, words);
  expect(team.total).toBe(kept.total);
  expect(settled(team.hits)).toEqual(settled(kept.hits));
  expect(isByTime(team.hits)).toBe(true);
});

test.each(['login', 'login the', '"a b" a auth*', '哈哈 a', 'role:user'])(
  'in the same order by rank: %s',
  async (words) => {
    const { kept, team } = await askBoth(machine, engine.admin, words, { sort: 'rank' });
    expect(team.hits.map(plain)).toEqual(kept.hits.map(plain));
    expect([...team.chats].toSorted()).toEqual([...kept.chats].toSorted());
  },
);

test('page by page', async () => {
  const whole = await searchTeam(engine.admin, requestOf('login', { sort: 'rank' }));
  for (const offset of [0, 3, 99]) {
    const page = await searchTeam(engine.admin, requestOf('login', { sort: 'rank', offset, limit: 3 }));
    expect(page.hits).toEqual(whole.hits.slice(offset, offset + 3));
    expect(page.total).toBe(whole.total);
  }
});

test('of a word that stands nearly everywhere the newest are ranked, and all are counted', async () => {
  const whole = await searchTeam(engine.admin, requestOf('login role:user'));
  const some = await searchTeam(engine.admin, requestOf('login role:user', { sort: 'rank' }), { mostRanked: 3 });
  expect(some.total).toBe(whole.total);
  expect(settled(some.hits)).toEqual(settled(whole.hits.slice(0, some.hits.length)));
  expect(some.hits.length).toBeLessThan(whole.total);
});

test('what was replaced or taken back is not found by what it said before', async () => {
  const count = async (words: string) => (await searchTeam(engine.admin, requestOf(words, { sort: 'rank' }))).total;
  const change = (word: string, what: string) =>
    engine.admin.command(`INSERT INTO messages SELECT * REPLACE (version + 1 AS version, ${what})
      FROM (SELECT * FROM messages FINAL WHERE hasAllTokens(words, ['${word}']))`);
  expect(await count('compose')).toBe(1);
  await change('compose', "' docker replaced ' AS words");
  for (const gone of ['compose', '"docker compose"', '~compos', 'compo*'])
    expect([gone, await count(gone)]).toEqual([gone, 0]);
  expect(await count('replaced')).toBe(1);
  await change('replaced', '1 AS deleted');
  expect(await count('replaced')).toBe(0);
});

test('only what a regular expression surely has is asked of the server', () => {
  const literals = (text: string) =>
    parseQuery(text, { now: NOW }).terms.flatMap((term) => (term.kind === 'regex' ? literalsOf(term.regex) : []));
  expect(literals('/TODO\\(\\w+\\)/')).toEqual(['todo']);
  expect(literals('/colou?r be+ ab*c/')).toEqual(['colo', 'r', 'be', 'a', 'c']);
  expect(literals('/a|b/ /(x)?/ /[ab]c/ /ab{0}/ /\\x41b/ /\\\\(abc\\\\)?/')).toEqual([]);
  expect(literals('/maSk/iu /mask/i /time/iu')).toEqual(['mask', 'time']);
});

test('a login finds its own and no more', async () => {
  await engine.addUser('anna', ['skein_pusher', 'skein_member']);
  await engine.addUser('bert', ['skein_member']);
  const other = mkdtempSync(join(tmpdir(), 'skein-test-'));
  writeCorpus(other);
  const { home } = await pushed(other, engine, { content: 'full' }, { login: 'anna' });
  const [anna, bert] = [await engine.as('anna'), await engine.as('bert')];
  const totals = async (words: string) =>
    Promise.all([anna, bert].map(async (team) => (await searchTeam(team, requestOf(words, { sort: 'rank' }))).total));
  const { total } = await searchTeam(engine.admin, requestOf('redirect login'));
  expect(total).toBe(1);
  for (const words of ['redirect login', '"redirect the"', '~redirec', 'file:compose is:error', 'project:shop redir*'])
    expect([words, await totals(words)]).toEqual([words, [1, 0]]);
  for (const folder of [other, home]) rmSync(folder, { recursive: true });
});
