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
  // Nothing new: the list is not asked for again.
  const questions = () => engine.received().filter(({ sql }) => sql.includes('GROUP BY session, name')).length;
  const polls = () => engine.received().filter(({ sql }) => sql.includes('max(version)')).length;
  const polled = (times: number, since = polls()) => until(async () => polls() >= since + times);
  // What was under way has ended by the second.
  await polled(2);
  const before = questions();
  await polled(3);
  expect(questions()).toBe(before);
  expect(await server.stop()).toBe(143);
});

test('an agent asks a team over MCP; what it is offered to go on with names the team, and no password', async () => {
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
  const [, flag] = /skein show 11111111 --turn \S+ (--team \S+)/.exec(found) ?? [];
  expect(flag).toMatch(/^--team http:\/\/127\.0\.0\.1:\d+\/skein$/);
  expect(await call('read_chat', { chat: ID })).toContain('zebra world');
  expect(await call('list_chats', {})).toContain('hello, the key is');
  const secret = new URL(engine.url()).password;
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
