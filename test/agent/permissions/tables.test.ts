/** What must not run, and what must run without a question: the tables. */
import { expect, test } from 'vitest';
import { callOf, decideIn, makeFolder } from './folder.ts';
import { HOSTILE } from './hostile.table.ts';
import { ORDINARY } from './ordinary.table.ts';
import { type Row, SETS } from './sets.table.ts';

/** The rows that came out differently, so that one run shows all of them. */
function failures(rows: readonly Row[]): string[] {
  const { around, world } = makeFolder();
  return rows.flatMap((row) => {
    const [set, tool, told, expected] = row;
    const found = decideIn(SETS[set], world, callOf(tool, told, around)).behaviour;
    const fits = expected === 'not allow' ? found !== 'allow' : found === expected;
    return fits ? [] : [`${set} ${tool} ${JSON.stringify(told)}: ${found}, not ${expected}`];
  });
}

test('nothing of the hostile table runs', () => {
  expect(HOSTILE.length).toBeGreaterThanOrEqual(200);
  expect(failures(HOSTILE)).toEqual([]);
});

test('all of the ordinary table runs without a question', () => {
  expect(ORDINARY.length).toBeGreaterThanOrEqual(100);
  expect(failures(ORDINARY)).toEqual([]);
});
