import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { toJsonl } from '../support/build.ts';
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

test('skein follow --export without an endpoint is told', () => {
  const { root, home, fileOf } = machineWith({ a: 1 }, '');
  const { code, err } = skein(['follow', fileOf('a'), '--export'], { home, env: { CLAUDE_CONFIG_DIR: root } });
  expect(code).toBe(2);
  expect(err).toContain('No endpoint is set');
});
