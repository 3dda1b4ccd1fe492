/** What the client names is looked at only where it is a session's transcript. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FIXTURES, transcriptsBelow } from '../../support/files.ts';
import { beside } from '../../support/traced.ts';
import {
  feed,
  type HookHome,
  makeHome,
  QUIET,
  rowsOf,
  runHook,
  SPANS_A_TURN,
  startServer,
  turnLines,
  writeTurns,
} from './world.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';

const call = (world: HookHome, transcript: string, args: readonly string[]) =>
  runHook(world, { session: A, args: ['--wait', '0', ...args], more: { transcript_path: transcript } });

const told = (world: HookHome) => world.log().map(({ what }) => what.replaceAll(world.home, '~'));

describe('neither kept nor sent, and the log says why', () => {
  test.each([
    ['passwd', 'root:x:0:0:root:/root:/bin/sh\n', 'its name does not end in .jsonl'],
    ['notes.txt', `${turnLines(A, 1).lines.join('\n')}\n`, 'its name does not end in .jsonl'],
    ['table.jsonl', 'root:x:0:0\n', 'no line of it is like those of a transcript'],
    ['history.jsonl', '{"display":"hi","timestamp":1,"project":"/x"}\n', 'no line of it is like those of a transcript'],
    ['numbers.jsonl', '1\n2\n{}\n', 'no line of it is like those of a transcript'],
  ])('%s', async (name, text, why) => {
    const [world, server] = [makeHome(), await startServer()];
    const file = join(world.home, name);
    writeFileSync(file, text);
    expect(await call(world, file, ['--archive', '--otlp', server.url])).toEqual(QUIET);
    expect(told(world)).toEqual([`~/${name}: neither kept nor sent: ${why}`, 'done']);
    expect(server.spans).toEqual([]);
    expect(readdirSync(world.skein)).toEqual(['hook.log']);
  });

  test('a folder', async () => {
    const world = makeHome();
    expect(await call(world, world.project, ['--archive'])).toEqual(QUIET);
    expect(told(world)).toEqual([expect.stringContaining('neither kept nor sent: it is no file'), 'done']);
  });

  test.each([
    ['of a reduced kind (E15)', '{"message":{"role":"user","content":"hi"}}\n'],
    ['with a damaged beginning', `\0\0\0\nnot json\n${turnLines(A, 1).lines.join('\n')}\n`],
    ['with one torn line', '{"type":"user","message":{"role":"us'],
    ['with nothing in it', ''],
  ])('but a transcript %s is', async (_, text) => {
    const world = makeHome();
    writeFileSync(world.fileOf(A), text);
    expect(await call(world, world.fileOf(A), ['--archive'])).toEqual(QUIET);
    expect(told(world)).toEqual(text === '' ? ['done'] : [`${A}: ${Buffer.byteLength(text)} bytes archived`, 'done']);
  });
});

describe('L3: a path of an agent', () => {
  const agentLine = (session: string) =>
    JSON.stringify({ ...JSON.parse(turnLines(session, 1).lines[0] ?? ''), isSidechain: true, agentId: 'a1' });

  test.each([
    ['below its session', (world: HookHome) => join(world.project, A, 'subagents', 'agent-a1.jsonl')],
    ['beside its session', (world: HookHome) => join(world.project, 'agent-a1.jsonl')],
    ['in a folder without a session', (world: HookHome) => join(world.project, 'subagents', 'agent-a1.jsonl')],
  ])('%s: the session is looked at', async (_, place) => {
    const [world, server] = [makeHome(), await startServer()];
    writeTurns(world.fileOf(A), 2);
    const agent = place(world);
    mkdirSync(dirname(agent), { recursive: true });
    writeFileSync(agent, `${agentLine(A)}\n`);
    expect(await call(world, agent, ['--otlp', server.url])).toEqual(QUIET);
    expect(told(world)).toEqual([`${A}: 2 turns in ${2 * SPANS_A_TURN} spans sent to otlp`, 'done']);
  });

  test.each([
    ['below', (world: HookHome) => join(world.project, A, 'subagents', 'agent-a1.jsonl')],
    ['beside', (world: HookHome) => join(world.project, 'agent-a1.jsonl')],
  ])('%s a session that is not there: it is left alone', async (_, place) => {
    const [world, server] = [makeHome(), await startServer()];
    const agent = place(world);
    mkdirSync(dirname(agent), { recursive: true });
    writeFileSync(agent, `${agentLine(A)}\n`);
    expect(await call(world, agent, ['--archive', '--otlp', server.url])).toEqual(QUIET);
    expect(told(world)).toEqual([expect.stringContaining('an agent whose session is not there is left alone'), 'done']);
    expect(server.spans).toEqual([]);
  });

  test('every agent of a recording: the rows are those of an export', async () => {
    const [world, server, whole] = [makeHome(), await startServer(), await startServer()];
    const from = join(FIXTURES, 'recorded', '2.0.76', 'd-agent');
    const files = transcriptsBelow(from).map((file) => {
      const target = join(world.project, file.slice(file.lastIndexOf('/') + 1));
      copyFileSync(file, target);
      return target;
    });
    const agents = files.filter((file) => file.includes('/agent-'));
    expect(agents.length).toBeGreaterThan(1);
    for (const file of agents) expect(await call(world, file, ['--otlp', server.url])).toEqual(QUIET);
    const env = { CLAUDE_CONFIG_DIR: world.config, SKEIN_HOME: world.skein };
    const machine = { root: world.config, home: world.home, env, fileOf: world.fileOf };
    await beside(machine, ['export', 'otlp', '--all', '--endpoint', server.url]);
    await beside(machine, ['export', 'otlp', '--all', '--endpoint', whole.url]);
    expect(rowsOf(server.spans)).toEqual(rowsOf(whole.spans));
  });
});

test('what the client tells may begin with a byte order mark', async () => {
  const [world, server] = [makeHome(), await startServer()];
  writeTurns(world.fileOf(A), 1);
  const input = JSON.stringify({ hook_event_name: 'Stop', session_id: A, transcript_path: world.fileOf(A) });
  expect(await feed(world, `\uFEFF${input}`, ['--otlp', server.url, '--wait', '0'])).toEqual(QUIET);
  expect(server.spans.length).toBe(SPANS_A_TURN);
  expect(readFileSync(world.fileOf(A), 'utf8')).not.toBe('');
});
