import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { otherStates } from '../../../src/archive/mount/otherstates.ts';
import { entry, fileNamed, newArchive, PLACE, rootOf, SESSION, syncRoot } from '../helpers.ts';

test('of the states of a file only those are told that have lines which no newer one has', () => {
  const [name, archive] = [`${PLACE}/${SESSION}.jsonl`, newArchive()];
  const [a, b, c] = ['a', 'b', 'c'].map((uuid) => entry(uuid));
  const root = rootOf({ [name]: `${a}${b}` });
  syncRoot(archive, root);
  const numbers = (isRead: boolean) =>
    [...otherStates(archive.db, () => isRead).values()].flat().map(({ number }) => number);
  expect([numbers(true), numbers(false)]).toEqual([[], [1]]);
  for (const lines of [`${a}${c}`, `${c}${a}`, `${b}`, `${b}${c}`]) {
    writeFileSync(join(root, name), lines);
    syncRoot(archive, root);
  }
  // The third has the lines of the second; the fourth grew into the last.
  expect([numbers(true), numbers(false)]).toEqual([[3], [4, 3]]);
  expect([...otherStates(archive.db, () => true).keys()]).toEqual([fileNamed(archive, name).id]);
});
