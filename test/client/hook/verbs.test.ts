import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wordsIn } from '../../../src/client/hook/checks.ts';
import { asArray, at, parseJson } from '../../../src/format/json.ts';
import { expectValid } from '../../support/schema.ts';
import { feed, type HookHome, hookVerb, makeHome, runHook, startServer, writeTurns } from './world.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const KEYS = { LANGFUSE_PUBLIC_KEY: 'pk-lf-public', LANGFUSE_SECRET_KEY: 'sk-lf-very-secret' };

const verb = ({ home, skein }: HookHome, args: readonly string[], env: Record<string, string> = {}) =>
  hookVerb(args, { HOME: home, SKEIN_HOME: skein, ...env }, home);
const settingsOf = ({ config }: HookHome) => join(config, 'settings.json');

/** What doctor finds, as `about: state`, with the words. */
async function doctor(world: HookHome, env: Record<string, string> = {}) {
  const { code, out } = await verb(world, ['doctor', '--json'], env);
  const checks = asArray(at(parseJson(out), 'checks')) ?? [];
  const found = checks.map((check) => `${at(check, 'about')} ${at(check, 'state')}: ${at(check, 'what')}`);
  return { code, found };
}

/** What was printed: one object over several lines, or one a line. */
function documents(out: string): unknown[] {
  const whole = parseJson(out);
  return whole === undefined
    ? out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [whole];
}

