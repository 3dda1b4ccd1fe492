import v8 from 'node:v8';
import { afterEach, expect, test, vi } from 'vitest';
import { entry, newArchive, PLACE, rootOf, SESSION, syncRoot } from './helpers.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** What V8 is told while so much is archived, and its room for new objects is so large. */
function toldOf(lines: number, young: number): string[] {
  const spaces = v8.getHeapSpaceStatistics().filter((space) => space.space_name === 'new_space');
  vi.spyOn(v8, 'getHeapSpaceStatistics').mockReturnValue(spaces.map((space) => ({ ...space, space_size: young })));
  const told: string[] = [];
  vi.spyOn(v8, 'setFlagsFromString').mockImplementation((flag) => void told.push(flag));
  const root = rootOf({
    [`${PLACE}/${SESSION}.jsonl`]: entry('a').repeat(lines),
    [`${PLACE}/other.jsonl`]: entry('b'),
  });
  expect(syncRoot(newArchive(), root).files).toBe(2);
  return told;
}

const GROWTH = '--semi-space-growth-factor=';

test('while much is archived the room for new objects does not grow any more, and afterwards as before', () => {
  expect(toldOf(20_000, 16 << 20)).toEqual([`${GROWTH}1`, `${GROWTH}2`]);
});

test('it may grow while it is small, and of little V8 is not told at all', () => {
  expect(toldOf(20_000, 1 << 20)).toEqual([]);
  expect(toldOf(10, 16 << 20)).toEqual([]);
});
