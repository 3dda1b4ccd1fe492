import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isRunning } from '../agent/tools/shell-host.ts';
import { chatWith } from '../support/chat.ts';
import { tempFolder } from '../support/files.ts';
import { calls, says } from '../support/scripted-model.ts';
import { BIN } from '../support/skein.ts';

const ODD = fileURLToPath(new URL('../support/mcp-odd.ts', import.meta.url));

function config(env: Record<string, string> = {}): string {
  const server = { command: process.execPath, args: [ODD], env };
  const own = { command: process.execPath, args: [BIN, 'mcp'] };
  return JSON.stringify({ mcpServers: { a: server, history: own } });
}

test('--mcp-config: the first message tells of the server and its tools; --mcp-debug what is said, without secrets', async () => {
  const asked = [calls('mcp__a__echo', { text: 'hunter2-secret' }), calls('mcp__history__list_chats', {})];
  const chat = await chatWith([...asked, says('END')]);
  const flags = ['--output-format', 'stream-json', '--allowedTools', 'mcp__a mcp__history', '--mcp-debug'];
  const run = await chat.run(['-p', 'Go', '--mcp-config', config({ TOKEN: 'hunter2-secret' }), ...flags]);
  expect(run.code).toBe(0);
  const [init] = run.lines;
  expect(init).toMatchObject({
    mcp_servers: [
      { name: 'a', status: 'connected', source: 'dynamic' },
      { name: 'history', status: 'connected' },
    ],
  });
  // Our own server knows the session that asks it.
  expect(JSON.stringify(chat.model.requests.at(-1)?.messages.at(-1))).toMatch(/tool_result.*Go/);
  expect(init?.tools).toContain('mcp__a__echo');
  expect(init?.slash_commands).toContain('mcp__a__review');
  expect(run.err).toMatch(/^mcp: a → .*"method":"tools\/call".*"text":"\*\*\*"/m);
  expect(run.err).not.toContain('hunter2');
  await chat.story();
});

test('--mcp-config of what is not there: nothing is begun', async () => {
  const chat = await chatWith([]);
  const { code, err } = await chat.run(['-p', 'Go', '--mcp-config', 'nowhere.json']);
  expect([code, err]).toEqual([
    2,
    expect.stringMatching(/--mcp-config cannot be used. There is no file .*nowhere\.json/),
  ]);
  expect(chat.model.requests).toEqual([]);
});

test('skein is killed in the middle of a call: its server hears that, and ends', async () => {
  const log = join(tempFolder(), 'log');
  const chat = await chatWith([calls('mcp__a__silent', {}), says('END')]);
  const flags = ['--allowedTools', 'mcp__a', '--mcp-config', config({ MCP_LOG: log })];
  const { child, done } = chat.start(['-p', 'Go', ...flags]);
  const said = () => {
    try {
      return readFileSync(log, 'utf8');
    } catch {
      return '';
    }
  };
  await expect.poll(said, { timeout: 20_000 }).toContain('"name":"silent"');
  child.kill('SIGKILL');
  await done;
  const pid = Number(/start (\d+)/.exec(said())?.[1]);
  await expect.poll(() => isRunning(pid), { timeout: 5000 }).toBe(false);
  expect(said()).toContain('closed');
});
