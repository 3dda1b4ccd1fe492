/** Endpoints that fail, hang or answer as they should not: nothing is lost, and nobody waits for long. */
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hookPlaces } from '../../src/client/hook/place.ts';
import { noteOf } from '../../src/client/hook/sessions.ts';
import {
  type HookHome,
  hookVerb,
  makeHome,
  QUIET,
  rowsOf,
  runHook,
  SPANS_A_TURN,
  startServer,
  writeTurns,
} from '../client/hook/world.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const B = 'bbbbbbbb-0000-4000-8000-000000000002';
const KEYS = { LANGFUSE_PUBLIC_KEY: 'pk-lf-public', LANGFUSE_SECRET_KEY: 'sk-lf-very-secret' };

const stateOf = (world: HookHome, session: string) => noteOf(hookPlaces(world.skein), world.fileOf(session))?.state;

/** The files that say that there was trouble with an endpoint a moment ago. */
function troubles({ skein }: HookHome): string[] {
  const folder = join(skein, 'hook');
  return readdirSync(folder).flatMap((name) => (name.startsWith('trouble') ? [join(folder, name)] : []));
}

function age(files: readonly string[]): void {
  const then = new Date(Date.now() - 6 * 60_000);
  for (const file of files) utimesSync(file, then, then);
}

/** Each row once. */
function expectOnce(spans: Parameters<typeof rowsOf>[0], count: number): void {
  const rows = rowsOf(spans);
  expect([rows.length, new Set(rows).size]).toEqual([count, count]);
}

describe('a turn that was neither sent nor queued', () => {
  test('because what waits on disk took all the time: a hook of another session sends it', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const patient = ['--otlp', server.url, '--wait', '0'];
    const args = [...patient, '--timeout', '2500'];
    server.mode = 'fail';
    const add = writeTurns(world.fileOf(A), 1);
    await runHook(world, { session: A, args });
    expect(stateOf(world, A)).toBe('failed');
    age(troubles(world));
    server.mode = 'hang';
    add();
    await runHook(world, { session: A, args });
    expect(stateOf(world, A)).toBe('failed');
    expect(world.log().some(({ level, what }) => level === 'error' && /2 turns are still to be sent/.test(what))).toBe(
      true,
    );
    server.mode = 'take';
    writeTurns(world.fileOf(B), 1);
    // What it has to do here is no matter of time.
    await runHook(world, { session: B, args: patient });
    expectOnce(server.spans, 3 * SPANS_A_TURN);
    expect([stateOf(world, A), stateOf(world, B)]).toEqual(['done', 'done']);
  });

  test('because a final answer was waited for all the time', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const call = { session: A, args: ['--otlp', server.url, '--timeout', '1000'] };
    writeTurns(world.fileOf(A), 1);
    await runHook(world, { ...call, more: { last_assistant_message: 'never written' } });
    expect([server.spans.length, stateOf(world, A)]).toEqual([0, 'failed']);
    await runHook(world, { event: 'SessionStart', session: B, args: ['--otlp', server.url] });
    expectOnce(server.spans, SPANS_A_TURN);
  });

  test('while its spans wait on disk it is not done', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const args = ['--otlp', server.url, '--wait', '0', '--timeout', '3000'];
    server.mode = 'fail';
    writeTurns(world.fileOf(A), 1);
    await runHook(world, { session: A, args });
    await runHook(world, { session: A, args });
    expect(stateOf(world, A)).toBe('failed');
    const status = await hookVerb(['status', '--json'], { HOME: world.home, SKEIN_HOME: world.skein }, world.home);
    expect(JSON.parse(status.out)).toMatchObject({ waiting: [world.fileOf(A)] });
  });
});

