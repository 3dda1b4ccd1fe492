/** The hook inside the published client: installed by `hook install`, told by the client itself. */
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readLog } from '../../src/client/hook/log.ts';
import { hookPlaces } from '../../src/client/hook/place.ts';
import { hookVerb, rowsOf, startServer } from '../client/hook/world.ts';
import { NEWEST, OLD } from './clients.ts';
import { createJudge, type Judge, sessionsIn } from './judge.ts';

async function installed(judge: Judge, args: readonly string[]) {
  const home = dirname(judge.config);
  const { code, err } = await hookVerb(['install', ...args], { HOME: home, CLAUDE_CONFIG_DIR: judge.config });
  expect([code, err]).toEqual([0, '']);
  const places = hookPlaces(join(home, '.local', 'share', 'skein'));
  return { errors: () => readLog(places).filter(({ level }) => level === 'error'), lines: () => readLog(places) };
}

describe.each([NEWEST, OLD])('client %s', (version) => {
  test('every turn arrives exactly once: a first one, one of a resume, one of a fork', async () => {
    const [judge, server] = [await createJudge(version), await startServer()];
    onTestFinished(() => judge.close());
    const hook = await installed(judge, ['--archive', '--otlp', server.url]);
    server.spans.length = 0;
    const first = await judge.start(['-p', 'one']);
    expect([first.status, first.requests.length]).toEqual([0, 1]);
    const [session = ''] = sessionsIn(judge.project);
    expect((await judge.resume(session, 'two')).status).toBe(0);
    expect((await judge.resume(session, 'three', ['--fork-session'])).status).toBe(0);
    // The turns that the fork copied are sent from their original, by a process of its own.
    await expect.poll(() => hook.lines().some(({ event, what }) => event === 'rest' && what === 'done')).toBe(true);
    expect(hook.errors()).toEqual([]);
    const told = new Set(hook.lines().map(({ event }) => event));
    expect(told).toEqual(new Set(['SessionStart', 'Stop', 'SessionEnd', 'rest']));
    const rows = rowsOf(server.spans);
    expect(new Set(rows).size).toBe(rows.length);
    expect(new Set(server.spans.map(({ trace }) => trace)).size).toBe(3);
    // The agent and what it said.
    expect(rows.length).toBe(3 * 2);
  });

  test('a server that never answers: the client ends as it would without', async () => {
    const [judge, server] = [await createJudge(version), await startServer()];
    onTestFinished(() => judge.close());
    const hook = await installed(judge, ['--otlp', server.url, '--timeout', '1500']);
    server.spans.length = 0;
    server.mode = 'hang';
    const { status, requests, stdout } = await judge.start(['-p', 'one']);
    expect([status, requests.length, stdout.includes('"is_error":false')]).toEqual([0, 1, true]);
    expect([server.hanging.length > 0, server.spans.length]).toEqual([true, 0]);
    expect(hook.errors().length).toBeGreaterThan(0);
    server.mode = 'take';
    await judge.start(['-p', 'two']);
    const rows = rowsOf(server.spans);
    expect([new Set(rows).size, new Set(server.spans.map(({ trace }) => trace)).size]).toEqual([rows.length, 2]);
  });
});
