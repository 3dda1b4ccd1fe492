/** Commands shut in: what is decided without bubblewrap, and what it does where it works. */
import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bwrapArgs, createSandbox, findBwrap } from '../../src/agent/sandbox/bwrap.ts';
import { chooseSandbox } from '../../src/agent/sandbox/choose.ts';
import { loadSettings } from '../../src/agent/settings/load.ts';
import { createShells } from '../../src/agent/tools/shell/shells.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { tempFolder } from '../support/files.ts';

async function choose(sandbox: JsonObject, { isAsked = false, found = true } = {}) {
  const notices: string[] = [];
  const chosen = await chooseSandbox({
    isAsked,
    settings: sandbox,
    folders: ['/work'],
    path: '',
    notice: (words) => notices.push(words),
    find: async () => (found ? { program: '/usr/bin/bwrap' } : { why: 'it is not there' }),
  });
  return { chosen, notices };
}

describe('whether', () => {
  test('only when asked for', async () => {
    expect((await choose({})).chosen).toEqual({});
    expect((await choose({ enabled: false })).chosen).toEqual({});
    expect((await choose({ enabled: true })).chosen).toHaveProperty('sandbox');
    expect((await choose({}, { isAsked: true })).chosen).toHaveProperty('sandbox');
  });

  test('missing: a word; refused where it is demanded', async () => {
    const { chosen, notices } = await choose({ enabled: true }, { found: false });
    expect(chosen).toEqual({});
    expect(notices).toEqual(['Commands run without the sandbox that the settings ask for: it is not there.']);
    for (const demand of [{ failIfUnavailable: true }, { allowUnsandboxedCommands: false }]) {
      expect((await choose({ enabled: true, ...demand }, { found: false })).chosen).toHaveProperty('refused');
    }
    expect((await choose({}, { isAsked: true, found: false })).chosen).toHaveProperty('refused');
  });

  test('the network is off but for "*"; single domains are told to be no use', async () => {
    const lineOf = async (allowedDomains: string[]) => {
      const { chosen, notices } = await choose({ enabled: true, network: { allowedDomains } });
      const line = 'sandbox' in chosen ? chosen.sandbox?.wrap('/bin/sh', ['-c', ':'], '/') : undefined;
      return { line, notices };
    };
    expect((await lineOf([])).line).toContain('--unshare-net');
    expect((await lineOf(['*'])).line).not.toContain('--unshare-net');
    const some = await lineOf(['example.com']);
    expect(some.line).toContain('--unshare-net');
    expect(some.notices[0]).toContain('no network');
  });
});

test('a project that nobody trusted can ask for it, and neither switch it off nor let it out', async () => {
  const root = realpathSync(tempFolder());
  const [cwd, config] = [join(root, 'work'), join(root, 'home', '.claude')];
  const load = async (user: object, project: object) => {
    for (const [folder, sandbox] of [
      [config, user],
      [join(cwd, '.claude'), project],
    ] as const) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'settings.json'), JSON.stringify({ sandbox }));
    }
    const place = { cwd, home: join(root, 'home'), config, managed: join(root, 'none') };
    return (await loadSettings({ ...place, print: true })).sandbox;
  };
  const out = { enabled: false, failIfUnavailable: false, network: { allowedDomains: ['*'] } };
  expect(await load({ enabled: true, failIfUnavailable: true }, out)).toEqual({
    enabled: true,
    failIfUnavailable: true,
  });
  expect(await load({}, { enabled: true, network: { allowedDomains: ['*'] } })).toEqual({ enabled: true });
});

test('the command line: all read-only, the folders after the empty /tmp, what decides about programs kept as it is', () => {
  const work = realpathSync(tempFolder());
  const hooks = join(work, '.git', 'hooks');
  mkdirSync(hooks, { recursive: true });
  const line = bwrapArgs({ folders: [work, join(work, 'gone')], network: false }).join(' ');
  expect(line).toMatch(/--ro-bind \/ \/ .*--tmpfs \/tmp .*--bind /);
  expect(line).toContain(`--bind ${work} ${work} --ro-bind ${hooks} ${hooks}`);
  expect(line).not.toContain('gone');
});

test('where bubblewrap works, nothing outside is written and nobody is reached; else it says why', async () => {
  const found = await findBwrap(process.env.PATH ?? '');
  if (!('program' in found)) {
    expect(found.why).toMatch(/bubblewrap|bwrap/);
    return;
  }
  const root = realpathSync(tempFolder());
  const work = join(root, 'work');
  mkdirSync(join(work, '.claude'), { recursive: true });
  const shells = createShells();
  const sandbox = createSandbox(found.program, { folders: [work], network: false });
  const run = async (command: string) => {
    const ran = await shells.run({ command, cwd: work, env: { PATH: process.env.PATH }, sandbox });
    if (ran.failure !== undefined) throw new Error(ran.failure);
    return ran;
  };
  try {
    const fine = await run('mkdir in && cd in && echo hi > a && cat a');
    expect([fine.code, fine.output.head, fine.cwd]).toEqual([0, 'hi\n', join(work, 'in')]);
    expect(existsSync(join(work, 'in', 'a'))).toBe(true);
    for (const path of [join(root, 'new'), join(work, '.claude', 'settings.json'), '/etc/skein-was-here']) {
      await run(`echo x > ${path}`);
      expect(existsSync(path)).toBe(false);
    }
    expect((await run('echo x > /tmp/skein-was-here && ls /tmp')).output.head).toContain('skein-was-here');
    expect(existsSync('/tmp/skein-was-here')).toBe(false);
    // Who is root here is not in there.
    expect((await run('mount -o remount,bind,rw /')).code).not.toBe(0);
    expect((await run('ls -A /run | grep -c sock')).output.head).toBe('0\n');
    // Only the loopback device is left.
    expect((await run("sed 1,2d /proc/net/dev | grep -vc '^ *lo:'")).output.head).toBe('0\n');
    const slow = await shells.run({ command: 'sleep 60', cwd: work, env: {}, sandbox, timeoutMs: 200 });
    expect(slow).toMatchObject({ why: 'timeout', survivors: [] });
  } finally {
    await shells.close();
  }
});
