/** The screen of all chats in a terminal: what it starts, what ends it, what it must not show. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isRunning } from '../../src/disk/live.ts';
import { putSessions } from '../support/browse.ts';
import { type ConsoleWorld, consoleWith } from '../support/console.ts';
import { BIN, skein } from '../support/skein.ts';
import { openTmux, type Tmux } from '../support/tmux.ts';

const SECRET = `the key is sk-ant-api03-${'aB3dE5fG7h'.repeat(9)}abc-AAAAAA`;
const PROMPTS = ['Where is the parrot?', 'Count the boats'];

async function opened(prompts: readonly string[] = PROMPTS, env = {}): Promise<[ConsoleWorld, Tmux]> {
  const world = await consoleWith([]);
  putSessions(world, prompts);
  const terminal = world.run([], undefined, env);
  await terminal.until((screen) => /\d chats?\n/.test(screen) && screen.includes('── turn 1'));
  return [world, terminal];
}

function inWorld(world: ConsoleWorld) {
  return { CLAUDE_CONFIG_DIR: world.config, SKEIN_HOME: join(world.home, 'kept') };
}

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGINT', 130],
] as const)('%s leaves the terminal as it was', async (signal, code) => {
  const [, terminal] = await opened();
  process.kill(terminal.pid, signal);
  expect(await terminal.until(`[exit ${code}]`)).not.toContain('parrot');
});

test('a fault leaves the terminal as it was, and is told', async () => {
  const world = await consoleWith([]);
  putSessions(world, PROMPTS);
  const fault = join(world.home, 'fault.cjs');
  writeFileSync(fault, "setTimeout(() => { throw new Error('boom'); }, 1500);");
  const terminal = world.run([], undefined, { NODE_OPTIONS: `--require=${fault}` });
  await terminal.until('Tab actions');
  const screen = await terminal.until('[exit 1]');
  expect(screen).toContain('skein: boom');
  expect(screen).not.toContain('Tab actions');
});

test('a terminal that goes away ends it', async () => {
  const [, terminal] = await opened();
  const { pid } = terminal;
  terminal.hangUp();
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test('Ctrl-Z gives the shell its screen, fg brings ours back', async () => {
  const world = await consoleWith([]);
  putSessions(world, PROMPTS);
  const terminal = openTmux({
    command: ['bash', '--norc', '-i'],
    cwd: world.cwd,
    env: { PATH: process.env.PATH ?? '', HOME: world.home, PS1: 'ready> ', ...inWorld(world) },
  });
  await terminal.until('ready>');
  terminal.type(`${process.execPath} ${BIN}`);
  terminal.keys('Enter');
  await terminal.until('Tab actions');
  for (const round of ['one', 'two']) {
    terminal.keys('C-z');
    await terminal.until((screen) => screen.includes('Stopped') && !screen.includes('Tab actions'));
    // Typed as it is: the terminal is no longer raw.
    terminal.type(`echo ${round}-again`);
    terminal.keys('Enter');
    await terminal.until(new RegExp(`^${round}-again`, 'm'));
    terminal.type('fg');
    terminal.keys('Enter');
    await terminal.until((screen) => screen.includes('Tab actions') && screen.includes('parrot'));
  }
  terminal.keys('C-c');
  await terminal.until((screen) => !screen.includes('Tab actions'));
});

test('the other client is run in the folder of the chat, and the chats come back', async () => {
  const world = await consoleWith([]);
  putSessions(world, PROMPTS);
  const bin = join(world.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'claude'), '#!/bin/sh\necho "$PWD $*" > "$HOME/called"\necho hello; sleep 0.3\n');
  chmodSync(join(bin, 'claude'), 0o755);
  const terminal = world.run([], undefined, { PATH: `${bin}:${process.env.PATH}` });
  await terminal.until('2 chats');
  terminal.keys('Tab', 'c');
  await terminal.until('hello');
  await terminal.until('Tab actions');
  const [called = '', , id = ''] = readFileSync(join(world.home, 'called'), 'utf8').trim().split(' ');
  expect(called).toBe(world.cwd);
  expect(world.sessions().some((file) => file.includes(id))).toBe(true);
});

test('a client that is not installed is told', async () => {
  const [, terminal] = await opened(PROMPTS, { PATH: '/nowhere' });
  terminal.keys('Tab', 'c');
  await terminal.until('claude is not installed');
});

test('export asks as the verb does and writes into the folder', async () => {
  const [world, terminal] = await opened([SECRET]);
  terminal.keys('Tab', 'e', 'm');
  await terminal.until(/\[y\/N\]/i);
  terminal.type('y');
  terminal.keys('Enter');
  await terminal.until(/any key/);
  terminal.keys('Space');
  await terminal.until('Tab actions');
  expect(readdirSync(world.cwd).filter((name) => name.endsWith('.md'))).toHaveLength(1);
});

test('sync keeps the chats; one that is deleted is only in the archive, and is brought back', async () => {
  const [world, terminal] = await opened();
  terminal.keys('Tab', 'y');
  await terminal.until(/any key/);
  terminal.keys('Space');
  await terminal.until('Tab actions');
  const [file = ''] = world.sessions();
  rmSync(file);
  terminal.keys('C-r');
  await terminal.until('◇');
  for (const prompt of PROMPTS) {
    terminal.keys('C-u');
    terminal.type(prompt.split(' ').at(-1) ?? '');
    const screen = await terminal.until('1 of 2 chats');
    if (screen.includes('◇')) break;
  }
  terminal.keys('Tab', 'r');
  await terminal.until('Bring it back first');
  terminal.keys('Tab', 'b');
  await terminal.until(/any key/);
  terminal.keys('Space');
  await terminal.until((screen) => screen.includes('Tab actions') && !screen.includes('◇'));
  expect(world.sessions()).toHaveLength(2);
});

test('what is in titles and answers cannot drive the terminal, and secrets are masked', async () => {
  const [, terminal] = await opened(['\u001b]0;EVIL\u0007\u001b[2J\u001b[31mred\u202e title', SECRET]);
  const first = terminal.screen();
  expect(first).toContain('> the key is ');
  expect(first).not.toContain('sk-ant-api03-aB');
  terminal.keys('Down', 'Enter');
  await terminal.until((screen) => screen.includes('red title') && screen.includes('Answer 0.'));
  terminal.keys('q');
  await terminal.until('2 chats');
  expect(terminal.painted()).not.toContain('\u001b[31mred');
});

test('without colour nothing is painted', async () => {
  const [, terminal] = await opened(PROMPTS, { NO_COLOR: '1' });
  terminal.keys('Enter');
  await terminal.until('q back');
  expect(terminal.painted()).not.toMatch(/\u001b\[(?!0?m|39m|49m)[\d;]+m/);
});

test('in a pipe it is the list', async () => {
  const world = await consoleWith([]);
  putSessions(world, PROMPTS);
  const ran = skein([], { env: inWorld(world) });
  expect(ran.code).toBe(0);
  expect(ran.text).toContain('TITLE');
  expect(ran.text).not.toContain('\u001b');
});
