import { expect, test } from 'vitest';
import { readSession } from '../../../src/format/session.ts';
import { pairToolCalls } from '../../../src/graph/toolcalls.ts';
import { createToolFold } from '../../../src/views/usage/tools.ts';
import { assistant, chain, result, toJsonl, toolUse } from '../../support/build.ts';

/** What `--by tool` tells of one call that took a second, as the clock has it. */
function timeOf(durationMs: number | undefined, more = {}) {
  const [use, answer] = chain([assistant([toolUse('t1', 'WebFetch')], { id: 'm1' }), result('t1', 'x')]);
  const lines = [
    { ...use, ...more },
    { ...answer, toolUseResult: { durationMs } },
  ];
  const fold = createToolFold();
  for (const call of pairToolCalls(readSession(Buffer.from(toJsonl(lines)), 'x').entries).calls) fold.add(call);
  const { durationMs: ms, timed } = fold.report().totals;
  return { ms, timed };
}

test('time as the tool measured it; what cannot be one is taken from the clock, or not at all', () => {
  expect(timeOf(250)).toEqual({ ms: 250, timed: 1 });
  for (const wrong of [1e300, -5, 400 * 86_400_000]) expect(timeOf(wrong)).toEqual({ ms: 1000, timed: 1 });
  expect(timeOf(undefined, { timestamp: '0001-01-01T00:00:00Z' })).toEqual({ ms: 0, timed: 0 });
});
