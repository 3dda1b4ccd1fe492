/** What the page is told of chats is what the verbs tell. */
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asArray, asString, at, isObject, type Json, type JsonObject } from '../../src/format/json.ts';
import { serve, until } from '../server/helpers.ts';
import { assistant, chain, result, text, toJsonl, toolUse, user } from '../support/build.ts';
import { FIXTURES, tempFolder } from '../support/files.ts';
import { rootWith, skein } from '../support/skein.ts';

const rows = (json: Json): JsonObject[] => (asArray(at(json, 'chats')) ?? []).filter(isObject);
const ids = (json: Json) => rows(json).map(({ id }) => id);

test('the list has the chats of `skein list`, in its order', async () => {
  for (const version of ['2.0.76', '2.1.325']) {
    const root = join(FIXTURES, 'recorded', version);
    const listed = skein(['list', '--json', '--root', root]).json();
    const server = await serve(['--root', root, '--no-sync'], { home: tempFolder() });
    await server.settled();
    const list = (await server.ask('/api/chats')).json();
    expect(ids(list)).toEqual(ids(listed));
    for (const name of ['title', 'project', 'gitBranch', 'started', 'updated', 'turns', 'bytes', 'source']) {
      expect([name, rows(list).map((row) => row[name])]).toEqual([name, rows(listed).map((row) => row[name])]);
    }
  }
});

test('every chat opens, with the turns and calls of `skein show`', async () => {
  const root = join(FIXTURES, 'recorded', '2.1.325');
  const server = await serve(['--root', root, '--no-sync'], { home: tempFolder() });
  await server.settled();
  for (const id of ids((await server.ask('/api/chats')).json())) {
    const shown = asArray(at(skein(['show', String(id), '--json', '--reveal', '--root', root]).json(), 'turns')) ?? [];
    const page = (await server.ask(`/api/chats/${id}`)).json();
    const heads = asArray(at(page, 'turns')) ?? [];
    // `show` goes to the branch of the session named, the page to the one a resume goes on from.
    if ((asArray(at(page, 'branches')) ?? []).length > 1) continue;
    expect(heads.map((head) => at(head, 'uuid'))).toEqual(shown.map((turn) => at(turn, 'uuid')));
    for (let from = 0; from < heads.length; from += 50) {
      const answer = (await server.ask(`/api/chats/${id}/turns?from=${from}&to=${from + 50}`)).json();
      expect(at(answer, 'version')).toBe(at(page, 'version'));
      for (const turn of asArray(at(answer, 'turns')) ?? []) {
        const calls = (asArray(at(turn, 'items')) ?? []).flatMap((item) => asString(at(item, 'call', 'id')) ?? []);
        for (const call of calls) {
          const opened = await server.ask(`/api/chats/${id}/calls/${call}`);
          expect([call, opened.status, at(opened.json(), 'id')]).toEqual([call, 200, call]);
        }
        for (const item of asArray(at(turn, 'items')) ?? []) {
          const agent = asString(at(item, 'call', 'agent', 'agentId'));
          if (agent === undefined) continue;
          const nested = await server.ask(`/api/chats/${id}/agents/${agent}`);
          expect([agent, nested.status, at(nested.json(), 'agent', 'agentId')]).toEqual([agent, 200, agent]);
        }
        const uuid = asString(at(turn, 'uuid'));
        if (uuid === undefined) continue;
        const found = (await server.ask(`/api/chats/${id}/find?uuid=${uuid}`)).json();
        expect(at(found, 'index')).toBe(at(turn, 'index'));
      }
    }
  }
});

const ID = '11111111-1111-4111-8111-111111111111';

test('a branch is chosen by its place; calls of a sub-agent by its id', async () => {
  const lines = chain(
    [user('first'), assistant('one'), user('second'), assistant('two'), user('other second'), assistant('other two')],
    { sessionId: ID },
  );
  const [, , second, , other] = lines;
  const branched = lines.map((line) => (line === other ? { ...line, parentUuid: second?.parentUuid ?? null } : line));
  const root = rootWith({ [`${ID}.jsonl`]: toJsonl(branched) }, writeFileSync);
  const server = await serve(['--root', root, '--no-sync'], { home: tempFolder() });
  await server.settled();
  const [row] = rows((await server.ask('/api/chats')).json());
  expect(row?.marks).toContain('branched');
  const prompts = async (query: string) =>
    (asArray(at((await server.ask(`/api/chats/${ID}${query}`)).json(), 'turns')) ?? []).map((turn) =>
      at(turn, 'prompt'),
    );
  expect(await prompts('')).toEqual(['first', 'other second']);
  expect(await prompts('?branch=1')).toEqual(['first', 'other second']);
  expect(await prompts('?branch=0')).toEqual(['first', 'second']);
  expect(at((await server.ask(`/api/chats/${ID}/find?uuid=u3`)).json(), 'branch')).toBe(0);
});

