import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bash } from '../../src/agent/tools/bash.ts';
import { bashOutput } from '../../src/agent/tools/bashoutput.ts';
import { killShell } from '../../src/agent/tools/killshell.ts';
import { createCleaner } from '../../src/agent/tools/shell/clean.ts';
import { makeShellFolder } from '../../src/agent/tools/shell/leftovers.ts';
import { createCollector, createUnread, MAX_HEAD_BYTES } from '../../src/agent/tools/shell/printed.ts';
import { prLinkOf } from '../../src/agent/tools/shell/prlink.ts';
import { createShells } from '../../src/agent/tools/shell/shells.ts';
import { asObject, asString, type JsonObject } from '../../src/format/json.ts';
import { toToolResult } from '../../src/graph/toolresults/read.ts';
import { call, isRunning, testSession, until } from '../agent/tools/shell-host.ts';
import { tempFolder } from '../support/files.ts';

async function background(session: ReturnType<typeof testSession>, command: string): Promise<string> {
  const { text, result } = await call(bash, session, { command, run_in_background: true });
  const id = asString(asObject(result)?.backgroundTaskId) ?? '';
  expect(text).toMatch(new RegExp(`^Command running in background with ID: ${id}\\.`));
  return id;
}

/** Looks until it has printed what is waited for. */
async function printed(session: ReturnType<typeof testSession>, id: string, wanted: RegExp): Promise<string> {
  let text = '';
  for (let tries = 0; tries < 200 && !wanted.test(text); tries++) {
    await sleep(10);
    const { result } = await call(bashOutput, session, { bash_id: id });
    text += asString(asObject(result)?.stdout) ?? '';
  }
  return text;
}

describe('commands in the background', () => {
  it('print what is new at each look, and their status at the end', async () => {
    const session = testSession();
    const id = await background(session, 'echo one; echo two >&2; exit 3');
    const shell = session.shells.get(id);
    await until(() => shell?.status !== 'running');
    const seen = await call(bashOutput, session, { bash_id: id });
    expect(seen.text).toBe('Status: failed, exit code 3\n\none\ntwo');
    expect(toToolResult('BashOutput', seen.result)).toMatchObject({
      kind: 'bash_output',
      taskId: id,
      status: 'failed',
      exitCode: 3,
    });
    expect((await call(bashOutput, session, { bash_id: id })).text).toBe(
      'Status: failed, exit code 3\nNothing new was printed.',
    );
  });

  it('give their output piece by piece', async () => {
    const session = testSession();
    await call(bash, session, { command: 'mkfifo go' });
    const id = await background(session, 'echo one; read x < go; echo two $x');
    const look = async (): Promise<string> => (await call(bashOutput, session, { bash_id: id })).text;
    expect(await printed(session, id, /one/)).toBe('one');
    expect(await look()).toBe('Status: running\nNothing new was printed.');
    await call(bash, session, { command: 'echo now > go' });
    await until(() => session.shells.get(id)?.status === 'completed');
    expect(await look()).toBe('Status: completed, exit code 0\n\ntwo now');
  });

  it('can be filtered, and no filter hangs', async () => {
    const session = testSession();
    const id = await background(session, 'seq 1 30; echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!');
    const shell = session.shells.get(id);
    await until(() => shell?.status === 'completed');
    expect((await call(bashOutput, session, { bash_id: id, filter: '(' })).text).toContain('not a regular expression');
    expect((await call(bashOutput, session, { bash_id: id, filter: '^2.$' })).result).toMatchObject({
      stdout: Array.from({ length: 10 }, (_, at) => 20 + at).join('\n'),
      filterPattern: '^2.$',
    });
    const slow = await background(session, 'echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!');
    await until(() => session.shells.get(slow)?.status === 'completed');
    expect((await call(bashOutput, session, { bash_id: slow, filter: '^(a+)+$' })).text).toContain('too long');
  });

  it('are ended by KillShell with what they started', async () => {
    const session = testSession();
    const id = await background(session, 'sleep 100 & echo $!; wait');
    const pid = Number(await printed(session, id, /\d/));
    expect(isRunning(pid)).toBe(true);
    const ended = await call(killShell, session, { shell_id: id });
    expect(ended.result).toEqual({ message: ended.text, shell_id: id });
    expect(isRunning(pid)).toBe(false);
    expect(session.shells.get(id)?.status).toBe('killed');
    expect((await call(killShell, session, { shell_id: id })).text).toContain('does not run any more');
  });

  it('that nobody knows are told apart from those that are known', async () => {
    const session = testSession();
    expect((await call(bashOutput, session, { bash_id: 'b1' })).text).toContain('There is none.');
    const id = await background(session, 'sleep 100');
    expect((await call(killShell, session, { shell_id: 'b1' })).text).toContain(`Known: ${id} (running).`);
  });

  it('end with the session', async () => {
    const session = testSession();
    const id = await background(session, "trap '' TERM; setsid sleep 100 & echo $!; sleep 100");
    const pid = Number(await printed(session, id, /\d/));
    await session.shells.close();
    expect(isRunning(pid)).toBe(false);
  });
});

