/** Another page in the same browser, also one of a server on this machine, which the browser gives our cookie: it gets nothing. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browser, describeBrowser, startViewer, type Viewer } from './harness.ts';
import { idOf, longSession, sessionSet } from './sets.ts';

describeBrowser('a page of someone else', () => {
  const set = sessionSet({ [idOf(1)]: longSession(1, 2) });
  let viewer: Viewer;
  let server: Server;
  beforeAll(async () => {
    viewer = await startViewer({ root: set.root });
    server = createServer((_, response) => {
      response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>attacker</title>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  });
  afterAll(async () => {
    server.close();
    await viewer.stop();
  });

  test.each(['127.0.0.1', 'localhost'])('at %s', async (host) => {
    const context = await (await browser()).newContext();
    const own = await context.newPage();
    await own.goto(viewer.url);
    await own.locator('.chat-row').first().waitFor();
    const page = await context.newPage();
    const answered: string[] = [];
    page.on('response', (response) => {
      const { pathname, origin } = new URL(response.url());
      if (origin === viewer.origin && response.status() < 400) answered.push(pathname);
    });
    const { port } = server.address() as AddressInfo;
    await page.goto(`http://${host}:${port}/`);
    const got = await page.evaluate(attack, { origin: viewer.origin, id: idOf(1) });
    expect(got).toEqual([]);
    expect(answered).toEqual([]);
    // Going there is allowed to anyone; the page is then its own, and whoever sent it has no hold on it.
    const opened = context.waitForEvent('page');
    await page.evaluate((to) => {
      Object.assign(window, { theirs: window.open(to) });
    }, viewer.origin);
    const there = await opened;
    await there.locator('.bar').waitFor();
    expect(await page.evaluate('theirs.closed')).toBe(true);
    expect(await there.evaluate(() => window.opener)).toBeNull();
    await context.close();
  });
});

/** Runs in the attacker's page: everything a page can ask of another. What it got hold of. */
async function attack({ origin, id }: { origin: string; id: string }): Promise<string[]> {
  const got: string[] = [];
  const paths = [
    '/',
    '/app.js',
    '/api/chats',
    `/api/chats/${id}`,
    `/api/chats/${id}/export?format=html`,
    '/api/status',
  ];
  const post = { method: 'POST', body: JSON.stringify({ placeholder: '[x]', chat: id }) };
  const asks: [string, RequestInit][] = [
    ...paths.flatMap((path): [string, RequestInit][] => [
      [path, { credentials: 'include' }],
      [path, { credentials: 'include', mode: 'no-cors' }],
    ]),
    [`/api/chats/${id}/open`, { ...post, credentials: 'include', mode: 'no-cors' }],
    ['/api/reveal', { ...post, credentials: 'include', headers: { 'content-type': 'application/json' } }],
    ['/api/reveal', { ...post, credentials: 'include', mode: 'no-cors' }],
  ];
  for (const [path, init] of asks) {
    const answer = await fetch(origin + path, init).catch(() => undefined);
    if (answer !== undefined && answer.type !== 'opaque') got.push(`fetch ${path}`);
  }
  const load = (tag: string, set: (element: HTMLElement) => void, path: string) =>
    new Promise<void>((resolve) => {
      const element = document.createElement(tag);
      element.onload = () => {
        if (tag !== 'iframe') got.push(`${tag} ${path}`);
        resolve();
      };
      element.onerror = () => resolve();
      set(element);
      document.body.append(element);
      setTimeout(resolve, 1500);
    });
  await load('script', (element) => element.setAttribute('src', `${origin}/app.js`), '/app.js');
  await load('script', (element) => element.setAttribute('src', `${origin}/api/chats`), '/api/chats');
  await load('img', (element) => element.setAttribute('src', `${origin}/api/chats`), '/api/chats');
  for (const path of ['/', `/api/chats/${id}`]) {
    await load('iframe', (element) => element.setAttribute('src', origin + path), path);
  }
  await new Promise<void>((resolve) => {
    const source = new EventSource(`${origin}/api/events`, { withCredentials: true });
    source.onopen = () => got.push('events');
    source.onerror = () => resolve();
    setTimeout(resolve, 1500);
  });
  await new Promise<void>((resolve) => {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/api/events`);
    socket.onopen = () => got.push('socket');
    socket.onclose = () => resolve();
  });
  return got;
}
