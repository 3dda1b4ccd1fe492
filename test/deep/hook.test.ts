import { describe, expect, test } from 'vitest';
import { makeHome, QUIET, rowsOf, runHook, SPANS_A_TURN, startServer, writeTurns } from '../client/hook/world.ts';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';

describe('more to send than a client may wait for', () => {
  test('is sent by a process of its own, once, with what is added meanwhile', async () => {
    const [world, server] = [makeHome(), await startServer()];
    const add = writeTurns(world.fileOf(A), 3000);
    const args = ['--otlp', server.url, '--wait', '0'];
    expect(await runHook(world, { session: A, args })).toEqual(QUIET);
    expect(world.log().map(({ what }) => what)).toContain(`${A}: there is much to send; a process of its own does it`);
    add();
    expect(await runHook(world, { session: A, args })).toEqual(QUIET);
    const sent = () => rowsOf(server.spans).length;
    await expect.poll(sent, { timeout: 50_000 }).toBeGreaterThanOrEqual(3000 * SPANS_A_TURN);
    await expect
      .poll(
        async () => {
          await runHook(world, { event: 'SessionEnd', session: A, args });
          return sent();
        },
        { timeout: 50_000, interval: 500 },
      )
      .toBe(3001 * SPANS_A_TURN);
    const rows = rowsOf(server.spans);
    expect([rows.length, new Set(rows).size]).toEqual([3001 * SPANS_A_TURN, 3001 * SPANS_A_TURN]);
  });
});
