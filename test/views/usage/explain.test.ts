/** What the lines of a message are called. */
import { expect, test } from 'vitest';
import type { LineUsage } from '../../../src/graph/usage/line.ts';
import { explainMessage } from '../../../src/views/usage/explain.ts';
import { NOTHING } from '../../../src/views/usage/facts.ts';

const FACT = { ...NOTHING, time: 0, model: 'm', project: '', gitBranch: '', file: '', agentId: '' };

function line(uuid: string | undefined, origin: Partial<LineUsage['origin']> = {}): LineUsage {
  return {
    uuid,
    usage: { input: 1, output: 1, cacheCreation: 0, cacheRead: 0 },
    ended: true,
    synthetic: false,
    origin: { file: 'a', line: 1, start: 0, end: 1, isSidechain: false, isCopy: false, isFork: false, ...origin },
  };
}

function kindsOf(lines: readonly LineUsage[]): string[] {
  const [first = line(undefined)] = lines;
  const explained = explainMessage(first, lines, FACT, { mode: 'auto', ratesOf: () => undefined });
  return explained.lines.map(({ kind }) => kind);
}

test('a copy, a fork, a repeat or a line of its own', () => {
  const lines = [
    line('u1', { isCopy: true, file: 'b' }),
    line('u1'),
    line('u2'),
    line('u1'),
    line('u3', { isFork: true, file: 'b' }),
    line('u3'),
    line('u1', { file: 'b' }),
    line(undefined),
  ];
  expect(kindsOf(lines)).toEqual(['progress', 'line', 'line', 'repeat', 'fork', 'repeat', 'copy', 'line']);
});

test('of many lines each is looked at a few times, not once for every other', () => {
  const COUNT = 1000;
  let looks = 0;
  const lines = Array.from({ length: COUNT }, (_, n) => {
    const { origin, ...told } = line(`u${n}`);
    return {
      ...told,
      get origin() {
        looks += 1;
        return origin;
      },
    };
  });
  expect(new Set(kindsOf(lines))).toEqual(new Set(['line']));
  expect(looks).toBeLessThan(10 * COUNT);
});
