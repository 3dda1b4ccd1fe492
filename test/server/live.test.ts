/** One follower, many pages: they are told what changed while sessions are written. */
import { spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asArray, at, type Json } from '../../src/format/json.ts';
import { createLive } from '../../src/server/live.ts';
import type { LiveEvent } from '../../src/views/page/types.ts';
import { assistant, chain, toJsonl, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { rootWith } from '../support/skein.ts';
import { listen, type Served, serve, until } from './helpers.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const NEW = '22222222-2222-4222-8222-222222222222';
const names = (id: string) => (data: Json) => (asArray(at(data, 'ids')) ?? []).includes(id);

async function served(): Promise<{ server: Served; file: string; project: string }> {
  const lines = chain([user('hello'), assistant('world')], { sessionId: ID });
  const root = rootWith({ [`${ID}.jsonl`]: toJsonl(lines) }, writeFileSync);
  const server = await serve(['--root', root, '--no-sync'], { home: tempFolder() });
  await server.settled();
  const project = join(root, 'projects', '-work-app');
  return { server, project, file: join(project, `${ID}.jsonl`) };
}

const turns = async (server: Served, id = ID) =>
  (asArray(at((await server.ask(`/api/chats/${id}`)).json(), 'turns')) ?? []).map((turn) => at(turn, 'prompt'));

test('a session that another process writes to: both pages hear of it and see the new turns', async () => {
  const { server, file } = await served();
  const pages = await Promise.all([listen(server), listen(server)]);
  const before = at((await server.ask(`/api/chats/${ID}`)).json(), 'version');
  const lines = [1, 2, 3].map((number) =>
    JSON.stringify({
      ...chain([user(`more ${number}`)], { sessionId: ID })[0],
      uuid: `more-${number}`,
      parentUuid: number === 1 ? 'u2' : `more-${number - 1}`,
      timestamp: `2026-01-02T10:01:0${number}.000Z`,
    }),
  );
  // Whole lines and halves of them, as a client writes.
  const script = `
    const { appendFileSync } = require('node:fs');
    const lines = ${JSON.stringify(lines)};
    (async () => {
      for (const line of lines) {
        appendFileSync(process.argv[1], line.slice(0, 40));
        await new Promise((resolve) => setTimeout(resolve, 150));
        appendFileSync(process.argv[1], line.slice(40) + '\\n');
      }
    })();`;
  spawn(process.execPath, ['-e', script, file], { stdio: 'ignore' });
  for (const page of pages) await page.wait(names(ID));
  await until(async () => (await turns(server)).length === 4);
  expect(await turns(server)).toEqual(['hello', 'more 1', 'more 2', 'more 3']);
  expect(at((await server.ask(`/api/chats/${ID}`)).json(), 'version')).not.toBe(before);
  expect(at((await server.ask('/api/status')).json(), 'pages')).toBe(2);
  for (const page of pages) page.close();
  await until(async () => at((await server.ask('/api/status')).json(), 'pages') === 0);
});

test('a new session is told as a change of the list, and one that is replaced shows what is there now', async () => {
  const { server, project, file } = await served();
  const page = await listen(server);
  const fresh = { ...chain([user('new')], { sessionId: NEW })[0], uuid: 'n1' };
  writeFileSync(join(project, `${NEW}.jsonl`), toJsonl([fresh]));
  await page.wait(names(NEW));
  await page.wait((data) => at(data, 'type') === 'chats');
  expect(asArray(at((await server.ask('/api/chats')).json(), 'chats'))?.length).toBe(2);
  const other = chain([user('written anew, and longer than before'), assistant('yes indeed')], { sessionId: ID });
  writeFileSync(file, toJsonl(other));
  await until(async () => (await turns(server))[0] === 'written anew, and longer than before');
  writeFileSync(file, toJsonl(chain([user('short')], { sessionId: ID })));
  await until(async () => (await turns(server))[0] === 'short');
});

test('a sub-agent that is written to is a change of its session', async () => {
  const { server, project } = await served();
  const page = await listen(server);
  const folder = join(project, ID, 'subagents');
  mkdirSync(folder, { recursive: true });
  const line = { ...chain([user('look around')], { sessionId: ID, isSidechain: true, agentId: 'a1' })[0] };
  writeFileSync(join(folder, 'agent-a1.jsonl'), toJsonl([line]));
  await page.wait(names(ID));
  const count = page.seen.length;
  appendFileSync(join(folder, 'agent-a1.jsonl'), toJsonl([{ ...line, uuid: 'u9' }]));
  await until(() => page.seen.slice(count).some(({ data }) => names(ID)(data)));
});

test('a page that was away is told what it missed, and nothing else', async () => {
  const { server, file } = await served();
  const page = await listen(server);
  appendFileSync(file, `${JSON.stringify({ type: 'custom-title', customTitle: 'One', sessionId: ID })}\n`);
  const { id } = await page.wait(names(ID));
  const last = page.seen.at(-1)?.id ?? id;
  page.close();
  const again = await listen(server, last);
  appendFileSync(file, `${JSON.stringify({ type: 'custom-title', customTitle: 'Two', sessionId: ID })}\n`);
  await again.wait(names(ID));
  again.close();
  const late = await listen(server, last);
  await late.wait(names(ID));
  expect(late.seen.every((event) => event.id !== last)).toBe(true);
});

test('events since an id: those after it; of another run everything; without one nothing', async () => {
  let tell: (event: LiveEvent) => void = () => {};
  const live = createLive((given) => {
    tell = given;
    return () => {};
  });
  const { signal } = new AbortController();
  const read = async (lastId?: string) => {
    const reader = live.connect(lastId, signal)?.getReader();
    await reader?.read();
    const text = new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    return text;
  };
  const first = /^id: (.*)$/m.exec(await read())?.[1];
  tell({ type: 'sessions', ids: ['a'] });
  tell({ type: 'sessions', ids: ['b'] });
  tell({ type: 'sessions', ids: ['b'] });
  expect(await read(first)).toContain('"ids":["a","b"]');
  const second = String(first).replace(/\d+$/, '1');
  expect(await read(second)).toContain('"ids":["b"]');
  expect(await read('other-3')).toContain('"ids":["a","b"]');
  expect(await read()).not.toContain('data:');
  expect(live.pages).toBe(0);
  live.close();
});

test('a page that takes nothing is let go, and others go on', () => {
  let tell: (event: LiveEvent) => void = () => {};
  const live = createLive((given) => {
    tell = given;
    return () => {};
  });
  live.connect(undefined, new AbortController().signal);
  expect(live.pages).toBe(1);
  for (let count = 0; count < 2000; count += 1) tell({ type: 'chats' });
  expect(live.pages).toBe(0);
  live.close();
});
