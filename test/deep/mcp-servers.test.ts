/** MCP servers that do wrong in ways that take time. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { odd, serversOf } from '../agent/mcp/servers.ts';
import { tempFolder } from '../support/files.ts';

test('a line without end: it is ended, and started again', async () => {
  const { call } = await serversOf({ a: odd() });
  expect((await call('mcp__a__flood')).content).toMatch(/ended during the call: it sent a line of more than 20 MB/);
  expect(await call('mcp__a__echo', { text: 'on' })).toMatchObject({ result: [{ text: 'you said on' }] });
});

test('one that never says anything is given up in time', async () => {
  const { manager } = await serversOf({ never: odd('never') }, { MCP_TIMEOUT: '300' });
  expect(manager.servers[0]).toMatchObject({ error: 'it did not answer within 0.3 s (MCP_TIMEOUT)' });
});

test('one that ends at every start is left alone in the end', async () => {
  const log = join(tempFolder(), 'log');
  const { call } = await serversOf({ a: odd('brittle') }, { MCP_LOG: log });
  await call('mcp__a__die');
  const words: string[] = [];
  for (let i = 0; i < 5; i++) words.push(String((await call('mcp__a__echo', { text: 'x' })).content));
  expect(words.slice(0, 3)).toEqual(Array(3).fill(expect.stringMatching(/cannot be reached: it ended with code 1/)));
  expect(words.slice(3)).toEqual(Array(2).fill(expect.stringMatching(/was started 3 times in vain/)));
});

test('one that knows nothing of the newer protocol is asked in the older one', async () => {
  const { manager } = await serversOf({ exits: odd('exits'), mute: odd('mute') }, { MCP_TIMEOUT: '2400' });
  expect(manager.servers.map(({ status }) => status)).toEqual(['connected', 'connected']);
});

test('one of a file that takes long does not hold the first prompt, and joins later', async () => {
  const { manager, tools } = await serversOf({ late: { ...odd('late', '600'), scope: 'user' } });
  expect(manager.servers[0]?.status).toBe('pending');
  await expect.poll(() => tools.has('mcp__late__echo'), { timeout: 5000 }).toBe(true);
});
