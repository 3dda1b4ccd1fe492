import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { EVENTS } from '../../../src/client/hook/settings.ts';
import { skein } from '../../support/skein.ts';
import {
  feed,
  type HookHome,
  makeHome,
  placeRecorded,
  QUIET,
  RECORDED,
  rowsOf,
  runHook,
  SPANS_A_TURN,
  startServer,
  turnLines,
  writeTurns,
} from './world.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const B = 'bbbbbbbb-0000-4000-8000-000000000002';
const OLD = 'cccccccc-0000-4000-8000-000000000003';
const NOWHERE = 'http://127.0.0.1:9';

const errorsOf = (world: HookHome) => world.log().flatMap(({ level, what }) => (level === 'error' ? what : []));

describe('U1: fed with what real clients told their hooks', () => {
  test.each(RECORDED)('%s: every turn arrives exactly once, whatever the events', async (version) => {
    const [world, server] = [makeHome(), await startServer()];
    const told = placeRecorded(world, version).filter(({ event }) => EVENTS.some((each) => each === event));
    expect(told.length).toBeGreaterThan(4);
    const args = ['--archive', '--otlp', server.url, '--wait', '50'];
    for (const { input } of told) expect(await feed(world, input, args)).toEqual(QUIET);
    const rows = rowsOf(server.spans);
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(SPANS_A_TURN);
    expect(world.log().filter(({ level }) => level === 'error')).toEqual([]);
    // Only 1.0.x copied anything: no other session is handed to a process of its own.
    expect(world.log().some(({ event }) => event === 'rest')).toBe(version === '1.0.111');

    // One look at everything at its end gives the same.
    const whole = await startServer();
    const ends = new Map(
      told.map(({ event, input }) => [/"transcript_path":\s*"([^"]*)"/.exec(input)?.[1], { event, input }]),
    );
    const fresh = { ...world, skein: join(world.home, 'fresh') };
    for (const { input } of ends.values())
      await feed(fresh, input.replace(/"SessionEnd"/, '"Stop"'), ['--otlp', whole.url, '--wait', '0']);
    expect(new Set(rowsOf(whole.spans))).toEqual(new Set(rows));

    const kept = skein(['archive', 'status', '--json'], { home: world.home, env: { SKEIN_HOME: world.skein } });
    expect(kept.code).toBe(0);
    expect(JSON.stringify(kept.json())).toContain('"sessions"');
  });
});

describe('what is new is sent, and nothing twice', () => {
  test('a transcript that grows, cut anywhere, also inside a line', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const lines = [1, 2, 3].flatMap((number) => turnLines(A, number).lines);
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    const args = ['--otlp', server.url, '--wait', '0'];
    for (let at = 0; at < bytes.length; at += 700) {
      appendFileSync(world.fileOf(A), bytes.subarray(at, at + 700));
      expect(await runHook(world, { session: A, args })).toEqual(QUIET);
    }
    const rows = rowsOf(server.spans);
    expect([rows.length, new Set(rows).size]).toEqual([3 * SPANS_A_TURN, 3 * SPANS_A_TURN]);
  });

  test('hooks of one session side by side', async () => {
    const [world, server] = [makeHome(), await startServer()];
    writeTurns(world.fileOf(A), 3);
    const args = ['--archive', '--otlp', server.url];
    const events = ['Stop', 'SubagentStop', 'Stop', 'SessionEnd'];
    const ran = await Promise.all(events.map((event) => runHook(world, { event, session: A, args })));
    expect(ran).toEqual(events.map(() => QUIET));
    expect(rowsOf(server.spans)).toEqual([...new Set(rowsOf(server.spans))]);
    expect(server.spans.length).toBe(3 * SPANS_A_TURN);
  });

  test('a final answer that is written a moment later is waited for', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const { lines } = turnLines(A, 1);
    writeFileSync(world.fileOf(A), `${lines.slice(0, 3).join('\n')}\n`);
    const running = runHook(world, {
      session: A,
      args: ['--otlp', server.url],
      more: { last_assistant_message: 'done 1' },
    });
    await sleep(400);
    appendFileSync(world.fileOf(A), `${lines[3]}\n`);
    expect(await running).toEqual(QUIET);
    expect(server.spans.length).toBe(SPANS_A_TURN);
  });

  test('it waits no longer than told, and the answer comes the next time', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const { lines } = turnLines(A, 1);
    writeFileSync(world.fileOf(A), `${lines.slice(0, 3).join('\n')}\n`);
    const call = { session: A, args: ['--otlp', server.url, '--wait', '100'] };
    expect(await runHook(world, call)).toEqual(QUIET);
    expect(server.spans).toEqual([]);
    expect(world.log().some(({ what }) => what.includes('not written within 100 ms'))).toBe(true);
    appendFileSync(world.fileOf(A), `${lines[3]}\n`);
    await runHook(world, { ...call, event: 'SessionEnd' });
    expect(server.spans.length).toBe(SPANS_A_TURN);
  });

  test('what the cc-langfuse hook sent is not sent again', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const add = writeTurns(world.fileOf(A), 3);
    mkdirSync(join(world.config, 'state'));
    const state = { [A]: { last_line: 8, turn_count: 2, updated: '2026-01-02T10:05:00Z' } };
    writeFileSync(join(world.config, 'state', 'cc-langfuse_state.json'), JSON.stringify(state));
    const env = { LANGFUSE_PUBLIC_KEY: 'pk-lf-1', LANGFUSE_SECRET_KEY: 'sk-lf-secret', LANGFUSE_BASE_URL: server.url };
    const call = { session: A, args: ['--langfuse', '--wait', '0'], env };
    await runHook(world, call);
    expect(server.spans.length).toBe(SPANS_A_TURN);
    add();
    await runHook(world, call);
    expect(server.spans.length).toBe(2 * SPANS_A_TURN);
    expect(server.spans.filter(({ name }) => name.startsWith('Turn')).map(({ name }) => name)).toEqual([
      'Turn 3',
      'Turn 4',
    ]);
    expect(server.requests[0]?.headers.authorization).toBe(`Basic ${btoa('pk-lf-1:sk-lf-secret')}`);
  });
});

