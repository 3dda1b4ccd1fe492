/** Files of one session that machines and people pushed from other folders and with other policies: they are read as one session. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asArray, asString, at, type Json, type JsonObject } from '../../src/format/json.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { runHere } from '../support/inprocess.ts';
import { machine } from '../support/team.ts';
import { answer, call, prompt, result, turns, writeSession } from '../support/teamsession.ts';
import { answer as answerOf, pushedTo } from '../team/conforming.ts';
import { firstDifference } from '../team/questions.ts';

let engine: ClickHouse;

beforeAll(async () => {
  engine = await startClickHouse({ record: false });
  for (const login of ['ann', 'bob']) await engine.addUser(login, ['skein_pusher', 'skein_member']);
});
afterAll(() => engine.stop());

function ask(...argv: string[]) {
  return runHere([...argv, '--team', engine.url()], { HOME: tempFolder() }, { told: true });
}

test('large outputs and given titles are read back, also where their rows name another folder', async () => {
  const EDITS = 'ddca1f30-0b47-4c97-9220-c044861fc482';
  const TITLED = 'abcdef01-2222-4222-8222-222222222222';
  const root = tempFolder();
  cpSync(join(FIXTURES, 'recorded/2.1.325/c-edits/projects'), join(root, 'projects'), { recursive: true });
  const beside = { 'custom-title.json': '{"customTitle":"A name given"}' };
  writeSession(root, { id: TITLED, cwd: '/work/app', lines: turns(TITLED, '/work/app', 1), beside });
  const both = await pushedTo(engine, root, 'beside');
  const questions = [
    ['list', '--json'],
    ['show', EDITS, '--json', '--reveal'],
    ['show', TITLED, '--json'],
    ['show', 'A name given', '--json'],
    ['tree', TITLED, '--json'],
  ];
  const isSameAsKept = async () => {
    for (const argv of questions) {
      const kept = await answerOf(both, argv);
      const read = await answerOf(both, [...argv, '--team', both.url]);
      expect([argv, firstDifference(read, kept)]).toEqual([argv, undefined]);
    }
  };
  await isSameAsKept();
  const shown = await both.run('show', EDITS, '--json', '--reveal', '--team', both.url);
  const [turn] = asArray(at(shown.json(), 'turns')) ?? [];
  const results = (asArray(at(turn, 'toolCalls')) ?? []).map((each) => asString(at(each, 'result'))?.length ?? 0);
  expect(Math.max(...results)).toBeGreaterThan(44_000);
  expect((await both.run('list', '--team', both.url)).text).toContain('A name given');
  const folders = () =>
    engine.sql('SELECT DISTINCT session, toString(slug) AS slug FROM beside.files FINAL ORDER BY slug');
  expect(await folders()).toEqual([
    { session: EDITS, slug: '-home-dev-ws-2-1-325-c-edits' },
    { session: TITLED, slug: '-work-app' },
  ]);
  // As earlier versions sent them.
  await engine.admin.command(`INSERT INTO beside.files SELECT * REPLACE (version + 1 AS version,
    if(kind = 'tool-result', 'tool-results', session) AS slug)
    FROM (SELECT * FROM beside.files FINAL WHERE kind IN ('tool-result', 'custom-title'))`);
  expect((await folders()).map(({ slug }) => slug)).toContain('tool-results');
  await isSameAsKept();
});

describe('a machine with another home', () => {
  const ID = 'abcdef02-2222-4222-8222-222222222222';
  const said = (n: number, text: string) => ({ id: ID, cwd: '/home/anna/app', n: 200 + n, text });
  const path = `/h/${ID}/tool-results/big.txt`;
  const persisted = `<persisted-output>\nOutput too large. Full output saved to: ${path}\n</persisted-output>`;
  const lines = [
    prompt(said(1, 'Ask somebody')),
    answer(said(2, 'I ask'), [call('t1', { subagent_type: 'reader', prompt: 'look' }, 'Task')]),
    { ...result(said(3, 'done'), 't1'), toolUseResult: { agentId: 'a1', status: 'completed' } },
    answer(said(4, 'I run it'), [call('t2', { command: 'make' })]),
    result(said(5, persisted), 't2'),
  ].map((line): JsonObject => ({ ...line, ...(line.toolUseResult === persisted && { toolUseResult: null }) }));
  const agent = [
    { ...prompt(said(51, 'look')), isSidechain: true, agentId: 'a1', parentUuid: null },
    { ...answer(said(52, 'foundbyagent')), isSidechain: true, agentId: 'a1' },
  ];

  function write(root: string, slug: string, isWhole: boolean): void {
    const folder = join(root, 'projects', slug);
    const text = (all: readonly object[]) => all.map((line) => `${JSON.stringify(line)}\n`).join('');
    mkdirSync(join(folder, ID, 'subagents'), { recursive: true });
    mkdirSync(join(folder, ID, 'tool-results'), { recursive: true });
    writeFileSync(join(folder, `${ID}.jsonl`), text(lines));
    if (!isWhole) return;
    writeFileSync(join(folder, ID, 'subagents', 'agent-a1.jsonl'), text(agent));
    writeFileSync(join(folder, ID, 'subagents', 'agent-a1.meta.json'), '{"agentType":"reader","toolUseId":"t1"}');
    writeFileSync(join(folder, ID, 'tool-results', 'big.txt'), 'THE LARGE OUTPUT '.repeat(100));
  }

  test('that has a session without its agents takes nothing from it', async () => {
    const [one, two] = [tempFolder(), tempFolder()];
    write(one, '-home-anna-app', true);
    write(two, '-Users-anna-app', false);
    const look = async () => {
      const [chat] = asArray(at((await ask('tree', ID, '--json')).json(), 'chats')) ?? [];
      const usage = async (...argv: string[]) =>
        at((await ask('usage', ...argv, '--json')).json(), 'totals', 'messages');
      const [hit] = asArray(at((await ask('search', 'foundbyagent', '--json')).json(), 'hits')) ?? [];
      const file = asString(at(hit, 'file')) ?? '';
      return {
        subagents: (asArray(at(chat, 'subagents')) ?? []).map((each) => at(each, 'type')),
        unattached: at(chat, 'unattached'),
        isWhole: (await ask('show', ID, '--json', '--reveal')).text.includes('THE LARGE OUTPUT'),
        ofChat: await usage(ID, '--by', 'total'),
        ofAll: await usage('--by', 'total', '--project', '/home/anna/app'),
        agents: (asArray(at((await ask('usage', ID, '--by', 'agent', '--json')).json(), 'rows')) ?? []).length,
        // What was found can be opened where it is said to be.
        opens: (await ask('cat', file)).text.includes('foundbyagent'),
      };
    };
    for (const root of [one, two]) {
      const pushing = await machine(root);
      pushing.policy({ content: 'full' });
      await pushing.push(engine);
      expect(await look()).toEqual({
        subagents: ['reader'],
        unattached: [],
        isWhole: true,
        ofChat: 3,
        ofAll: 3,
        agents: 2,
        opens: true,
      });
    }
    const [chat] = asArray(at((await ask('tree', ID, '--json')).json(), 'chats')) ?? [];
    expect(chat).toMatchObject({ sessions: [{ file: `team:projects/-Users-anna-app/${ID}.jsonl` }] });
  });
});

describe('one session at two levels of content', () => {
  const ajv = new Ajv2020({ strictTypes: false });
  const isSearch = ajv.compile(JSON.parse(readFileSync('docs/schema/search.schema.json', 'utf8')));

  async function push(place: number, login: string, content: string, count: number): Promise<void> {
    const root = tempFolder();
    const id = idOf(place);
    const lines = turns(id, '/work/app', count, place * 100 + 1, `zebra${place}word`);
    writeSession(root, { id, cwd: '/work/app', lines });
    const pushing = await machine(root);
    pushing.policy({ content });
    await pushing.push(engine, { login });
  }

  const idOf = (place: number) => `abcdef${place}0-2222-4222-8222-222222222222`;

  async function look(place: number) {
    const id = idOf(place);
    const word = `zebra${place}word`;
    const found = async (words: string): Promise<Json> => {
      const json = (await ask('search', words, '--json', '--limit', '50')).json();
      expect([isSearch(json), isSearch.errors, at(json, 'engine')]).toEqual([true, null, 'team']);
      return json;
    };
    const [json, part] = [await found(word), await found(`~${word.slice(1)}`)];
    const hits = asArray(at(json, 'hits')) ?? [];
    const chats = asArray(at((await ask('list', '--json')).json(), 'chats')) ?? [];
    const chat = chats.find((each) => at(each, 'id') === id);
    return {
      total: at(json, 'total'),
      shown: hits.filter((hit) => asString(at(hit, 'snippet'))?.includes(word)).length,
      parts: at(part, 'total'),
      title: at(chat, 'title'),
      project: at(chat, 'project'),
      turns: at(chat, 'turns'),
      isSaid: (await ask('cat', id)).text.split(word).length > 5,
    };
  }

  test.each([
    [4, 'full', 'none'],
    [5, 'none', 'full'],
    [6, 'masked', 'none'],
  ])('%i: %s of one and %s of another', async (place, first, second) => {
    await push(place, 'ann', first, 2);
    await push(place, 'bob', second, 2);
    expect(await look(place)).toEqual({
      total: 10,
      shown: 10,
      parts: 10,
      title: `zebra${place}word question 0`,
      project: '/work/app',
      turns: 2,
      isSaid: true,
    });
  });

  test('where less was sent of a longer one, what more was sent of the shorter is shown with it', async () => {
    await push(7, 'ann', 'full', 2);
    await push(7, 'bob', 'none', 3);
    expect(await look(7)).toMatchObject({
      total: 10,
      shown: 10,
      title: 'zebra7word question 0',
      turns: 3,
      isSaid: true,
    });
  });

  test('who sends less from then on takes back what is theirs', async () => {
    const root = tempFolder();
    writeSession(root, { id: idOf(8), cwd: '/work/app', lines: turns(idOf(8), '/work/app', 2, 801, 'zebra8word') });
    const pushing = await machine(root);
    pushing.policy({ content: 'full' });
    await pushing.push(engine, { login: 'ann' });
    pushing.policy({ content: 'none' });
    await pushing.push(engine, { login: 'ann' });
    expect(await look(8)).toMatchObject({ total: 0, shown: 0, parts: 0, isSaid: false });
  });
});
