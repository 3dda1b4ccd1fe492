/** Who is answered: only the page that was opened with the printed address, on this machine. */

import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createOnceToken } from '../../src/server/token.ts';
import { assistant, chain, toJsonl, user } from '../support/build.ts';
import { tempFolder } from '../support/files.ts';
import { rootWith } from '../support/skein.ts';
import { type Asking, missingHeaders, type Served, serve } from './helpers.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const ROUTES = [
  '/',
  '/api/status',
  '/api/chats',
  `/api/chats/${ID}`,
  `/api/chats/${ID}/turns`,
  `/api/chats/${ID}/find?uuid=u1`,
  `/api/chats/${ID}/calls/toolu_1`,
  `/api/chats/${ID}/agents/a1`,
  `/api/chats/${ID}/export?format=md`,
  '/api/search?q=hello',
  '/api/usage',
  '/api/usage/explain',
  '/nothing',
];
const POSTS = ['/api/reveal', `/api/chats/${ID}/open`, `/api/chats/${ID}/edit`];

async function served(): Promise<Served> {
  const lines = chain([user('hello'), assistant('world')], { sessionId: ID, cwd: '/work/app' });
  const root = rootWith({ [`${ID}.jsonl`]: toJsonl(lines) }, writeFileSync);
  const server = await serve(['--root', root, '--no-sync'], { home: tempFolder() });
  await server.settled();
  return server;
}

const json = { 'content-type': 'application/json' };