describe('other sessions', () => {
  test('the session before a transition is recovered (its first line names it)', async () => {
    const [world, server] = [makeHome(), await startServer()];
    writeTurns(world.fileOf(A), 2);
    const [first = ''] = turnLines(A, 3).lines;
    writeFileSync(world.fileOf(B), `${first}\n${turnLines(B, 4).lines.join('\n')}\n`);
    expect(await runHook(world, { session: B, args: ['--otlp', server.url, '--wait', '0'] })).toEqual(QUIET);
    const names = server.spans
      .map(({ name }) => name)
      .filter((name) => name.startsWith('invoke_agent') || name.startsWith('Turn'));
    expect(names.length).toBeGreaterThanOrEqual(3);
    expect(new Set(rowsOf(server.spans)).size).toBe(server.spans.length);
  });

  test('a session of which no hook was told is found when another begins; one from before the first run is left alone', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const args = ['--otlp', server.url, '--wait', '0'];
    writeTurns(world.fileOf(OLD), 1);
    utimesSync(world.fileOf(OLD), new Date('2026-01-01'), new Date('2026-01-01'));
    await runHook(world, { event: 'SessionStart', session: B, args });
    writeTurns(world.fileOf(A), 2);
    await runHook(world, { event: 'SessionStart', session: B, args });
    expect(server.spans.length).toBe(2 * SPANS_A_TURN);
    await runHook(world, { event: 'SessionStart', session: B, args });
    expect(server.spans.length).toBe(2 * SPANS_A_TURN);
  });

  test('what could not be sent is sent by the next hook, also of another session', async () => {
    const [world, server] = [makeHome(), await startServer()];
    server.mode = 'fail';
    writeTurns(world.fileOf(A), 2);
    writeTurns(world.fileOf(B), 1);
    const args = ['--otlp', server.url, '--wait', '0', '--timeout', '3000'];
    expect(await runHook(world, { session: A, args })).toEqual(QUIET);
    expect(world.log().some(({ level, what }) => level === 'error' && what.includes('500'))).toBe(true);
    server.mode = 'take';
    expect(await runHook(world, { session: B, args })).toEqual(QUIET);
    const rows = rowsOf(server.spans);
    expect([rows.length, new Set(rows).size]).toEqual([3 * SPANS_A_TURN, 3 * SPANS_A_TURN]);
  });
});

test('what an OTLP backend did not take of a request is told in the log and not sent again; a warning is told too', async () => {
  const [world, server] = [makeHome(), await startServer()];
  const add = writeTurns(world.fileOf(A), 1);
  const args = ['--otlp', server.url, '--wait', '0'];
  server.mode = 'partial';
  expect(await runHook(world, { session: A, args })).toEqual(QUIET);
  await runHook(world, { session: A, args });
  expect(server.requests.length).toBe(1);
  const told = () => world.log().map(({ level, what }) => `${level} ${what}`);
  expect(told()).toContainEqual(expect.stringMatching(/^error .*1 span was not taken: a word from the server$/));
  server.mode = 'warn';
  add();
  await runHook(world, { session: A, args });
  expect(told()).toContainEqual(expect.stringMatching(/^info .*otlp says: a word from the server$/));
});

