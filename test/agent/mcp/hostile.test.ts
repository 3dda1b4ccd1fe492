/** Servers that do what none should: each is its own trouble, and leaves nothing behind. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSessionMcp } from '../../../src/agent/mcp/session.ts';
import type { McpOptions } from '../../../src/agent/mcp/types.ts';
import { withNamed } from '../../../src/cli/chat/mcp.ts';
import { asObject, parseJson } from '../../../src/format/json.ts';
import { isRunning } from '../tools/shell-host.ts';
import { odd, serversOf } from './servers.ts';

test('an answer that nests too deep, an error of a million characters, an output that is shut: the call says so', async () => {
  const { call } = await serversOf({ a: odd() });
  expect(await call('mcp__a__deep')).toMatchObject({ isError: true });
  const wordy = await call('mcp__a__wordy');
  expect(String(wordy.content).length).toBeLessThan(5000);
  expect(wordy.content).toContain('(1000000 characters)');
  expect(await call('mcp__a__shut')).toMatchObject({
    isError: true,
    content: expect.stringContaining('it closed its output'),
  });
  expect(await call('mcp__a__echo', { text: 'hi' })).toMatchObject({ result: [{ type: 'text', text: 'you said hi' }] });
});

test('pictures that are too many together are named, not sent', async () => {
  const { call } = await serversOf({ a: odd() });
  const { content } = await call('mcp__a__album');
  const kinds = Array.isArray(content) ? content.map(({ type, text: words }) => words ?? type) : [];
  const saved = expect.stringMatching(/^\[Image: source: .*\.png\]$/);
  expect(kinds).toEqual(['image', saved, 'image', saved, '[An image is not shown: there are too many]', saved]);
});

test('one that is started anew while all is closed is not left running', async () => {
  const { manager, call, said } = await serversOf({ a: odd() });
  const { content } = await call('mcp__a__child');
  const child = Number(asObject(Array.isArray(content) ? content[0] : {})?.text);
  expect(isRunning(child)).toBe(true);
  const again = manager.reconnect('a');
  await manager.close();
  await again;
  await vi.waitFor(() => expect(isRunning(child)).toBe(false));
  expect(manager.servers[0]?.status).not.toBe('connected');
  expect(said.filter((words) => words.includes('"method":"initialize"'))).toHaveLength(1);
});

/** A server of the older protocol over HTTP that answers calls in a way of its own. */
async function remote(answerCall: (id: unknown, response: ServerResponse) => void) {
  const server = createServer(async (request, response) => {
    const { id, method } = asObject(parseJson(await text(request))) ?? {};
    const json = (body: object) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
    };
    const info = {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'x', version: '1' },
    };
    if (request.method !== 'POST') response.writeHead(405).end();
    else if (method === 'initialize') json({ result: info });
    else if (method === 'tools/list') json({ result: { tools: [{ name: 't', inputSchema: { type: 'object' } }] } });
    else if (method === 'tools/call') answerCall(id, response);
    else if (id === undefined) response.writeHead(202).end();
    else json({ error: { code: -32601, message: 'unknown' } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return serversOf({ h: { type: 'http', url: `http://127.0.0.1:${port}/mcp`, scope: 'flag' } });
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString();
}

test.each(['application/json', 'text/event-stream'])('over HTTP a message has an end: %s', async (type) => {
  const { call } = await remote((id, response) => {
    response.writeHead(200, { 'content-type': type });
    response.write(`data: {"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
    const more = () => {
      while (!response.destroyed) if (!response.write('x'.repeat(1 << 20))) return void response.once('drain', more);
    };
    more();
  });
  const { content } = await call('mcp__h__t', {}, { signal: AbortSignal.timeout(4000) });
  expect(content).toMatch(/more than 20 MB/);
});

test.each([
  ['ends', (response: ServerResponse) => void response.end(': nothing\n\n')],
  ['breaks', (response: ServerResponse) => response.write(': nothing\n\n', () => response.destroy())],
])('over HTTP a stream that %s without an answer ends the call', async (_, stop) => {
  const { call } = await remote((_id, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    stop(response);
  });
  const { content } = await call('mcp__h__t', {}, { signal: AbortSignal.timeout(4000) });
  expect(content).toMatch(/without an answer/);
});

test('over HTTP a page in the place of an answer is told by its beginning', async () => {
  const { call } = await remote((_, response) => response.writeHead(500).end(`sorry ${'x'.repeat(1_000_000)}`));
  const { content } = await call('mcp__h__t');
  expect(content).toMatch(/sorry x/);
  expect(String(content).length).toBeLessThan(5000);
});

test('what settings forbid is not started either when a program names it later', async () => {
  const notices: string[] = [];
  const forbidden: McpOptions['forbidden'] = (name) => (name === 'a' ? 'it is forbidden' : undefined);
  const named = new Map([['a', odd()]]);
  expect([
    ...withNamed({ servers: new Map(), forbidden }, named, undefined, (words) => notices.push(words)).servers,
  ]).toEqual([]);
  expect(notices).toEqual([expect.stringMatching(/"a" .*is not used: it is forbidden/)]);
  const host = {
    cwd: '/',
    env: {},
    version: '0',
    folders: () => [],
    folder: () => '/',
    tools: new Map(),
    ask: undefined,
  };
  const mcp = createSessionMcp(
    { servers: new Map(), forbidden },
    { ...host, isLeftOut: () => false, notice: () => {} },
  );
  expect(await mcp.setServers(named)).toEqual({ added: [], removed: [], errors: { a: 'it is forbidden' } });
  expect(mcp.servers).toEqual([]);
});
