import { expect, test } from 'vitest';
import { inTurn } from '../../web/app/inTurn.ts';

test('what changes faster than it is answered is answered all the same, and once more at the end', async () => {
  const waiting: (() => void)[] = [];
  let answered = 0;
  const ask = inTurn(async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    answered += 1;
  });
  const answerNext = async () => {
    waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (let change = 0; change < 5; change += 1) ask();
  expect(waiting).toHaveLength(1);
  await answerNext();
  expect([answered, waiting.length]).toEqual([1, 1]);
  await answerNext();
  expect([answered, waiting.length]).toEqual([2, 0]);
  ask();
  expect(waiting).toHaveLength(1);
});
