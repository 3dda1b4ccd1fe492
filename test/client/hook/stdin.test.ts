import { spawn } from 'node:child_process';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BIN } from '../../support/skein.ts';
import { type HookHome, makeHome, startServer, writeTurns } from './world.ts';

const A = 'aaaaaaaa-2222-4333-8444-555555555555';

function start({ home, skein }: HookHome, stdin: number | 'pipe' | 'ignore', ...args: string[]) {
  const env = { PATH: process.env.PATH ?? '', HOME: home, SKEIN_HOME: skein };
  const child = spawn(process.execPath, [BIN, 'hook', 'run', '--wait', '0', ...args], {
    env,
    stdio: [stdin, 'ignore', 'ignore'],
  });
  return { child, ended: new Promise((resolve) => child.on('close', resolve)) };
}

function told(world: HookHome): string {
  return JSON.stringify({ session_id: A, transcript_path: world.fileOf(A), hook_event_name: 'Stop', more: '}' });
}

const isDone = ({ log }: HookHome) => log().some(({ what }) => what === 'done');

describe('standard input of a hook (U1)', () => {
  test('may come in pieces, and may stay open: it ends with the object', async () => {
    const world = makeHome();
    writeTurns(world.fileOf(A), 1);
    const { child, ended } = start(world, 'pipe', '--archive');
    const text = told(world);
    // The first piece ends as an object does.
    const cut = text.indexOf('}') + 1;
    child.stdin?.write(text.slice(0, cut));
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.stdin?.write(`${text.slice(cut)}\n`);
    expect(await ended).toBe(0);
    expect(isDone(world)).toBe(true);
  });

  test('may be a file', async () => {
    const world = makeHome();
    writeTurns(world.fileOf(A), 1);
    const file = join(world.home, 'input');
    writeFileSync(file, told(world));
    const fd = openSync(file, 'r');
    const { ended } = start(world, fd, '--archive');
    closeSync(fd);
    expect(await ended).toBe(0);
    expect(isDone(world)).toBe(true);
  });

  test.each(['pipe', 'ignore'] as const)('nobody says anything: %s', async (stdin) => {
    const world = makeHome();
    const { ended } = start(world, stdin, '--archive');
    expect(await ended).toBe(0);
    expect(world.log().map(({ what }) => what)).toEqual([
      'what came on standard input is not what a client tells a hook',
    ]);
  });
});

describe('what a hook sends', () => {
  test('little is sent as it is, much is packed', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const add = writeTurns(world.fileOf(A), 1);
    const send = async () => {
      const { child, ended } = start(world, 'pipe', '--otlp', server.url);
      child.stdin?.end(told(world));
      expect(await ended).toBe(0);
    };
    await send();
    for (let turn = 0; turn < 10; turn += 1) add();
    await send();
    expect(server.requests.map(({ headers }) => headers['content-encoding'])).toEqual([undefined, 'gzip']);
    expect(server.bodies.map(({ length }) => length < 14_600)).toEqual([true, false]);
    expect(world.log().filter(({ level }) => level === 'error')).toEqual([]);
  });
});
