import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { menuFor } from '../../src/cli/browse/actions.ts';
import type { ListedChat } from '../../src/cli/chats.ts';
import { asArray, asString, at, type Json } from '../../src/format/json.ts';
import { listen, type Served, serve, until } from '../server/helpers.ts';
import { assistant, chain, toJsonl, user } from '../support/build.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { consoleWith } from '../support/console.ts';
import { tempFolder } from '../support/files.ts';
import { BIN, rootWith, skein } from '../support/skein.ts';
import { pushed } from '../support/team.ts';

let engine: ClickHouse;

beforeAll(async () => {
  engine = await startClickHouse();
});
afterAll(() => engine.stop());

const ID = '11111111-1111-4111-8111-111111111111';
const KEY = `sk-ant-api03-${'aB3dE5fG7hJ9kL2mN4pQ'.repeat(4)}-AA`;

async function prompts(server: Served): Promise<(string | undefined)[]> {
  const turns = asArray(at((await server.ask(`/api/chats/${ID}`)).json(), 'turns')) ?? [];
  return turns.map((turn) => asString(at(turn, 'prompt')));
}

test('the viewer shows a team: list, chat, search, usage, and what is pushed later; nothing is changed here', async () => {
  const lines = chain([user(`hello, the key is ${KEY}`), assistant('zebra world')], { sessionId: ID });
  const root = rootWith({ [`${ID}.jsonl`]: toJsonl(lines) }, writeFileSync);
  const machine = await pushed(root, engine);
  const server = await serve(['--team', engine.url()], { home: tempFolder(), env: { SKEIN_TEAM_POLL_MS: '100' } });
  await server.settled();

  const list = (await server.ask('/api/chats')).json();
  expect(list).toMatchObject({ demo: false, team: expect.stringMatching(/^127\.0\.0\.1:\d+\/skein$/) });
  expect(asArray(at(list, 'chats'))).toMatchObject([{ id: ID, source: 'team', marks: [] }]);
  // Masked as ever, also what was pushed as it is.
  const chat = await server.ask(`/api/chats/${ID}`);
  expect(chat.text).not.toContain(KEY);
  expect(chat.text).toContain('hello, the key is');
  expect(chat.json()).toMatchObject({ resume: { command: null, reason: expect.stringContaining('team') } });
  expect((await server.ask('/api/search?q=zebra')).json()).toMatchObject({ total: 1, hits: [{ chat: ID }] });
  expect((await server.ask('/api/usage?by=model')).json()).toMatchObject({ by: ['model'] });
  expect((await server.ask(`/api/chats/${ID}/export?format=md`)).text).toContain('zebra world');

  const headers = { 'content-type': 'application/json', 'x-skein': '1', origin: server.url.origin };
  const refused = await server.ask(`/api/chats/${ID}/edit`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ verb: 'clone', options: {}, dryRun: true }),
  });
  expect([refused.status, refused.text]).toEqual([expect.any(Number), expect.stringContaining('It is a team’s')]);
  expect(at((await server.ask('/api/status')).json(), 'archive', 'state')).toBe('off');

  const page = await listen(server);
  const more = { ...lines[0], uuid: 'more', parentUuid: 'u2', timestamp: '2026-01-02T11:00:00.000Z' };
  appendFileSync(
    join(root, 'projects', '-work-app', `${ID}.jsonl`),
    `${JSON.stringify({ ...more, message: { role: 'user', content: 'and later' } })}\n`,
  );
  await machine.sync();
  await machine.push(engine);
  await page.wait((data: Json) => (asArray(at(data, 'ids')) ?? []).includes(ID));
  await until(async () => (await prompts(server)).includes('and later'));
  // Nothing new: the list is not asked for again, once what was under way has ended.
  const questions = () => engine.received().filter(({ sql }) => sql.includes('GROUP BY session, name')).length;
  const polls = () => engine.received().filter(({ sql }) => sql.includes('FROM budgets FINAL')).length;
  const polled = (times: number, since = polls()) => until(async () => polls() >= since + times);
  await until(async () => {
    const before = questions();
    await polled(3);
    return questions() === before;
  });
  expect(await server.stop()).toBe(143);
});

test('an agent asks a team over MCP; the password of the team is in nothing that it is told', async () => {
  const client = new Client({ name: 'test', version: '1' });
  const env = { HOME: tempFolder(), PATH: process.env.PATH ?? '', TZ: 'UTC' };
  const args = [BIN, 'mcp', '--team', engine.url()];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  onTestFinished(() => client.close());
  const call = async (name: string, input: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: input });
    return content[0]?.type === 'text' ? content[0].text : '';
  };
  const found = await call('search_history', { query: 'zebra' });
  const [, chat, turn] = /zebra world.* \[chat (\w+) turn (\w+)\]/.exec(found) ?? [];
  const read = await call('read_chat', { chat, turn });
  expect(read).toContain('zebra world');
  expect(await call('list_chats', {})).toContain('hello, the key is');
  const secret = new URL(engine.url()).password;
  expect(found + read).not.toContain(secret);
  const installed = skein(['mcp', 'install', '--team', engine.url()], { home: tempFolder() });
  expect([installed.code, installed.err]).toEqual([2, expect.stringContaining('The password would stand')]);
  expect(installed.err).not.toContain(secret);
  const home = tempFolder();
  const { origin, pathname } = new URL(engine.url());
  writeFileSync(join(home, 'team.json'), JSON.stringify({ profiles: { ours: { url: origin + pathname } } }));
  const named = skein(['mcp', 'install', '--team', 'ours', '--dry-run'], { home, env: { SKEIN_HOME: home } });
  expect(named.text).toContain('mcp --team ours');
});