describe('T6: versions that do not write why an answer ended', () => {
  const unsaid = () => `${turnLines(A, 1, undefined, false).lines.join('\n')}\n`;

  test.each(['Stop', 'SessionEnd'])('%s says that the last turn is over', async (event) => {
    const [world, server] = [makeHome(), await startServer()];
    writeFileSync(world.fileOf(A), unsaid());
    const args = ['--otlp', server.url, '--wait', '0'];
    await runHook(world, { event: 'SubagentStop', session: A, args });
    expect(server.spans).toEqual([]);
    await runHook(world, { event, session: A, args });
    expect(server.spans.length).toBe(SPANS_A_TURN);
  });

  test('what Stop said is remembered where the turn could not be sent', async () => {
    const [world, server] = [makeHome(), await startServer()];
    writeFileSync(world.fileOf(A), unsaid());
    const args = ['--otlp', server.url, '--wait', '0', '--timeout', '3000'];
    // Nothing is queued, as if the hook had been killed: only the note is left.
    const blocked = join(world.skein, 'export', 'queue');
    mkdirSync(join(world.skein, 'export'), { recursive: true });
    writeFileSync(blocked, '');
    server.mode = 'fail';
    await runHook(world, { session: A, args });
    rmSync(blocked);
    server.mode = 'take';
    await runHook(world, { event: 'SessionStart', session: B, args });
    expect(server.spans.length).toBe(SPANS_A_TURN);
  });
});

describe('the client goes on, whatever happens', () => {
  test('no network', async () => {
    const [world, server] = [makeHome(), await startServer()];
    writeTurns(world.fileOf(A), 1);
    const call = (url: string) => ({
      session: A,
      args: ['--archive', '--otlp', url, '--wait', '0', '--timeout', '3000'],
    });
    expect(await runHook(world, call(NOWHERE))).toEqual(QUIET);
    expect(world.log().at(-2)).toMatchObject({ level: 'error', what: expect.stringContaining('ECONNREFUSED') });
    expect(await runHook(world, call(server.url))).toEqual(QUIET);
    expect(server.spans.length).toBe(SPANS_A_TURN);
  });

  test('a server that never answers: it ends by itself, and all arrives the next time', async () => {
    const [world, server] = [makeHome(), await startServer()];
    writeTurns(world.fileOf(A), 1);
    server.mode = 'hang';
    const call = { session: A, args: ['--otlp', server.url, '--wait', '0', '--timeout', '1500'] };
    expect(await runHook(world, call)).toEqual(QUIET);
    expect([server.hanging.length > 0, server.spans.length]).toEqual([true, 0]);
    expect(errorsOf(world)).toEqual([
      `${A}: not sent to otlp: there was no answer in time; 1 turn is still to be sent`,
    ]);
    server.mode = 'take';
    await runHook(world, { ...call, session: B, event: 'SessionStart' });
    await runHook(world, call);
    expect(rowsOf(server.spans)).toEqual([...new Set(rowsOf(server.spans))]);
    expect(server.spans.length).toBe(SPANS_A_TURN);
  });

  test('what waits on disk and what is new are told together', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const add = writeTurns(world.fileOf(A), 3);
    server.mode = 'fail';
    const call = { session: A, args: ['--otlp', server.url, '--wait', '0'] };
    await runHook(world, call);
    add();
    await runHook(world, call);
    expect(errorsOf(world).map((what) => what.split('; ').at(-1))).toEqual([
      '3 turns are still to be sent',
      '4 turns are still to be sent',
    ]);
  });

  test('nothing can be written: nothing is lost', async () => {
    const [world, server] = [makeHome(), await startServer()];
    writeTurns(world.fileOf(A), 2);
    const blocked = { ...world, skein: join(world.home, 'file', 'below') };
    writeFileSync(join(world.home, 'file'), '');
    const call = { session: A, args: ['--archive', '--otlp', server.url, '--wait', '0'] };
    expect(await runHook(blocked, call)).toEqual(QUIET);
    // What cannot be noted as sent is not sent.
    expect(server.spans).toEqual([]);
    await runHook(world, call);
    expect(server.spans.length).toBe(2 * SPANS_A_TURN);
  });

  test.skipIf(process.platform !== 'linux')('a folder that can never be made', async () => {
    const world = makeHome();
    writeTurns(world.fileOf(A), 1);
    const began = Date.now();
    const blocked = { ...world, skein: '/proc/nope' };
    expect(await runHook(blocked, { session: A, args: ['--archive', '--otlp', NOWHERE, '--wait', '0'] })).toEqual(
      QUIET,
    );
    expect(Date.now() - began).toBeLessThan(7000);
  });

  test.each([
    ['nothing', ''],
    ['no JSON', 'hello'],
    ['another object', '{"a":1}'],
    [
      'a transcript that is not there',
      '{"hook_event_name":"Stop","transcript_path":"/nowhere/x.jsonl","session_id":"x"}',
    ],
    ['a folder', '{"hook_event_name":"Stop","transcript_path":"/tmp","session_id":"x"}'],
  ])('on standard input: %s', async (_, input) => {
    expect(await feed(makeHome(), input, ['--archive', '--otlp', NOWHERE, '--wait', '0'])).toEqual(QUIET);
  });

  test('wrong arguments do not stop the client either: 2 would', async () => {
    const world = makeHome();
    const { code, out } = await feed(world, '{}', ['--no-such-option']);
    expect([code, out]).toEqual([0, '']);
  });

  test('missing keys are told in the log; the archive is made all the same', async () => {
    const world = makeHome();
    writeTurns(world.fileOf(A), 1);
    expect(await runHook(world, { session: A, args: ['--archive', '--langfuse', '--wait', '0'] })).toEqual(QUIET);
    expect(world.log().some(({ level, what }) => level === 'error' && what.includes('LANGFUSE_PUBLIC_KEY'))).toBe(true);
    expect(statSync(join(world.skein, 'archive.db')).size).toBeGreaterThan(0);
  });
});

