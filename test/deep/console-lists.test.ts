/** Lists and queues of the console in a terminal: what was folded, a session's preview, images that wait, /mcp, and the end. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entriesOf } from '../support/chat.ts';
import { consoleWith } from '../support/console.ts';
import { runHere } from '../support/inprocess.ts';
import { PNG } from '../support/png.ts';
import { calls, hold, says } from '../support/scripted-model.ts';
import type { Tmux } from '../support/tmux.ts';

const IDLE = '? for keys';

async function say(terminal: Tmux, words: string, answer: string): Promise<string> {
  terminal.type(words);
  terminal.keys('Enter');
  return terminal.until((screen) => screen.includes(answer) && screen.includes(IDLE));
}

test('Ctrl-O: one that is folded at once, of several the one that is chosen; twice is the newest', async () => {
  const world = await consoleWith([
    calls('Bash', { command: 'seq 101 120' }),
    says('One.'),
    calls('Bash', { command: 'seq 201 220' }),
    calls('Bash', { command: 'seq 301 320' }),
    says('Three.'),
  ]);
  const terminal = world.open(['--permission-mode', 'bypassPermissions']);
  await terminal.until(IDLE);
  terminal.keys('C-o');
  await terminal.until('nothing is folded');
  await say(terminal, 'one', 'One.');
  terminal.keys('C-o');
  await terminal.until('│ 102');
  await say(terminal, 'more', 'Three.');
  terminal.keys('C-o');
  await terminal.until(/❯ ● Bash seq 301 320.*\n {2}● Bash seq 201 220/);
  terminal.keys('C-o');
  await terminal.until((screen) => screen.includes('│ 302') && screen.includes(IDLE));
  terminal.keys('C-o');
  await terminal.until((screen) => screen.includes('│ 202') && screen.includes(IDLE));
  terminal.keys('C-o');
  await terminal.until('nothing is folded');
});

test('/resume shows of the session that is selected the last prompt and the beginning of its answer', async () => {
  const world = await consoleWith([says('Alpha answer.'), says('Beta answer.')]);
  for (const [words, answer] of [
    ['about alpha', 'Alpha answer.'],
    ['about beta', 'Beta answer.'],
  ] as const) {
    const terminal = world.open();
    await terminal.until(IDLE);
    await say(terminal, words, answer);
    terminal.keys('C-d');
    await terminal.until('[exit 0]');
  }
  const terminal = world.open();
  await terminal.until(IDLE);
  terminal.type('/resume');
  terminal.keys('Enter');
  await terminal.until(/❯ about beta[\s\S]*> about beta[\s\S]*Beta answer\./);
  terminal.keys('Down');
  const screen = await terminal.until(/❯ about alpha[\s\S]*1 turn[\s\S]*> about alpha[\s\S]*Alpha answer\./);
  expect(screen).not.toContain('Beta answer');
  terminal.keys('Escape');
  await terminal.until(IDLE);
});

test('an image that is named in a message that waits comes along, beside results and as a prompt of its own (E8, E9)', async () => {
  const [first, second] = [hold(), hold()];
  const world = await consoleWith([
    calls('Bash', { command: 'true' }, { hold: first }),
    says('Seen.', { holdAt: { at: { inside: 0 }, hold: second } }),
    says('Seen again.'),
  ]);
  writeFileSync(join(world.cwd, 'dot.png'), Buffer.from(PNG, 'base64'));
  const terminal = world.open(['--permission-mode', 'bypassPermissions']);
  await terminal.until(IDLE);
  terminal.type('go');
  terminal.keys('Enter');
  await first.reached;
  terminal.type('see dot.png');
  terminal.keys('Enter');
  await terminal.until('⧗ see dot.png');
  first.release();
  await second.reached;
  expect(JSON.stringify(world.model.requests[1]?.messages)).toContain(PNG);
  await terminal.until((screen) => screen.includes('❯ see dot.png') && !screen.includes('⧗'));
  terminal.type('and dot.png now');
  terminal.keys('Enter');
  await terminal.until('⧗ and dot.png now');
  second.release();
  await terminal.until((screen) => screen.includes('Seen again.') && screen.includes(IDLE));
  expect(terminal.all()).toContain('❯ and dot.png now');
  const last = world.model.requests[2]?.messages.at(-1);
  expect(JSON.stringify(last)).toContain(PNG);
  expect(JSON.stringify(last)).toContain('and dot.png now');
  const env = { HOME: world.home, CLAUDE_CONFIG_DIR: world.config, SKEIN_HOME: join(world.home, 'kept') };
  const ran = await runHere(['check', join(world.config, 'projects'), '--json'], env);
  expect(ran.text).not.toContain('"severity": "error"');
});

test('/mcp alone lists; with a word it is the agent that does it', async () => {
  const world = await consoleWith([]);
  const server = { command: process.execPath, args: ['-e', ''] };
  writeFileSync(join(world.cwd, '.mcp.json'), JSON.stringify({ mcpServers: { mine: server } }));
  const terminal = world.open();
  await terminal.until(IDLE);
  terminal.type('/mcp');
  terminal.keys('Enter');
  await terminal.until(/^ {2}mine {2}/m);
  terminal.type('/mcp reject mine');
  terminal.keys('Enter');
  const settings = join(world.cwd, '.claude', 'settings.local.json');
  await expect.poll(() => readFileSync(settings, 'utf8')).toMatch(/disabledMcpjsonServers[\s\S]*mine/);
  terminal.type('/mcp enable none');
  terminal.keys('Enter');
  await terminal.until('There is no MCP server named none.');
  expect(world.model.requests).toHaveLength(0);
});

test('/exit while it works, with something that waits: it ends, and nothing is begun', async () => {
  const middle = hold();
  const world = await consoleWith([says('never whole', { holdAt: { at: { inside: 0 }, hold: middle } })]);
  const terminal = world.open();
  await terminal.until(IDLE);
  terminal.type('one');
  terminal.keys('Enter');
  await middle.reached;
  terminal.type('two');
  terminal.keys('Enter');
  await terminal.until('⧗ two');
  terminal.type('!touch made');
  terminal.keys('Enter');
  await terminal.until('comes after this turn');
  terminal.type('/exit');
  terminal.keys('Enter');
  await terminal.until('[exit 0]');
  expect(terminal.all()).toContain('skein chat --resume');
  expect(world.model.requests).toHaveLength(1);
  const [file = ''] = world.sessions();
  const prompts = entriesOf(file).filter(({ type, promptSource }) => type === 'user' && promptSource === 'typed');
  expect(prompts).toHaveLength(1);
});