describe('skein hook install', () => {
  test('adds the hook, sends a test span, keeps keys out of the settings', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const env = { ...KEYS, LANGFUSE_BASE_URL: server.url };
    const { code, out, err } = await verb(world, ['install', '--archive', '--langfuse', '--save-keys'], env);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('a test span was taken');
    expect(server.spans.map(({ name }) => name)).toEqual(['skein hook test']);
    const settings = readFileSync(settingsOf(world), 'utf8');
    expect(settings).toMatch(/skein hook run --archive --langfuse"/);
    expect(settings + out).not.toContain('secret');
    const keys = join(world.skein, 'export.json');
    expect(JSON.parse(readFileSync(keys, 'utf8'))).toEqual(env);
    expect(statSync(keys).mode & 0o777).toBe(0o600);

    // The client has none of these variables.
    writeTurns(world.fileOf(A), 1);
    const command = JSON.parse(settings).hooks.Stop[0].hooks[0].command;
    const args = wordsIn(command).slice(wordsIn(command).indexOf('run') + 1);
    await runHook(world, { session: A, args });
    expect(server.spans.length).toBeGreaterThan(1);
    const status = JSON.parse((await verb(world, ['status', '--json'])).out);
    expect(status).toMatchObject({ last: { what: 'done', event: 'Stop' }, lastError: null, waiting: [] });
    expect((await doctor(world)).code).toBe(0);
    for (const part of ['status', 'doctor', 'log', 'uninstall'])
      for (const line of documents((await verb(world, [part, '--json'])).out)) expectValid('hook', line);
    expect((await verb(world, ['log'])).out).toMatch(/Stop aaaaaaaa \d+ ms .*1 turn in \d+ spans sent to langfuse/);
  });

  test('a missing key: nothing is changed, and it is said what to do', async () => {
    const world = makeHome();
    const { code, err } = await verb(world, ['install', '--langfuse']);
    expect([code, existsSync(settingsOf(world))]).toEqual([1, false]);
    expect(err).toMatch(/LANGFUSE_PUBLIC_KEY is not set[\s\S]*next: Set LANGFUSE_PUBLIC_KEY/);
  });

  test('a dry run changes and sends nothing', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const { code, out } = await verb(world, ['install', '--otlp', server.url, '--dry-run', '--json']);
    expect([code, existsSync(settingsOf(world)), server.requests]).toEqual([0, false, []]);
    expect(JSON.parse(out)).toMatchObject({
      changed: true,
      dryRun: true,
      command: expect.stringContaining(server.url),
    });
  });

  test('a server that does not take the span: it is installed, told, and exit code 1', async () => {
    const [world, server] = [makeHome(), await startServer()];
    server.mode = 'fail';
    const { code, out } = await verb(world, ['install', '--otlp', server.url]);
    expect([code, existsSync(settingsOf(world))]).toEqual([1, true]);
    expect(out).toMatch(/not taken.*status 500: out of order/);
  });

  test('--project: for one person in one folder; uninstall takes out only ours', async () => {
    const world = makeHome();
    const file = join(world.home, '.claude', 'settings.local.json');
    writeFileSync(file, '{\n  "permissions": {}\n}\n');
    expect((await verb(world, ['install', '--project'])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('skein hook run --archive');
    expect(existsSync(settingsOf(world))).toBe(false);
    expect((await verb(world, ['uninstall'])).out).toContain('Nothing to do');
    await verb(world, ['uninstall', '--project']);
    expect(readFileSync(file, 'utf8')).toBe('{\n  "permissions": {}\n}\n');
    expect((await verb(world, ['status'])).code).toBe(1);
  });
});

test('wrong usage ends with 2 and changes nothing', async () => {
  const world = makeHome();
  await verb(world, ['install', '--archive']);
  const before = readFileSync(settingsOf(world), 'utf8');
  for (const args of [
    ['uninstall', '--archive'],
    ['uninstall', '--otlp', 'http://127.0.0.1:9'],
    ['status', '--dry-run'],
    ['doctor', '--follow'],
    ['install', '--otlp', 'localhost:4318'],
    ['install', '--otlp', ''],
  ]) {
    const { code, err } = await verb(world, args);
    expect([args.join(' '), code]).toEqual([args.join(' '), 2]);
    expect(err).toMatch(/next: /);
  }
  expect(readFileSync(settingsOf(world), 'utf8')).toBe(before);
  expect((await verb(world, ['install', '--timeout', '5'])).err).toContain('e.g. 100.');
});

test('a hook in the settings that a project shares is seen by status and doctor', async () => {
  const world = makeHome();
  const folder = join(world.home, 'app');
  mkdirSync(join(folder, '.claude'), { recursive: true });
  const hook = { hooks: [{ type: 'command', command: 'skein hook run --archive' }] };
  writeFileSync(
    join(folder, '.claude', 'settings.json'),
    JSON.stringify({ hooks: { Stop: [hook] }, disableAllHooks: true }),
  );
  const env = { HOME: world.home, SKEIN_HOME: world.skein };
  expect((await hookVerb(['status'], env, folder)).code).toBe(0);
  const { out } = await hookVerb(['doctor'], env, folder);
  expect(out).toContain(`installed in ${join(folder, '.claude', 'settings.json')}`);
  expect(out).toContain('"disableAllHooks" is set');
});

describe.each(['install', 'uninstall'])('skein hook %s', (part) => {
  test('settings that are not UTF-8 are not touched, and the words are about the hook', async () => {
    const world = makeHome();
    const bytes = Buffer.from('{"a":"\xe9"}', 'latin1');
    writeFileSync(settingsOf(world), bytes);
    const { code, err } = await verb(world, part === 'install' ? [part, '--archive'] : [part]);
    expect(code).toBe(1);
    expect(err).toContain('cannot change the settings: it is not UTF-8');
    expect(err).toContain('add the hook by hand');
    expect(err).not.toMatch(/server|mcp/);
    expect(readFileSync(settingsOf(world))).toEqual(bytes);
  });
});

test('skein hook install warns where the client runs no hooks', async () => {
  const world = makeHome();
  expect((await verb(world, ['install', '--archive'])).err).toBe('');
  writeFileSync(settingsOf(world), '{"disableAllHooks": true}');
  const { code, err } = await verb(world, ['install', '--archive']);
  expect([code, err]).toEqual([
    0,
    `warning: the client runs no hooks while "disableAllHooks" is set in ${settingsOf(world)}\n`,
  ]);
});

describe('skein hook doctor says why nothing arrives', () => {
  test('a proxy that is set is not used, and its address is not told', async () => {
    const [world, server] = [makeHome(), await startServer()];
    expect((await verb(world, ['install', '--otlp', server.url])).code).toBe(0);
    expect((await doctor(world)).found.join()).not.toContain('network');
    const env = {
      HTTP_PROXY: 'http://ann:secret@proxy:3128',
      https_proxy: 'http://proxy:3128',
      all_proxy: 'socks://p',
    };
    const { code, found } = await doctor(world, env);
    expect(found).toContain(
      `network warning: HTTP_PROXY, all_proxy is set and not used: spans go straight to ${server.url}/v1/traces`,
    );
    expect([code, found.join().includes('secret')]).toEqual([0, false]);
  });

  test('keys that cannot be read, a folder that is a file; what is wrong with settings is said once, also by status', async () => {
    const world = makeHome();
    writeFileSync(settingsOf(world), '{"hooks": []}');
    mkdirSync(world.skein, { recursive: true });
    writeFileSync(join(world.skein, 'export.json'), '{"LANGFUSE_PUBLIC_KEY": "pk",');
    const { found } = await doctor(world);
    expect(found[0]).toBe(`settings bad: cannot change the settings: "hooks" is not an object (${settingsOf(world)})`);
    expect(found).toContain(`keys bad: ${join(world.skein, 'export.json')} is not a JSON object: it counts as none`);
    expect((await verb(world, ['status'])).out.split('\n')[0]).toBe(
      `cannot change the settings: "hooks" is not an object ${settingsOf(world)}`,
    );
    const file = join(world.home, 'file');
    writeFileSync(file, '');
    const text = (await doctor({ ...world, skein: file })).found.join('\n');
    expect(text).toContain(`folder bad: ${file} is not a folder: nothing can be noted as sent`);
  });

  test('not installed, and never run', async () => {
    const { code, found } = await doctor(makeHome());
    expect(code).toBe(1);
    expect(found).toContain('settings bad: the hook is not installed');
    expect(found).toContain('runs warning: the hook has not run yet');
  });

  test('hooks are turned off; keys are missing; the program is gone; settings that are no JSON', async () => {
    const world = makeHome();
    const hook = { hooks: [{ type: 'command', command: '/gone/node /gone/skein hook run --langfuse' }] };
    writeFileSync(settingsOf(world), JSON.stringify({ disableAllHooks: true, hooks: { Stop: [hook] } }));
    const { code, found } = await doctor(world);
    expect(code).toBe(1);
    expect(found).toEqual([
      `settings ok: installed in ${settingsOf(world)}`,
      `settings warning: nothing is told of SubagentStop, SessionStart, SessionEnd, PreCompact (${settingsOf(world)})`,
      `settings bad: the client runs no hooks: "disableAllHooks" is set in ${settingsOf(world)}`,
      'command bad: the client cannot start it: /gone/node is not there',
      `folder ok: ${world.skein} can be written to`,
      'runs warning: the hook has not run yet',
      'keys bad: LANGFUSE_PUBLIC_KEY is not set',
    ]);
    writeFileSync(settingsOf(world), '{');
    expect((await doctor(world)).found[0]).toMatch(/^settings bad: cannot change the settings: it is not JSON/);
  });

  test('a call that the hook cannot understand; one by hand that it can', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const commands = async (command: string) => {
      const hook = { hooks: [{ type: 'command', command }] };
      writeFileSync(settingsOf(world), JSON.stringify({ hooks: { Stop: [hook] } }));
      const { code, found } = await doctor(world);
      return { code, told: found.filter((each) => /^(?:command|server)/.test(each)) };
    };
    const call = `${process.execPath} ${join(import.meta.dirname, '../../../bin/skein')} hook run`;
    for (const [options, why] of [
      ['--archive --langfuze', "Unknown option '--langfuze'"],
      ['--archive --timeout 8s', '--timeout takes a whole number from 100; not "8s".'],
      ['all', 'There is an argument too many: "all".'],
    ]) {
      const told = [`command bad: the hook cannot run as it is called: ${why}`];
      expect(await commands(`${call} ${options}`)).toEqual({ code: 1, told });
    }
    const taken = [`server ok: a test span was taken by ${server.url}/v1/traces`];
    for (const command of [
      `${call} --otlp=${server.url}`,
      `LANG=C ${call.replace(' ', ' --no-warnings ')} --otlp ${server.url} >/dev/null 2>&1; true`,
    ]) {
      expect(await commands(command)).toEqual({ code: 0, told: taken });
    }
  });

  test('files that begin with a byte order mark are read as without it', async () => {
    const [world, server] = [makeHome(), await startServer()];
    mkdirSync(world.skein, { recursive: true });
    const keys = { ...KEYS, LANGFUSE_BASE_URL: server.url };
    writeFileSync(join(world.skein, 'export.json'), `\uFEFF${JSON.stringify(keys)}`, { mode: 0o600 });
    expect((await verb(world, ['install', '--langfuse'])).code).toBe(0);
    const installed = JSON.parse(readFileSync(settingsOf(world), 'utf8'));
    writeFileSync(settingsOf(world), `\uFEFF${JSON.stringify({ ...installed, disableAllHooks: true })}`);
    const { found } = await doctor(world);
    expect(found).toContain(`settings bad: the client runs no hooks: "disableAllHooks" is set in ${settingsOf(world)}`);
    expect(found).toContain(`keys ok: kept in ${join(world.skein, 'export.json')}`);
    expect((await verb(world, ['install', '--langfuse', '--save-keys'], { LANGFUSE_USER_ID: 'ann' })).code).toBe(0);
  });

  test('a run that was told nothing it knows is named without an event', async () => {
    const world = makeHome();
    await feed(world, '', ['--archive', '--wait', '0']);
    expect((await doctor(world)).found).toContainEqual(expect.stringMatching(/^runs ok: last run \S+Z$/));
  });

  test('the server refuses, the last run failed, keys are here only and others can read them', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const env = { ...KEYS, LANGFUSE_BASE_URL: server.url };
    await verb(world, ['install', '--langfuse'], env);
    server.mode = 'fail';
    writeTurns(world.fileOf(A), 1);
    await runHook(world, { session: A, args: ['--langfuse', '--wait', '0', '--timeout', '3000'], env });
    mkdirSync(world.skein, { recursive: true });
    writeFileSync(join(world.skein, 'export.json'), '{}', { mode: 0o644 });
    const { code, found } = await doctor(world, env);
    expect(code).toBe(1);
    const text = found.join('\n');
    expect(text).toMatch(/runs bad: last error .*500/);
    expect(text).toMatch(/runs warning: 1 sessions? (has|have) something left/);
    expect(text).toContain('LANGFUSE_SECRET_KEY, LANGFUSE_BASE_URL: only in this environment');
    expect(text).toContain('keys warning: others on this machine can read the keys');
    expect(text).toMatch(/server bad: .* did not take a test span: status 500: out of order/);
    expect(text).not.toContain('very-secret');
  });
});
