import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createModel } from '../../../src/agent/model/anthropic.ts';
import { fails, says } from '../../support/scripted-model.ts';
import { fakeClock, hear, modelOf, requestOf, serving } from './asking.ts';

const serve = serving();

test('without a key nothing is asked, and the failure names the variables', async () => {
  const server = await serve([says('never')]);
  const model = createModel({ env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: '  ' } });
  const { outcome } = await hear(model.ask(requestOf()));
  expect(outcome).toMatchObject({ kind: 'failed', failure: { type: 'authentication_error' } });
  expect(JSON.stringify(outcome)).toMatch(/ANTHROPIC_API_KEY.*ANTHROPIC_AUTH_TOKEN/);
  expect(await model.countTokens(requestOf())).toHaveProperty('failure.type', 'authentication_error');
  expect(server.requests).toHaveLength(0);
});

test.each(['nowhere', 'ftp://example.org', ''])('an address that is none: "%s"', async (url) => {
  const env = { ANTHROPIC_BASE_URL: url || 'x y', ANTHROPIC_API_KEY: 'k' };
  const { outcome } = await hear(createModel({ env }).ask(requestOf()));
  expect(outcome).toMatchObject({ failure: { message: expect.stringContaining('ANTHROPIC_BASE_URL') } });
});

test('key, token, version, betas and headers of one’s own are sent', async () => {
  const server = await serve(() => says('Hi'));
  const env = {
    ANTHROPIC_API_KEY: 'sk-ant-1\n',
    ANTHROPIC_AUTH_TOKEN: 'tok',
    ANTHROPIC_BASE_URL: `${server.url}/`,
    ANTHROPIC_BETAS: 'a-2025-01-01,b',
    ANTHROPIC_CUSTOM_HEADERS: 'X-Team: yarn: thick\n\nnonsense\r\nUser-Agent: mine',
  };
  const { outcome } = await hear(modelOf(server, { env, program: 'skein/9' }).ask(requestOf()));
  expect(outcome.kind).toBe('answer');
  expect(server.requests[0]?.headers).toMatchObject({
    'x-api-key': 'sk-ant-1',
    authorization: 'Bearer tok',
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'a-2025-01-01,b',
    'x-team': 'yarn: thick',
    'user-agent': 'mine',
  });
});

test('DISABLE_PROMPT_CACHING: nothing is marked', async () => {
  const server = await serve(() => says('Hi'));
  await hear(modelOf(server).ask(requestOf()));
  await hear(modelOf(server, { env: { DISABLE_PROMPT_CACHING: '1' } }).ask(requestOf()));
  const marked = server.requests.map(({ body }) => JSON.stringify(body).includes('cache_control'));
  expect(marked).toEqual([true, false]);
});

test('no key is ever told, whatever the server or the connection says', async () => {
  const secrets = { ANTHROPIC_API_KEY: 'sk-ant-secret\u2028x', ANTHROPIC_AUTH_TOKEN: 'token-secret' };
  const server = await serve([fails(401)]);
  const clock = fakeClock();
  for (const env of [secrets, { ...secrets, ANTHROPIC_API_KEY: 'sk-ant-secret' }]) {
    const told = await hear(modelOf(server, { env, maxRetries: 1, clock }).ask(requestOf()));
    expect(told.outcome.kind).toBe('failed');
    expect(JSON.stringify(told)).not.toContain('secret');
  }
});

test('a connection is used again by the next request', async () => {
  const server = await serve(() => says('Hi'));
  const model = modelOf(server);
  for (let i = 0; i < 4; i += 1) await hear(model.ask(requestOf()));
  expect(await server.connections()).toBe(1);
});

test('a proxy is asked where one is named, unless NO_PROXY says otherwise', async () => {
  const asked: string[] = [];
  const proxy = createServer((request: IncomingMessage, response) => {
    asked.push(request.url ?? '');
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"type":"x","message":"via proxy"}}');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const server = await serve([says('direct')]);
  const env = { HTTP_PROXY: `127.0.0.1:${port}`, ANTHROPIC_BASE_URL: 'http://api.invalid' };
  const { outcome } = await hear(modelOf(server, { env }).ask(requestOf()));
  expect(outcome).toMatchObject({ failure: { message: 'via proxy' } });
  expect(asked).toEqual(['http://api.invalid/v1/messages']);
  const direct = { HTTP_PROXY: env.HTTP_PROXY, NO_PROXY: '127.0.0.1' };
  expect((await hear(modelOf(server, { env: direct }).ask(requestOf()))).outcome.kind).toBe('answer');
  expect(asked).toHaveLength(1);
  proxy.closeAllConnections();
  proxy.close();
});

test.each(['socks5://127.0.0.1:1', 'http://'])(
  'a proxy that cannot be used is not gone past: %s',
  async (HTTP_PROXY) => {
    const server = await serve([says('never')]);
    const { outcome } = await hear(modelOf(server, { env: { HTTP_PROXY } }).ask(requestOf()));
    expect(outcome).toMatchObject({ kind: 'failed', failure: { message: expect.stringContaining('HTTP_PROXY') } });
    expect(server.requests).toHaveLength(0);
  },
);

test('tokens are counted by the API', async () => {
  const server = await serve([], { tokens: 1234 });
  expect(await modelOf(server).countTokens(requestOf())).toEqual({ tokens: 1234 });
  expect(server.others).toEqual(['POST /v1/messages/count_tokens']);
  await server.close();
  expect(await modelOf(server).countTokens(requestOf())).toHaveProperty('failure.type', 'connection_error');
});
