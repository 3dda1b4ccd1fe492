import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { McpServer as Configured } from '../../../src/agent/mcp/types.ts';
import { serversOf } from './servers.ts';

/** A real server of the protocol on loopback. */
async function listening(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, close };
}

function remote(url: string, headers: Record<string, string> = {}, type: 'http' | 'sse' = 'http'): Configured {
  return { type, url, headers, scope: 'flag' };
}

function adder(): McpServer {
  const server = new McpServer({ name: 'adder', version: '2' }, { instructions: 'Adds.' });
  const input = z.object({ a: z.number(), b: z.number() });
  server.registerTool('add', { description: 'Adds', inputSchema: input }, ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  return server;
}

test('a server over HTTP: its tools, with the headers that were given', async () => {
  const handler = createMcpHandler(() => adder());
  const seen: (string | undefined)[] = [];
  const { url } = await listening((request, response) => {
    seen.push(request.headers.authorization);
    void pass(handler.fetch, request, response);
  });
  const { manager, call, said } = await serversOf({ h: remote(url, { Authorization: 'Bearer topsecret' }) });
  expect(manager.servers[0]).toMatchObject({ status: 'connected', serverInfo: { name: 'adder', version: '2' } });
  expect(await call('mcp__h__add', { a: 2, b: 3 })).toMatchObject({ result: [{ type: 'text', text: '5' }] });
  expect(await call('mcp__h__add', { a: 'x' })).toMatchObject({ isError: true });
  expect(new Set(seen)).toEqual(new Set(['Bearer topsecret']));
  expect(said.join('\n')).not.toContain('topsecret');
});

test.each([
  [401, 'needs-auth', /Authorization/],
  [500, 'failed', /./],
])('a server that answers %s is %s', async (status, state, error) => {
  const { url } = await listening((_, response) => response.writeHead(status).end('no'));
  const { manager } = await serversOf({ h: remote(url), s: remote(url, {}, 'sse') });
  expect(manager.servers.map((each) => each.status)).toEqual([state, state]);
  expect(manager.servers[0]?.error).toMatch(error);
});

test('nobody there; an address that is none; one that never answers', async () => {
  const silent = await listening(() => {});
  const { manager } = await serversOf(
    { none: remote('http://127.0.0.1:1/mcp'), odd: remote('http://[x'), silent: remote(silent.url) },
    { MCP_TIMEOUT: '400' },
  );
  expect(manager.servers.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
  expect(manager.servers[0]?.error).toMatch(/ECONNREFUSED|fetch failed|bad port/);
  expect(manager.servers[2]?.error).toMatch(/did not answer within 0.4 s/);
});

test('a server that was away for a moment is reached again', async () => {
  const handler = createMcpHandler(() => adder());
  let isAway = false;
  const { url } = await listening((request, response) => {
    if (isAway) response.socket?.destroy();
    else void pass(handler.fetch, request, response);
  });
  const { call } = await serversOf({ h: remote(url) });
  isAway = true;
  expect(await call('mcp__h__add', { a: 1, b: 1 })).toMatchObject({ isError: true });
  isAway = false;
  expect(await call('mcp__h__add', { a: 1, b: 1 })).toMatchObject({ result: [{ text: '2' }] });
});

test('a server that forgot the session is asked in a new one', async () => {
  const sessions: string[] = [];
  let valid = '';
  const { url } = await listening(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    const answer = (result: object) => {
      const headers = { 'content-type': 'application/json', 'mcp-session-id': valid };
      response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    if (request.method !== 'POST') response.writeHead(405).end();
    else if (method === 'server/discover') response.writeHead(400).end();
    else if (method === 'initialize') {
      valid = `session-${sessions.length}`;
      sessions.push(valid);
      const serverInfo = { name: 'old', version: '1' };
      answer({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo });
    } else if (request.headers['mcp-session-id'] !== valid) response.writeHead(404).end();
    else if (id === undefined) response.writeHead(202).end();
    else if (method === 'tools/list') answer({ tools: [{ name: 'go', inputSchema: { type: 'object' } }] });
    else answer({ content: [{ type: 'text', text: valid }] });
  });
  const { call } = await serversOf({ h: remote(url) });
  expect(await call('mcp__h__go')).toMatchObject({ result: [{ text: 'session-0' }] });
  valid = 'forgotten';
  expect(await call('mcp__h__go')).toMatchObject({ result: [{ text: 'session-1' }] });
});

test('a server in the program that drives us, and one of a program that carries nothing', async () => {
  const { manager, tools, call } = await serversOf({});
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await adder().connect(theirs);
  manager.setSdk((name) => {
    expect(name).toBe('calc');
    return ours;
  });
  const server = { type: 'sdk', name: 'calc', scope: 'sdk' } as const;
  expect(await manager.setServers(new Map([['calc', server]]))).toEqual({ added: ['calc'], removed: [], errors: {} });
  expect(await call('mcp__calc__add', { a: 2, b: 2 })).toMatchObject({ result: [{ text: '4' }] });
  manager.setSdk(undefined);
  expect(await manager.reconnect('calc')).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('nobody here'),
  });
  expect(tools.size).toBe(0);
});

async function pass(
  answer: (request: Request) => Promise<Response>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = chunks.length === 0 ? undefined : Buffer.concat(chunks);
  const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  const asked = new Request(`http://${request.headers.host}${request.url}`, {
    method: request.method ?? 'GET',
    headers,
    ...(body && { body }),
  });
  const made = await answer(asked);
  response.writeHead(made.status, Object.fromEntries(made.headers));
  for await (const chunk of made.body ?? []) response.write(chunk);
  response.end();
}