describe('the end of our own process', () => {
  const shellsFile = join(import.meta.dirname, '../../src/agent/tools/shell/shells.ts');

  /** A process that starts a command in the background, tells its pid, and then does `then`. */
  async function host(then: string): Promise<{ child: ChildProcess; pid: number; tmp: string }> {
    const tmp = tempFolder();
    const program = join(tmp, 'host.mjs');
    writeFileSync(
      program,
      `import { createShells } from ${JSON.stringify(shellsFile)};
       const shells = createShells();
       const shell = await shells.start({ command: "trap '' TERM; sleep 100 & echo $!; wait", cwd: '/', env: process.env });
       let text = '';
       while (!text.includes('\\n')) { await new Promise((r) => setTimeout(r, 10)); text += shell.take().text; }
       process.stdout.write(text);
       ${then}`,
    );
    const child = spawn(process.execPath, [program], {
      env: { ...process.env, TMPDIR: tmp },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = new Promise<number>((resolve) => child.stdout?.once('data', (data) => resolve(Number(data))));
    return { child, pid: await pid, tmp };
  }

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('by %s takes the commands along', async (signal) => {
    const { child, pid, tmp } = await host('setInterval(() => {}, 1000);');
    expect(isRunning(pid)).toBe(true);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([null, signal]);
    await until(() => !isRunning(pid));
    expect(isRunning(pid)).toBe(false);
    expect(readdirSync(tmp)).toEqual(['host.mjs']);
  });

  it('by itself takes them along, and does not wait for them', async () => {
    const { child, pid } = await host('');
    if (child.exitCode === null) await once(child, 'exit');
    expect(child.exitCode).toBe(0);
    await until(() => !isRunning(pid));
    expect(isRunning(pid)).toBe(false);
  });

  it('is not decided here where somebody else listens to the signal', async () => {
    const { child, pid } = await host(
      `process.on('SIGINT', () => process.stdout.write('mine')); setInterval(() => {}, 1000);`,
    );
    const said = once(child.stdout ?? child, 'data');
    child.kill('SIGINT');
    expect(String((await said)[0])).toBe('mine');
    expect(isRunning(pid)).toBe(true);
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
});

describe('memory', () => {
  it('a flood keeps its beginning and its end, and counts the rest', async () => {
    const shells = createShells();
    const bytes = 40_000_000;
    const ran = await shells.run({ command: `yes | head -c ${bytes}; echo end`, cwd: '/', env: process.env });
    await shells.close();
    if (ran.failure !== undefined) throw new Error(ran.failure);
    expect(ran.output.bytes).toBe(bytes + 4);
    expect(ran.output.head.length).toBe(MAX_HEAD_BYTES);
    expect(ran.output.tail.length).toBe(64 << 10);
    expect(ran.output.tail.endsWith('y\nend\n')).toBe(true);
    expect(ran.output.head.length + ran.output.lost + ran.output.tail.length).toBe(bytes + 4);
  });

  it('what is collected is the beginning and the end of what came, however it came (property)', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '\n', ' '), maxLength: 30 });
    fc.assert(
      fc.property(fc.array(letters), fc.nat(40), fc.integer({ min: 1, max: 20 }), (parts, head, tail) => {
        const collector = createCollector(head, tail);
        for (const part of parts) collector.push(Buffer.from(part));
        const all = parts.join('');
        const printed = collector.printed();
        expect(all.startsWith(printed.head)).toBe(true);
        expect(all.endsWith(printed.tail)).toBe(true);
        expect(printed.head.length + printed.lost + printed.tail.length).toBe(all.length);
        expect(printed.head.length).toBe(Math.min(head, all.length));
        expect(collector.tail(5)).toBe(all.slice(-Math.min(5, tail)));
        expect(collector.lines).toBe(all.split('\n').length - 1);
      }),
    );
  });

  it('no cut leaves half a character (property)', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('ä', '中', '😀', 'a') }),
        fc.nat(40),
        fc.nat(20),
        (all, head, tail) => {
          const collector = createCollector(head, tail + 1);
          collector.push(Buffer.from(all));
          const printed = collector.printed();
          expect(all.startsWith(printed.head)).toBe(true);
          expect(all.endsWith(printed.tail)).toBe(true);
        },
      ),
    );
  });

  it('what nobody reads is bounded', () => {
    const unread = createUnread(100);
    for (let at = 0; at < 1000; at++) unread.push(Buffer.from(`${at}\n`.padStart(10)));
    const { text, lost } = unread.take();
    expect(text.length + lost).toBe(10_000);
    expect(text.endsWith('999\n')).toBe(true);
    expect(text.length).toBe(100);
    expect(unread.take()).toEqual({ text: '', lost: 0 });
  });
});

