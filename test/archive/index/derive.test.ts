import { expect, test, vi } from 'vitest';
import { deriveInTurns } from '../../../src/archive/index/derive.ts';
import { entry, newArchive, PLACE, rootOf, SESSION, syncRoot } from '../helpers.ts';

const loaded = vi.hoisted((): string[] => []);
vi.mock('../../../src/archive/index/usagerows.ts', (original) => {
  loaded.push('usage');
  return original();
});

test('usage and its prices are loaded where they are asked for, not by every sync', async () => {
  const archive = newArchive();
  syncRoot(archive, rootOf({ [`${PLACE}/${SESSION}.jsonl`]: entry('a') }));
  expect((await deriveInTurns(archive)).lines).toBe(1);
  expect(loaded).toEqual([]);
  await deriveInTurns(archive, { usage: true });
  expect(loaded).toEqual(['usage']);
});
