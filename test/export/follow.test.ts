import { once } from 'node:events';
import { appendFileSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { toJsonl } from '../support/build.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';
import { startReceiver } from '../support/receiver.ts';
import { skein, startSkein } from '../support/skein.ts';
import { beside, machineWith, SPANS_A_TURN, turnLines } from '../support/traced.ts';

test('skein follow --export sends what was there and each turn as it ends, once; Ctrl-C sends the rest', async () => {
  const server = await startReceiver();
  const machine = machineWith({ a: 2 }, server.url);
  const file = machine.fileOf('a');
  const child = startSkein(['follow', file, '--export', '--lines', '0'], machine);
  const told: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => told.push(chunk));
  await expect.poll(() => server.rows.size).toBe(2 * SPANS_A_TURN);
  const [prompt, ...rest] = turnLines('a', 3, 3);
  appendFileSync(file, toJsonl(prompt === undefined ? [] : [prompt]));
  appendFileSync(file, toJsonl(rest));
  await expect.poll(() => server.rows.size).toBe(3 * SPANS_A_TURN);
  child.kill('SIGINT');
  await once(child, 'close');
  expect(child.exitCode).toBe(130);
  expect(server.arrived()).toBe(3 * SPANS_A_TURN);
  expect(Buffer.concat(told).toString()).toMatch(/sent 2 turns, 8 spans to http.*\n(?:.*\n)*sent 1 turn, 4 spans/);
  expect((await beside(machine, ['export', 'langfuse', 'a', '--json'])).json()).toMatchObject({ sent: 0 });
});

test('skein follow --export --endpoint: only Langfuse gets its keys, and nothing that the cc-langfuse hook sent', async () => {
  const [langfuse, other] = [await startReceiver(), await startReceiver()];
  const machine = machineWith({ a: 3 }, langfuse.url);
  mkdirSync(join(machine.root, 'state'));
  writeFileSync(join(machine.root, 'state', 'cc-langfuse_state.json'), '{"a":{"last_line":8}}');
  for (const [server, turns, path] of [
    [other, 3, '/v1/traces'],
    [langfuse, 1, '/api/public/otel/v1/traces'],
  ] as const) {
    const argv = ['follow', machine.fileOf('a'), '--export', '--lines', '0', '--endpoint', server.url];
    const child = startSkein(argv, machine);
    await expect.poll(() => server.rows.size).toBe(turns * SPANS_A_TURN);
    child.kill('SIGINT');
    await once(child, 'close');
    expect(new Set(server.requests.map((request) => request.path))).toEqual(new Set([path]));
  }
  expect(other.requests[0]?.headers.authorization).toBeUndefined();
  expect(langfuse.requests[0]?.headers.authorization).toMatch(/^Basic /);
});

test('skein follow --export without an endpoint is told', () => {
  const { root, home, fileOf } = machineWith({ a: 1 }, '');
  const { code, err } = skein(['follow', fileOf('a'), '--export'], { home, env: { CLAUDE_CONFIG_DIR: root } });
  expect(code).toBe(2);
  expect(err).toContain('No endpoint is set');
});

test('T3, H1: skein follow --export of a fork sends what it copied from the original, as an export does', async () => {
  const [server, whole] = [await startReceiver(), await startReceiver()];
  const machine = machineWith({}, server.url);
  cpSync(join(FIXTURES, 'recorded', '2.1.325', 'f-resume'), machine.root, { recursive: true });
  const file = transcriptsBelow(machine.root).find((each) => basename(each).startsWith('082fccad')) ?? '';
  const child = startSkein(['follow', file, '--export', '--lines', '0'], machine);
  await expect.poll(() => server.rows.size).toBeGreaterThan(10);
  child.kill('SIGINT');
  await once(child, 'close');
  await beside(machine, ['export', 'langfuse', '--all']);
  const other = { ...machine, env: { ...machine.env, LANGFUSE_BASE_URL: whole.url } };
  await beside(other, ['export', 'langfuse', '--all']);
  expect([...server.rows.keys()].sort()).toEqual([...whole.rows.keys()].sort());
});