describe('cleaning', () => {
  it('gives the same however the bytes are cut (property)', () => {
    const piece = fc.constantFrom(
      'a',
      '中',
      '😀',
      '\x1b[31m',
      '\x1b[1;38;5;200m',
      '\x1b]0;title\x07',
      '\x1b[2K',
      '\n',
      '\r',
      '\t',
      '\0',
      '\x07',
      'z',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), fc.array(fc.nat(80), { maxLength: 6 }), (pieces, cuts) => {
        const bytes = Buffer.from(pieces.join(''));
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
        const cleaner = createCleaner();
        let text = '';
        for (let i = 1; i < at.length; i++) text += cleaner.push(bytes.subarray(at[i - 1], at[i]));
        text += cleaner.end();
        expect(text).toBe(pieces.filter((each) => !/[\0\x07\x1b]/.test(each)).join(''));
      }),
    );
  });
});

describe('the pull request that was made', () => {
  const link = (command: string, output: string): JsonObject | undefined => {
    const found = prLinkOf(command, output);
    return found && { ...found };
  };

  it('is the last address of one', () => {
    expect(
      link('git push && gh pr create --fill', 'see https://github.com/a/b/pull/new/x\nhttps://github.com/a/b/pull/7\n'),
    ).toEqual({
      prNumber: 7,
      prUrl: 'https://github.com/a/b/pull/7',
      prRepository: 'a/b',
    });
    expect(link('glab mr create', 'https://gitlab.example.org/g/sub/p/-/merge_requests/12')).toEqual({
      prNumber: 12,
      prUrl: 'https://gitlab.example.org/g/sub/p/-/merge_requests/12',
      prRepository: 'g/sub/p',
    });
  });

  it('is none where none was made', () => {
    expect(link('gh pr view 7', 'https://github.com/a/b/pull/7')).toBeUndefined();
    expect(link('gh pr create', 'a pull request already exists')).toBeUndefined();
    expect(
      link('gh pr create', 'https://github.com/a/b/pull/new/x https://github.com/a/b/pull/7/files'),
    ).toBeUndefined();
  });
});

it('the folder of a process that was killed is swept up by the next, that of a living one is not', () => {
  const gone = spawnSync(process.execPath, ['-e', '0']).pid;
  const [left, live] = [gone, process.pid].map((pid) => mkdtempSync(join(tmpdir(), `skein-shell-${pid}-`)));
  const made = makeShellFolder();
  expect([left, live, made].map((folder) => existsSync(folder ?? ''))).toEqual([false, true, true]);
  for (const folder of [live, made]) rmSync(folder ?? '', { recursive: true });
});