test('rows say what was typed last, which models answered, and what happened', async () => {
  const lines = chain(
    [
      user('first question'),
      assistant('one', { model: 'claude-a' }),
      { type: 'system', subtype: 'compact_boundary', compactMetadata: { preTokens: 100 } },
      user('summary', { isCompactSummary: true }),
      user('last question'),
      assistant('API Error: 500', { model: '<synthetic>' }, { isApiErrorMessage: true }),
      assistant('two', { model: 'claude-b' }),
    ],
    { sessionId: ID, cwd: '/work/app' },
  );
  const root = rootWith({ [`${ID}.jsonl`]: toJsonl(lines) }, writeFileSync);
  const home = tempFolder();
  const server = await serve(['--root', root], { home });
  await server.settled();
  const expected = { lastPrompt: 'last question', models: ['claude-a', 'claude-b'], project: '/work/app' };
  const [row] = rows((await server.ask('/api/chats')).json());
  expect(row).toMatchObject(expected);
  expect(row?.marks).toEqual(['live', 'compacted', 'errors']);
  await server.stop();
  // The archive's outline says the same.
  skein(['archive', 'sync', '--root', root], { home });
  const again = await serve(['--root', root, '--no-sync'], { home });
  await again.settled();
  expect(rows((await again.ask('/api/chats')).json())[0]).toMatchObject(expected);
});

test('the list is the same until something changes, and then says so', async () => {
  const lines = chain([user('hello'), assistant('world')], { sessionId: ID });
  const root = rootWith({ [`${ID}.jsonl`]: toJsonl(lines) }, writeFileSync);
  const server = await serve(['--root', root, '--no-sync'], { home: tempFolder() });
  await server.settled();
  // Costs are counted once after the start.
  await until(async () => rows((await server.ask('/api/chats')).json())[0]?.tokens !== null);
  const first = await server.ask('/api/chats');
  const etag = String(first.headers.etag);
  const same = await server.ask('/api/chats', { headers: { 'if-none-match': etag } });
  expect([same.status, same.text]).toEqual([304, '']);
  appendFileSync(
    join(root, 'projects', '-work-app', `${ID}.jsonl`),
    `${JSON.stringify({ type: 'custom-title', customTitle: 'Renamed', sessionId: ID })}\n`,
  );
  await until(async () => (await server.ask('/api/chats', { headers: { 'if-none-match': etag } })).status === 200);
  expect(rows((await server.ask('/api/chats')).json())[0]?.title).toBe('Renamed');
});

test('without sessions the demo set is shown and said to be one; it is not archived', async () => {
  const home = tempFolder();
  const server = await serve([], { home });
  await server.settled();
  const list = (await server.ask('/api/chats')).json();
  expect(at(list, 'demo')).toBe(true);
  expect(rows(list).length).toBeGreaterThan(3);
  await until(async () => at((await server.ask('/api/status')).json(), 'archive', 'state') === 'off');
  expect(existsSync(join(home, '.local', 'share', 'skein', 'archive.db'))).toBe(false);
  // The first session of one's own ends it.
  mkdirSync(join(home, '.claude', 'projects', '-work-app'), { recursive: true });
  writeFileSync(
    join(home, '.claude', 'projects', '-work-app', `${ID}.jsonl`),
    toJsonl(chain([user('mine'), assistant('yours')], { sessionId: ID })),
  );
  await until(async () => at((await server.ask('/api/chats')).json(), 'demo') === false);
  expect(ids((await server.ask('/api/chats')).json())).toEqual([ID]);
});