describe('the log', () => {
  test('is for the owner alone, holds no key, and does not grow for ever', async () => {
    const [world, server] = [makeHome(), await startServer()];
    writeTurns(world.fileOf(A), 1);
    mkdirSync(world.skein);
    writeFileSync(join(world.skein, 'hook.log'), `${'x'.repeat(1 << 20)}\n`);
    const env = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20very-secret-token' };
    await runHook(world, { session: A, args: ['--otlp', server.url, '--wait', '0'], env });
    const text = readFileSync(join(world.skein, 'hook.log'), 'utf8');
    expect(text).toContain('1 turn');
    expect(text).not.toContain('very-secret');
    expect(statSync(join(world.skein, 'hook.log')).mode & 0o777).toBe(0o600);
    expect(statSync(join(world.skein, 'hook.log.1')).size).toBeGreaterThan(1 << 20);
  });
});

test('what a client says is not written into the log without end', async () => {
  const world = makeHome();
  const long = 'x'.repeat(1 << 20);
  const more = { session_id: long, hook_event_name: long };
  await runHook(world, { session: A, args: ['--otlp', NOWHERE], more });
  expect(world.log().length).toBeGreaterThan(0);
  expect(statSync(join(world.skein, 'hook.log')).size).toBeLessThan(20_000);
});

describe('little to send takes little', () => {
  test('neither prices, secretlint, the viewer nor fetch are loaded for one new turn', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const add = writeTurns(world.fileOf(A), 1);
    const args = ['--archive', '--otlp', server.url, '--wait', '0'];
    await runHook(world, { session: A, args });
    add();
    const [seen, spy] = [join(world.home, 'loaded.json'), join(world.home, 'spy.cjs')];
    writeFileSync(spy, SPY.replace('OUT', JSON.stringify(seen)));
    expect(await runHook(world, { session: A, args, node: ['--require', spy] })).toEqual(QUIET);
    expect(server.spans.length).toBe(2 * SPANS_A_TURN);
    const { files, bytes, builtins }: { files: string[]; bytes: number; builtins: string[] } = JSON.parse(
      readFileSync(seen, 'utf8'),
    );
    expect(files).toEqual([]);
    expect(bytes).toBeLessThan(1_500_000);
    expect(builtins.filter((name) => /undici|worker_threads|child_process|zlib|parse_args|crypto/.test(name))).toEqual(
      [],
    );
  });
});

/** What was required beside the launcher, and the bytes of dist/ that were read. */
const SPY = `
const Module = require('node:module');
const fs = require('node:fs');
const [load, read] = [Module._load, fs.readFileSync];
const files = [];
let bytes = 0;
Module._load = function (name, ...rest) {
  if (/dist|[.]cjs$/.test(name)) files.push(name);
  return load.call(this, name, ...rest);
};
fs.readFileSync = function (name, ...rest) {
  const got = read.call(this, name, ...rest);
  if (/dist/.test(String(name))) bytes += got.length;
  return got;
};
process.on('exit', () => {
  const builtins = process.moduleLoadList.filter((name) => name.startsWith('NativeModule'));
  fs.writeFileSync(OUT, JSON.stringify({ files, bytes, builtins }));
});
`;
