/** No name from a request reaches the file system: a table of bad names in every parameter of every route. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../src/server/app.ts';
import { createLive } from '../../src/server/live.ts';
import { createMasking } from '../../src/server/masking.ts';
import type { Questions } from '../../src/server/questions.ts';
import { createToken } from '../../src/server/token.ts';
import { missingHeaders, serve } from '../server/helpers.ts';
import { assistant, chain, toJsonl, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { rootWith } from '../support/skein.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const PLANTED = 'planted-in-a-file-nobody-asked-for';

/** By route: where a bad name is put. `@` is the name. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  '/api/status': ['/api/status?x=@'],
  '/api/chats': ['/api/chats?x=@'],
  '/api/chats/:id': ['/api/chats/@', `/api/chats/${ID}?branch=@`, `/api/chats/${ID}?reveal=@`],
  '/api/chats/:id/turns': [
    '/api/chats/@/turns',
    `/api/chats/${ID}/turns?from=@`,
    `/api/chats/${ID}/turns?to=@`,
    `/api/chats/${ID}/turns?part=@`,
    `/api/chats/${ID}/turns?branch=@`,
    `/api/chats/${ID}/turns?reveal=@`,
  ],
  '/api/chats/:id/find': ['/api/chats/@/find?uuid=u1', `/api/chats/${ID}/find?uuid=@`],
  '/api/chats/:id/calls/:call': [
    '/api/chats/@/calls/t1',
    `/api/chats/${ID}/calls/@`,
    `/api/chats/${ID}/calls/t1?agent=@`,
    `/api/chats/${ID}/calls/t1?branch=@`,
  ],
  '/api/chats/:id/agents/:agent': [
    '/api/chats/@/agents/a1',
    `/api/chats/${ID}/agents/@`,
    `/api/chats/${ID}/agents/a1?call=@`,
  ],
  '/api/chats/:id/export': ['/api/chats/@/export', `/api/chats/${ID}/export?format=@`],
  '/api/chats/:id/open': ['/api/chats/@/open'],
  // What stands in its body: edits.test.ts.
  '/api/chats/:id/edit': ['/api/chats/@/edit'],
  '/api/search': ['/api/search?q=@', '/api/search?q=x&sort=@', '/api/search?q=x&limit=@', '/api/search?q=x&offset=@'],
  '/api/usage': [
    'by',
    'since',
    'until',
    'project',
    'model',
    'timezone',
    'cost',
    'chat',
    'heatmap',
    'prices',
    'root',
  ].map((name) => `/api/usage?${name}=@`),
  '/api/usage/explain': ['chat', 'limit', 'skip', 'prices', 'root'].map((name) => `/api/usage/explain?${name}=@`),
  '/api/usage/team': ['by', 'since', 'until', 'project', 'model', 'timezone', 'cost', 'prices', 'root', 'team'].map(
    (name) => `/api/usage/team?${name}=@`,
  ),
  '/api/reveal': ['/api/reveal?x=@'],
  '/api/events': [],
};

test('the table has every route', () => {
  const questions = { listen: () => () => {} } as unknown as Questions;
  const guarded = { links: [createToken()], cookie: createToken(), port: () => 1 };
  const live = createLive(questions.listen);
  const app = createApp({ questions, masking: createMasking(), guarded, live, assets: new Map(), onFault: () => {} });
  live.close();
  const paths = new Set(app.routes.map(({ path }) => path).filter((path) => path !== '/*'));
  expect([...paths].sort()).toEqual(Object.keys(PLACES).sort());
});

// Each question of usage is a process of its own.
test('names that lead elsewhere lead nowhere', { timeout: 180_000 }, async () => {
  const lines = chain([user('hello'), assistant('world')], { sessionId: ID, cwd: '/work/app' });
  const root = rootWith({ [`${ID}.jsonl`]: toJsonl(lines) }, writeFileSync);
  const home = tempFolder();
  mkdirSync(join(home, 'secret'));
  const planted = join(home, 'secret', 'planted.jsonl');
  writeFileSync(
    planted,
    toJsonl(chain([user(PLANTED), assistant(PLANTED, { model: PLANTED })], { sessionId: PLANTED, gitBranch: PLANTED })),
  );
  const server = await serve(['--root', root, '--no-sync'], { home });
  await server.settled();
  const relative = `${'../'.repeat(12)}${planted.slice(1)}`;
  const names = [
    planted,
    relative,
    `..${relative}`,
    relative.replaceAll('/', '\\'),
    '..',
    '.',
    '../',
    '....//....//etc/passwd',
    '/etc/passwd',
    'file:///etc/passwd',
    'C:\\Windows\\win.ini',
    `${ID}/../../secret`,
    `${ID}\u0000.jsonl`,
    `--root=${join(home, 'secret')}`,
    `--prices=${planted}`,
    '@last',
    '~/secret/planted.jsonl',
    '\n--reveal',
    '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
    '__proto__',
    'constructor',
    '$HOME',
    "'; DROP TABLE file; --",
    '<script>alert(1)</script>',
    'x'.repeat(500),
  ];
  const origin = server.url.origin;
  const look = async (place: string, name: string) => {
    const isPost = /\/(?:open|edit|reveal)\b/.test(place);
    const headers = { origin, 'content-type': 'application/json' };
    const path = place.replace('@', encodeURIComponent(name));
    const answer = await server.ask(path, isPost ? { method: 'POST', body: '{}', headers } : {});
    const what = `${place} ${name}: ${answer.status} ${answer.text.slice(0, 300)}`;
    expect(answer.status, what).not.toBe(500);
    expect(answer.text, what).not.toMatch(/root:x:0|\[fonts\]/);
    expect(answer.text.includes(PLANTED), what).toBe(false);
    expect(missingHeaders(answer), what).toEqual([]);
  };
  for (const places of Object.values(PLACES)) {
    for (const place of places) await Promise.all(names.map((name) => look(place, name)));
  }
  // As they are, without being encoded.
  for (const path of [
    '/../../etc/passwd',
    '/app.js/../../package.json',
    '//etc/passwd',
    '/%2e%2e/package.json',
    '/dist/main.cjs',
    '/web/index.html',
    '/index.html',
    '/.git/config',
  ]) {
    expect((await server.ask(path)).status).toBe(404);
  }
  expect(server.stderr()).toBe('');
});

test('a chat, a call and a sub-agent that are not there are not found', async () => {
  const lines = chain([user('hello'), assistant('world')], { sessionId: ID });
  const root = rootWith({ [`${ID}.jsonl`]: toJsonl(lines) }, writeFileSync);
  const server = await serve(['--root', root, '--no-sync'], { home: tempFolder() });
  await server.settled();
  const none = '22222222-2222-4222-8222-222222222222';
  for (const path of [
    `/api/chats/${none}`,
    `/api/chats/${none}/turns`,
    `/api/chats/${ID}?branch=7`,
    `/api/chats/${ID}/find?uuid=nowhere`,
    `/api/chats/${ID}/calls/toolu_none`,
    `/api/chats/${ID}/calls/toolu_none?agent=none`,
    `/api/chats/${ID}/agents/none`,
    `/api/chats/${none}/export`,
  ]) {
    const answer = await server.ask(path);
    expect([path, answer.status]).toEqual([path, 404]);
    expect(answer.json()).toEqual({ what: expect.any(String), next: expect.any(String) });
  }
});