test('what the client deleted is read from the archive, which the server keeps up to date', async () => {
  const home = tempFolder();
  const project = join(home, '.claude', 'projects', '-work-app');
  mkdirSync(project, { recursive: true });
  const file = join(project, `${ID}.jsonl`);
  const lines = chain(
    [user('keep me'), assistant([text('yes'), toolUse('t1', 'Bash', { command: 'ls' })]), result('t1', 'README')],
    { sessionId: ID },
  );
  writeFileSync(file, toJsonl(lines));
  const server = await serve([], { home });
  await until(async () => at((await server.ask('/api/status')).json(), 'archive', 'state') === 'done');
  rmSync(file);
  await until(async () => rows((await server.ask('/api/chats')).json())[0]?.source === 'archive');
  const page = (await server.ask(`/api/chats/${ID}`)).json();
  expect(at(page, 'chat', 'marks')).toEqual(['archived']);
  expect(at(page, 'resume', 'command')).toBeNull();
  expect(at(page, 'resume', 'reason')).toMatch(/archive restore/);
  expect(JSON.stringify((await server.ask(`/api/chats/${ID}/turns`)).json())).toContain('keep me');
  expect(JSON.stringify((await server.ask(`/api/chats/${ID}/calls/t1`)).json())).toContain('README');
  const headers = { origin: server.url.origin };
  const open = await server.ask(`/api/chats/${ID}/open`, { method: 'POST', headers });
  expect([open.status, at(open.json(), 'where')]).toEqual([422, file]);
});

test('search is that of the verb, with titles; a bad query is told', async () => {
  const server = await serve(['--no-sync'], { home: tempFolder() });
  await server.settled();
  const found = (await server.ask('/api/search?q=tide&limit=3')).json();
  const verb = skein(['search', 'tide', '--limit', '3', '--json']).json();
  expect(at(found, 'total')).toBe(at(verb, 'total'));
  const hits = asArray(at(found, 'hits')) ?? [];
  expect(hits.map((hit) => [at(hit, 'uuid'), at(hit, 'snippet')])).toEqual(
    (asArray(at(verb, 'hits')) ?? []).map((hit) => [at(hit, 'uuid'), at(hit, 'snippet')]),
  );
  const titles = new Map(rows((await server.ask('/api/chats')).json()).map(({ id, title }) => [id, title]));
  for (const hit of hits) expect(at(hit, 'title')).toBe(titles.get(String(at(hit, 'chat'))));
  const next = (await server.ask('/api/search?q=tide&limit=3&offset=3')).json();
  expect(at(next, 'offset')).toBe(3);
  for (const bad of ['', 'role:nobody', 'after:nonsense', '/(/']) {
    const answer = await server.ask(`/api/search?q=${encodeURIComponent(bad)}`);
    expect([bad, answer.status]).toEqual([bad, 422]);
    expect(at(answer.json(), 'next')).toBeTruthy();
  }
});

test('usage is that of the verb', async () => {
  const server = await serve(['--no-sync'], { home: tempFolder() });
  await server.settled();
  for (const [query, args] of [
    ['', []],
    ['?by=day,model', ['--by', 'day,model']],
    ['?by=tool', ['--by', 'tool']],
    ['?by=chat&since=2026-11-12', ['--by', 'chat', '--since', '2026-11-12']],
    ['/explain?limit=2', ['--explain', '--limit', '2']],
  ] as const) {
    const answer = await server.ask(`/api/usage${query}`);
    expect([query, answer.json()]).toEqual([query, skein(['usage', '--json', ...args]).json()]);
  }
  const bad = await server.ask('/api/usage?by=nonsense');
  expect([bad.status, at(bad.json(), 'what')]).toEqual([422, expect.stringContaining('--by')]);
});

test('a chat is opened by the id of any of its sessions', async () => {
  const first = chain([user('begin'), assistant('one')], { sessionId: ID });
  const other = '22222222-2222-4222-8222-222222222222';
  const copied = [
    ...first,
    ...chain([user('go on')], { sessionId: other }).map((line) => ({ ...line, uuid: 'o1', parentUuid: 'u2' })),
  ];
  const root = rootWith({ [`${ID}.jsonl`]: toJsonl(first), [`${other}.jsonl`]: toJsonl(copied) }, writeFileSync);
  const server = await serve(['--root', root, '--no-sync'], { home: tempFolder() });
  // Asked before all was read: it waits.
  const [own, by] = await Promise.all([server.ask(`/api/chats/${ID}`), server.ask(`/api/chats/${other}`)]);
  expect([own.status, by.status]).toEqual([200, 200]);
  expect(at(by.json(), 'chat', 'id')).toBe(ID);
  expect(at(by.json(), 'version')).toBe(at(own.json(), 'version'));
});