describe('the token', () => {
  test('of the printed address gives a cookie that scripts and other sites do not get, and leaves the address', async () => {
    const server = await served();
    const token = server.url.searchParams.get('token') ?? '';
    expect(Buffer.from(token, 'base64url').length).toBeGreaterThanOrEqual(16);
    const answer = await server.askBare(`/?token=${token}`);
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe('/');
    const [cookie = ''] = answer.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Strict/);
    expect(cookie).toMatch(/; Path=\//);
    expect(cookie).not.toContain(token);
    expect((await server.ask('/api/chats')).status).toBe(200);
  });

  test('is needed for everything', async () => {
    const server = await served();
    const wrong: Asking[] = [
      {},
      { headers: { cookie: '' } },
      { headers: { cookie: `skein-${server.port}=` } },
      { headers: { cookie: `skein-${server.port}=${server.url.searchParams.get('token')}` } },
      { headers: { cookie: `${server.cookie}x` } },
      { headers: { cookie: server.cookie.slice(0, -1) } },
      { headers: { authorization: `Bearer ${server.cookie.split('=')[1]}` } },
    ];
    for (const asking of wrong) {
      for (const path of ROUTES) expect([path, (await server.askBare(path, asking)).status]).toEqual([path, 401]);
    }
    for (const path of POSTS) {
      const headers = { ...json, origin: server.url.origin };
      expect((await server.askBare(path, { method: 'POST', body: '{}', headers })).status).toBe(401);
    }
  });

  test('that is wrong gives no cookie', async () => {
    const server = await served();
    const token = server.url.searchParams.get('token') ?? '';
    for (const given of ['', 'x', token.slice(0, -1), `${token}A`, token.toUpperCase(), '%00', 'a'.repeat(4000)]) {
      const answer = await server.askBare(`/?token=${given}`);
      expect(answer.status).toBe(401);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect((await server.askBare(`/api/chats?token=${token}`)).status).toBe(401);
  });
});

test('a token for one visit is good for one', () => {
  const token = createOnceToken();
  expect([token.fits('x'), token.fits(token.text), token.fits(token.text)]).toEqual([false, true, false]);
});

describe('the host', () => {
  test('must be this machine, with our port (DNS rebinding)', async () => {
    const server = await served();
    const { port } = server;
    const wrong = [
      'evil.example',
      `evil.example:${port}`,
      '127.0.0.1',
      'localhost',
      `127.0.0.1:${port + 1}`,
      `localhost.evil.example:${port}`,
      `127.0.0.1.nip.io:${port}`,
      `0.0.0.0:${port}`,
      `127.0.0.1.evil.example:${port}`,
    ];
    for (const host of wrong) {
      for (const path of ROUTES) {
        const { status } = await server.ask(path, { headers: { host } });
        expect([host, path, status]).toEqual([host, path, 421]);
      }
    }
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`]) {
      expect((await server.ask('/api/chats', { headers: { host } })).status).toBe(200);
    }
  });

  test('is the only one listened on', async () => {
    const { port } = await served();
    const { networkInterfaces } = await import('node:os');
    const others = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4');
    for (const { address } of others) {
      const reached = await new Promise<boolean>((resolve) => {
        const socket = connect({ host: address, port });
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      });
      expect([address, reached]).toEqual([address, false]);
    }
  });
});

describe('the page that asks', () => {
  test('must be ours (CSRF)', async () => {
    const server = await served();
    const own = server.url.origin;
    const foreign: Record<string, string>[] = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${server.port + 1}` },
      { origin: `https://127.0.0.1:${server.port}` },
      { origin: `http://localhost:${server.port}` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    ];
    for (const headers of foreign) {
      for (const path of ROUTES) {
        expect([headers, path, (await server.ask(path, { headers })).status]).toEqual([headers, path, 403]);
      }
      for (const path of POSTS) {
        const asking = { method: 'POST', body: '{}', headers: { ...json, ...headers } };
        expect([headers, path, (await server.ask(path, asking)).status]).toEqual([headers, path, 403]);
      }
    }
    expect((await server.ask('/api/chats', { headers: { origin: own } })).status).toBe(200);
    expect((await server.ask('/api/chats', { headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(200);
  });

  test('may be any when a person goes to the viewer, but not to its data', async () => {
    const server = await served();
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    // Without the cookie, as a browser would send it.
    expect((await server.askBare('/', { headers })).status).toBe(401);
    expect((await server.askBare(server.url.pathname + server.url.search, { headers })).status).toBe(302);
    expect((await server.ask('/api/chats', { headers })).status).toBe(403);
  });

  test('that links here is led in by a page of our own, once', async () => {
    const server = await served();
    const elsewhere = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const first = await server.askBare('/', { headers: elsewhere });
    expect([first.status, first.headers['content-type']]).toEqual([401, 'text/html; charset=UTF-8']);
    expect(first.text).toContain('<meta http-equiv="refresh" content="0; url=/">');
    const own = { ...elsewhere, 'sec-fetch-site': 'same-origin' };
    expect((await server.askBare('/', { headers: own })).text).not.toContain('refresh');
    expect((await server.ask('/', { headers: own })).status).toBe(200);
  });

  test('must say who it is when it wants something done', async () => {
    const server = await served();
    for (const path of POSTS) {
      expect((await server.ask(path, { method: 'POST', body: '{}', headers: json })).status).toBe(403);
    }
  });
});

describe('every answer', () => {
  test('has the headers, errors too, and no word for other origins', async () => {
    const server = await served();
    const origin = server.url.origin;
    const answers = [
      ...ROUTES.map((path) => server.ask(path)),
      ...ROUTES.map((path) => server.ask(path, { method: 'HEAD' })),
      ...ROUTES.map((path) => server.ask(path, { method: 'OPTIONS', headers: { origin } })),
      ...ROUTES.map((path) => server.askBare(path)),
      ...ROUTES.map((path) => server.ask(path, { headers: { host: 'evil.example' } })),
      ...ROUTES.map((path) => server.ask(path, { headers: { origin: 'http://evil.example' } })),
      ...POSTS.map((path) => server.ask(path, { method: 'POST', body: '{', headers: { ...json, origin } })),
      server.askBare(server.url.pathname + server.url.search),
      server.ask('/api/chats/%2e%2e'),
      server.ask('/api/chats/%ff'),
      server.ask(`/api/search?q=${'x'.repeat(2000)}`),
      server.ask(`/api/search?q=${'x'.repeat(9000)}`),
      server.ask('/api/chats', { headers: { 'x-large': 'x'.repeat(20_000) } }),
    ];
    for (const answer of await Promise.all(answers)) {
      expect([answer.status, missingHeaders(answer)]).toEqual([answer.status, []]);
      expect(answer.text).not.toMatch(/node_modules|dist\/|\bat \w+ \(|\.cjs/);
    }
  });

  test('of data is not kept by the browser', async () => {
    const server = await served();
    for (const path of ROUTES.filter((each) => each.startsWith('/api/'))) {
      expect((await server.ask(path)).headers['cache-control']).toBe('no-store');
    }
  });

  test('to a method that is not for it says so', async () => {
    const server = await served();
    const headers = { origin: server.url.origin };
    for (const path of ROUTES.filter((each) => each !== '/nothing')) {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        const answer = await server.ask(path, { method, headers });
        expect([method, path, answer.status]).toEqual([method, path, 405]);
        expect(answer.headers.allow).toMatch(/GET, HEAD/);
      }
      expect((await server.ask(path, { method: 'HEAD' })).text).toBe('');
    }
    for (const path of POSTS) expect((await server.ask(path)).status).toBe(405);
  });

  test('to too much is short', async () => {
    const server = await served();
    const headers = { ...json, origin: server.url.origin };
    const large = JSON.stringify({ placeholder: 'x'.repeat(10_000) });
    expect((await server.ask('/api/reveal', { method: 'POST', headers, body: large })).status).toBe(413);
    expect((await server.ask(`/api/search?q=${'x'.repeat(1001)}`)).status).toBe(400);
    expect((await server.ask(`/api/search?q=${'x'.repeat(9000)}`)).status).toBe(414);
    expect((await server.ask(`/api/chats/${ID}/turns?from=0&to=51`)).status).toBe(400);
    expect((await server.ask('/api/search?q=hello&limit=101')).status).toBe(400);
    expect((await server.ask('/api/chats', { headers: { 'x-large': 'x'.repeat(20_000) } })).status).toBe(431);
  });

  test('to what is no request is a refusal', async () => {
    const server = await served();
    const own = `Host: 127.0.0.1:${server.port}\r\n`;
    const cookie = `Cookie: ${server.cookie}\r\nConnection: close\r\n\r\n`;
    const bad = [
      'GARBAGE\r\n\r\n',
      `GET /api/chats HTTP/1.0\r\n${cookie}`,
      `GET /api/chats HTTP/1.1\r\n${cookie}`,
      `GET /api/chats HTTP/1.1\r\nHost: \r\n${cookie}`,
      `GET /api/chats HTTP/1.1\r\nHost: evil@127.0.0.1:${server.port}\r\n${cookie}`,
      `GET /api/chats HTTP/1.1\r\nHost: 127.0.0.1:${server.port}/x\r\n${cookie}`,
      `GET /api/chats HTTP/1.1\r\nHost: evil.example\r\n${own}${cookie}`,
      `GET http://evil.example/api/chats HTTP/1.1\r\n${own}${cookie}`,
      `CONNECT evil.example:80 HTTP/1.1\r\n${own}${cookie}`,
    ];
    for (const text of bad) {
      const said = await spoken(server.port, text);
      const what = `${text} → ${said.slice(0, 200)}`;
      expect(said, what).toMatch(/^(?:HTTP\/1.1 4\d\d |$)/);
      if (said !== '') expect(said, what).toMatch(/^content-security-policy: default-src 'none'/im);
    }
    expect(await spoken(server.port, `GET /api/chats HTTP/1.1\r\n${own}${cookie}`)).toMatch(/^HTTP\/1.1 200 /);
  });
});

/** What comes back until the connection ends. */
function spoken(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let said = '';
    socket.on('data', (chunk) => {
      said += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(said));
    socket.on('error', () => {});
    socket.write(text);
  });
}