test('a chat of a team is exported; on the screen of all chats it is read, and nothing is written', () => {
  const to = join(tempFolder(), 'chat.html');
  const saved = skein(['export', 'html', ID, '--to', to, '--yes', '--team', engine.url()], { home: tempFolder() });
  expect([saved.code, saved.text + saved.err]).toEqual([0, expect.any(String)]);
  expect(readFileSync(to, 'utf8')).toContain('zebra world');
  expect(readFileSync(to, 'utf8')).not.toContain(KEY);
  const file = { file: 'team:projects/-a/x.jsonl', kind: 'session', source: 'team' };
  const { items } = menuFor({ id: ID, head: ID, title: 'x', file } as ListedChat);
  expect(items.map(({ key }) => key).join('')).toBe('orcte');
  expect(items[1]?.action).toMatchObject({ kind: 'say', words: expect.stringContaining('team') });
});

test('what a later push masks is gone from the page, and new budgets are on it, without a new start', async () => {
  const id = '22222222-2222-4222-8222-222222222222';
  const said = chain([user(`mind the key ${KEY}`), assistant(`${'so '.repeat(200)} be it`)], { sessionId: id });
  const lines = said.map((line, n) => ({ ...line, uuid: `masked-${n}`, parentUuid: n === 0 ? null : 'masked-0' }));
  const root = rootWith({ [`${id}.jsonl`]: toJsonl(lines) }, writeFileSync);
  const machine = await pushed(root, engine);
  // Of a machine whose clock is an hour ahead: no version of the others will be later.
  const [first] = chain([user('already')], { sessionId: 'ahead' });
  const early = { ...first, uuid: 'ahead-0', timestamp: '2026-01-01T00:00:00.000Z' };
  const ahead = rootWith({ 'ahead.jsonl': toJsonl([early]) }, writeFileSync);
  await pushed(ahead, engine, undefined, { now: () => Date.now() + 3_600_000 });
  const server = await serve(['--team', engine.url()], { home: tempFolder(), env: { SKEIN_TEAM_POLL_MS: '100' } });
  await server.settled();
  const shown = async () => {
    const answers = [`/api/chats/${id}?reveal=1`, `/api/chats/${id}/turns?reveal=1`].map((path) => server.ask(path));
    return (await Promise.all(answers)).map(({ text }) => text).join('\n');
  };
  const budgets = async () => asArray(at((await server.ask('/api/usage/team')).json(), 'budgets')) ?? [];
  expect(await shown()).toContain(KEY);
  expect(await budgets()).toEqual([]);

  const page = await listen(server);
  machine.policy({ content: 'masked' });
  await machine.push(engine);
  await page.wait((data: Json) => (asArray(at(data, 'ids')) ?? []).includes(id));
  const after = await shown();
  expect(after).toContain('mind the key');
  expect(after).not.toContain(KEY);

  const budget = ['team', 'init', '--budget', 'model:opus=5/month', '--team', engine.url()];
  expect(skein(budget, { home: tempFolder() }).code).toBe(0);
  await until(async () => (await budgets()).length === 1);
  expect(await server.stop()).toBe(143);
});

test('a team that goes away while it is shown: the page says so and keeps the list, until it is back', async () => {
  const server = await serve(['--team', engine.url()], { home: tempFolder(), env: { SKEIN_TEAM_POLL_MS: '100' } });
  onTestFinished(() => engine.works());
  await server.settled();
  const list = async () => {
    const json = (await server.ask('/api/chats')).json();
    return { chats: asArray(at(json, 'chats'))?.length ?? 0, problems: asArray(at(json, 'problems'))?.length ?? 0 };
  };
  const { chats } = await list();
  expect(chats).toBeGreaterThan(0);
  await engine.fail(() => 'dropped');
  await until(async () => (await list()).problems > 0);
  expect(await list()).toEqual({ chats, problems: 1 });
  await engine.works();
  await until(async () => (await list()).problems === 0);
  expect(await list()).toEqual({ chats, problems: 0 });
});

test('the screen of a team stays when its server is away: it says why, and looks again when asked to', async () => {
  const world = await consoleWith([]);
  onTestFinished(() => engine.works());
  const terminal = world.run(['--team', engine.url()]);
  const why = 'The team could not be asked';
  await terminal.until((screen) => screen.includes('3 chats') && screen.includes('> and later'));
  await engine.fail(() => 'dropped');
  terminal.keys('C-r');
  // At the foot; what was read before stays.
  const screen = await terminal.until(why);
  expect(screen).toContain('3 chats');
  expect(screen).toContain('> and later');
  // Not read yet: it says why in its place, and is read when the team is back.
  terminal.keys('Down');
  await terminal.until((shown) => shown.includes(why) && !shown.includes('> and later'));
  await engine.works();
  terminal.keys('C-r');
  await terminal.until((shown) => shown.includes('so so so') && !shown.includes(why));
  terminal.keys('C-c');
  await terminal.until('[exit 0]');
});
