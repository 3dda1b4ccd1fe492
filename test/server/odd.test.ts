/** Sessions as nobody would write them: one of them never takes the others down with it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asArray, asString, at, type Json } from '../../src/format/json.ts';
import { assistant, chain, result, toJsonl, toolUse, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { type Served, serve, until } from './helpers.ts';

const NAMES = ['@last', 'project:app', '-x', '__proto__', 'constructor', 'a b#?%2F&x', '"><b>', 'x'.repeat(249)];
const EMPTY = '11111111-1111-4111-8111-111111111111';
const BROKEN = '22222222-2222-4222-8222-222222222222';
const DEEP = '33333333-3333-4333-8333-333333333333';

function deepLine(depth: number): string {
  const input = `${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`;
  const content = `[{"type":"tool_use","id":"t","name":"mcp__x__y","input":${input}}]`;
  return `{"type":"assistant","uuid":"deep","parentUuid":"u1","message":{"id":"m","role":"assistant","content":${content}}}`;
}

function oddRoot(): string {
  const root = tempFolder();
  const folder = join(root, 'projects', '-work-app');
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string) => writeFileSync(join(folder, `${name}.jsonl`), text);
  for (const name of NAMES) {
    const call = `call ${name.slice(0, 20)}`;
    const lines = [
      user(`I am ${name}`),
      assistant(toolUse(call, name.slice(0, 20), { ['__proto__']: 'x', constructor: 'y' }), { id: name, model: name }),
      result(call, 'fine', { toolUseResult: { agentId: name } }),
      assistant('Yes.', { id: `${name} end`, model: name }),
    ];
    const own = (uuid: Json | undefined) => (typeof uuid === 'string' ? `${name} ${uuid}` : null);
    const chained = chain(lines, { sessionId: name, cwd: '/work/app' });
    write(name, toJsonl(chained.map((line) => ({ ...line, uuid: own(line.uuid), parentUuid: own(line.parentUuid) }))));
  }
  write(EMPTY, '{"type":"system","subtype":"informational","content":"alone"}\n');
  write(BROKEN, 'no\n{"half":\n\0\0\n[]\n');
  write(DEEP, `${toJsonl(chain([user('a lighthouse')]))}${deepLine(50_000)}\n`);
  return root;
}

const chatsOf = async (server: Served): Promise<Json[]> =>
  asArray(at((await server.ask('/api/chats')).json(), 'chats')) ?? [];

test('every one opens, and is exported as itself', async () => {
  const server = await serve(['--root', oddRoot(), '--no-sync'], { home: tempFolder() });
  await server.settled();
  const chats = await chatsOf(server);
  expect(chats.map((chat) => at(chat, 'id')).sort()).toEqual([...NAMES, EMPTY, BROKEN, DEEP].sort());
  for (const id of chats.map((chat) => String(at(chat, 'id')))) {
    const path = `/api/chats/${encodeURIComponent(id)}`;
    expect([id, (await server.ask(path)).status]).toEqual([id, 200]);
    const { status, text, json } = await server.ask(`${path}/turns?from=0&to=50`);
    expect([id, status]).toEqual([id, 200]);
    if (!NAMES.includes(id)) continue;
    expect(text).toContain(JSON.stringify(`I am ${id}`));
    const items = asArray(at((asArray(at(json(), 'turns')) ?? [])[0], 'items')) ?? [];
    const call = items.flatMap((item) => asString(at(item, 'call', 'id')) ?? [])[0] ?? '';
    expect((await server.ask(`${path}/calls/${encodeURIComponent(call)}`)).status).toBe(200);
    expect((await server.ask(`${path}/export?format=json`)).text).toContain(JSON.stringify(`I am ${id}`).slice(1, -1));
    const usage = (await server.ask(`/api/usage?by=session&chat=${encodeURIComponent(id)}`)).json();
    expect(asArray(at(usage, 'rows'))?.map((row) => at(row, 'key', 'session'))).toEqual([id]);
  }
  const refused = await server.ask(`/api/chats/${BROKEN}/export?format=md`);
  expect([refused.status, at(refused.json(), 'where')]).toEqual([422, expect.stringContaining(`${BROKEN}.jsonl`)]);
  expect(server.stderr()).toBe('');
}, 120_000);

test('a line that nests without end is passed over by the archive, search and usage', async () => {
  const server = await serve(['--root', oddRoot()], { home: tempFolder() });
  const state = async () => at((await server.ask('/api/status')).json(), 'archive', 'state');
  const found = async () => at((await server.ask('/api/search?q=lighthouse')).json(), 'total');
  await server.settled();
  expect(await found()).toBe(1);
  await until(async () => ['done', 'failed'].includes(String(await state())));
  expect(await state()).toBe('done');
  expect(await found()).toBe(1);
  expect((await server.ask('/api/usage?by=tool')).status).toBe(200);
});