describe('an endpoint that hangs', () => {
  test('is given little time for five minutes, also when there is nothing new', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const args = ['--otlp', server.url, '--wait', '0', '--timeout', '7000'];
    server.mode = 'fail';
    writeTurns(world.fileOf(A), 1);
    await runHook(world, { session: A, args });
    server.mode = 'hang';
    for (const event of ['SubagentStop', 'SessionStart', 'Stop']) {
      const began = Date.now();
      expect(await runHook(world, { event, session: A, args })).toEqual(QUIET);
      expect(Date.now() - began).toBeLessThan(5500);
      expect(troubles(world)).toHaveLength(1);
    }
    server.mode = 'take';
    await runHook(world, { session: A, args });
    expect([server.spans.length, troubles(world)]).toEqual([SPANS_A_TURN, []]);
  });

  test('takes nothing from another, and both are told in the log', async () => {
    const [world, langfuse, otlp] = [makeHome(), await startServer(), await startServer()];
    langfuse.mode = 'hang';
    writeTurns(world.fileOf(A), 2);
    const env = { ...KEYS, LANGFUSE_BASE_URL: langfuse.url };
    const args = ['--langfuse', '--otlp', otlp.url, '--wait', '0', '--timeout', '3000'];
    expect(await runHook(world, { session: A, args, env })).toEqual(QUIET);
    expectOnce(otlp.spans, 2 * SPANS_A_TURN);
    const told = world.log().map(({ level, what }) => `${level} ${what}`);
    expect(told).toContainEqual(expect.stringMatching(/^info .*2 turns in \d+ spans sent to otlp/));
    expect(told).toContainEqual(expect.stringMatching(/^error .*not sent to langfuse/));
    langfuse.mode = 'take';
    await runHook(world, { event: 'SessionStart', session: B, args, env });
    expectOnce(langfuse.spans, 2 * SPANS_A_TURN);
    expectOnce(otlp.spans, 2 * SPANS_A_TURN);
  });

  test.each([
    ['fails', { ...KEYS, LANGFUSE_BASE_URL: 'http://127.0.0.1:9' }],
    ['has no keys', {}],
  ])('one that %s does not keep other sessions from another', async (_, env) => {
    const [world, otlp] = [makeHome(), await startServer()];
    const args = ['--langfuse', '--otlp', otlp.url, '--wait', '0', '--timeout', '4000'];
    otlp.mode = 'fail';
    writeTurns(world.fileOf(A), 1);
    await runHook(world, { session: A, args, env });
    otlp.mode = 'take';
    // Only in its transcript.
    const queue = join(world.skein, 'export', 'queue');
    for (const name of readdirSync(queue)) writeFileSync(join(queue, name), '');
    writeTurns(world.fileOf(B), 1);
    await runHook(world, { session: B, args, env });
    expectOnce(otlp.spans, 2 * SPANS_A_TURN);
  });
});

test('a session is left alone while all that is left of it has to go to an endpoint that fails', async () => {
  const [world, langfuse, otlp] = [makeHome(), await startServer(), await startServer()];
  const args = ['--langfuse', '--otlp', otlp.url, '--wait', '0', '--timeout', '4000'];
  for (const session of [A, B]) writeTurns(world.fileOf(session), 1);
  await runHook(world, { session: A, args });
  const noted = noteOf(hookPlaces(world.skein), world.fileOf(A));
  expect(noted).toMatchObject({ state: 'failed', left: ['langfuse'] });
  await runHook(world, { session: B, args });
  expect(noteOf(hookPlaces(world.skein), world.fileOf(A))).toEqual(noted);
  await runHook(world, { session: B, args, env: { ...KEYS, LANGFUSE_BASE_URL: langfuse.url } });
  for (const server of [langfuse, otlp]) expectOnce(server.spans, 2 * SPANS_A_TURN);
  expect([stateOf(world, A), stateOf(world, B)]).toEqual(['done', 'done']);
});

describe('what waits on disk', () => {
  test('is not sent by a run that sends less: that makes it again in its own way', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const args = ['--otlp', server.url, '--wait', '0', '--timeout', '4000'];
    server.mode = 'fail';
    const add = writeTurns(world.fileOf(A), 1);
    await runHook(world, { session: A, args });
    server.mode = 'take';
    await runHook(world, { session: A, args: [...args, '--no-content'] });
    expectOnce(server.spans, SPANS_A_TURN);
    expect(server.bodies.join()).not.toMatch(/do 1|done 1/);
    add();
    await runHook(world, { session: A, args });
    expectOnce(server.spans, 2 * SPANS_A_TURN);
    expect(server.bodies.join()).toContain('done 2');
    expect(server.bodies.join()).not.toContain('done 1');
    expect(readdirSync(join(world.skein, 'export', 'queue'))).toEqual([]);
  });
});

describe('secrets', () => {
  // Put together here, so that no scanner takes this file for a leak.
  const SECRET = ['Zq8vT3nLw0', 'XyB5kRmP2d'].join('');

  test('one that an earlier turn gave away is masked in a later one', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const args = ['--otlp', server.url, '--wait', '0'];
    const add = writeTurns(world.fileOf(A), 0);
    add({ prompt: `the config has DB_PASSWORD=${SECRET} in it` });
    for (const answer of ['two', 'three', 'four', `It was ${SECRET} I think`]) {
      await runHook(world, { session: A, args });
      add({ answer });
    }
    await runHook(world, { session: A, args });
    expectOnce(server.spans, 5 * SPANS_A_TURN);
    expect(server.bodies.join()).toContain('It was');
    expect(server.bodies.join()).not.toContain(SECRET);
  });
});

describe('an answer that is none', () => {
  test('a web page is not taken for one: all is sent later, and install and doctor say so', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const env = { HOME: world.home, SKEIN_HOME: world.skein };
    const args = ['--otlp', server.url, '--wait', '0', '--timeout', '3000'];
    server.mode = 'page';
    writeTurns(world.fileOf(A), 1);
    await runHook(world, { session: A, args });
    expect(world.log().some(({ level, what }) => level === 'error' && what.includes('a web page'))).toBe(true);
    const installed = await hookVerb(['install', '--otlp', server.url], env, world.home);
    expect([installed.code, installed.out]).toEqual([1, expect.stringMatching(/not taken.*a web page/)]);
    const doctor = await hookVerb(['doctor'], env, world.home);
    expect([doctor.code, doctor.out]).toEqual([1, expect.stringMatching(/did not take a test span: .*a web page/)]);
    server.mode = 'take';
    await runHook(world, { session: A, args });
    expectOnce(server.spans, SPANS_A_TURN);
  });
});

describe('keys', () => {
  const TOKEN = 'supersecrettoken123';
  const verb = ({ home, skein }: HookHome, args: readonly string[], env: Record<string, string> = {}) =>
    hookVerb(args, { HOME: home, SKEIN_HOME: skein, ...env }, home);

  test.each([
    ['otlp', { OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${TOKEN}` }, [TOKEN]],
    ['langfuse', KEYS, ['very-secret', btoa(`${KEYS.LANGFUSE_PUBLIC_KEY}:${KEYS.LANGFUSE_SECRET_KEY}`)]],
  ])('%s: what a server says back is told without them', async (dialect, keys, secrets) => {
    const [world, server] = [makeHome(), await startServer()];
    server.mode = 'echo';
    const env = { ...keys, LANGFUSE_BASE_URL: server.url };
    const where = dialect === 'otlp' ? ['--otlp', server.url] : ['--langfuse'];
    writeTurns(world.fileOf(A), 1);
    await runHook(world, { session: A, args: [...where, '--wait', '0', '--timeout', '3000'], env });
    const installed = await verb(world, ['install', ...where], env);
    const doctor = await verb(world, ['doctor'], env);
    for (const text of [readFileSync(join(world.skein, 'hook.log'), 'utf8'), installed.out, doctor.out]) {
      expect(text).toContain('status 401: invalid: ***');
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
  });

  test.each([
    ['http://127.0.0.1:9/?api_key=supersecrettoken123', 'http://127.0.0.1:9/?***'],
    ['http://user:supersecrettoken123@127.0.0.1:9', 'http://***@127.0.0.1:9'],
    ['user:supersecrettoken123@127.0.0.1:9', '***@127.0.0.1:9'],
  ])('%s is not installed, and not shown', async (address, shown) => {
    const world = makeHome();
    const { code, out, err } = await verb(world, ['install', '--otlp', address]);
    expect([code, existsSync(join(world.config, 'settings.json'))]).toEqual([2, false]);
    expect(err).toContain(shown);
    expect(err).toContain('OTEL_EXPORTER_OTLP_HEADERS');
    expect(out + err).not.toContain(TOKEN);
    // As an older version let it in.
    const hooks = [{ hooks: [{ type: 'command', command: `skein hook run --otlp '${address}'` }] }];
    writeFileSync(join(world.config, 'settings.json'), JSON.stringify({ hooks: { Stop: hooks } }));
    writeTurns(world.fileOf(A), 1);
    await runHook(world, { session: A, args: ['--otlp', address, '--wait', '0', '--timeout', '3000'] });
    expect(world.log().some(({ level }) => level === 'error')).toBe(true);
    const told = [
      await verb(world, ['doctor']),
      await verb(world, ['status']),
      await verb(world, ['status', '--json']),
    ];
    for (const each of told) expect(each.out + each.err).not.toContain(TOKEN);
    expect(readFileSync(join(world.skein, 'hook.log'), 'utf8')).not.toContain(TOKEN);
  });
});
