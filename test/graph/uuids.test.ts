import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Entry } from '../../src/format/entry.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { branchesOf } from '../../src/graph/branches.ts';
import { turnsOf } from '../../src/graph/turns.ts';
import { isKnownDistinct, NONE, notePart, uuidsOf } from '../../src/graph/uuids.ts';
import { assistant, entriesOf, user } from '../support/build.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';

const numberOf = (entry: Entry) => entry.line.number;
const line = (uuid: string | undefined, parentUuid: string | null = null): JsonObject => ({
  ...user('q'),
  uuid,
  parentUuid,
});

describe('uuids as numbers', () => {
  test('one for each, whether an entry has it or only names it', () => {
    const { own, parent, count, find } = uuidsOf(entriesOf([line('a'), line('b', 'a'), line('c', 'lost'), line('a')]));
    expect([...own]).toEqual([find('a'), find('b'), find('c'), find('a')]);
    expect([...parent]).toEqual([NONE, find('a'), find('lost'), NONE]);
    expect(new Set(['a', 'b', 'c', 'lost'].map(find)).size).toBe(4);
    expect(count).toBe(4);
    expect(find('never')).toBe(NONE);
  });

  test('none for an entry without a uuid, nor for an empty parent', () => {
    const { own, parent, find } = uuidsOf(entriesOf([line(undefined, ''), line('', 'a')]));
    expect([...own]).toEqual([NONE, find('')]);
    expect([...parent]).toEqual([NONE, find('a')]);
  });

  test('copies have the number of what they were copied from', () => {
    const identity = (uuid: string) => (uuid === 'copy' ? 'a' : uuid);
    const { own, parent, find, distinct } = uuidsOf(entriesOf([line('a'), line('copy'), line('b', 'copy')]), identity);
    expect([...own]).toEqual([find('a'), find('a'), find('b')]);
    expect(parent[2]).toBe(find('a'));
    expect(find('copy')).toBe(find('a'));
    expect(distinct).toBe(false);
  });

  test('are made once for a list, and again when it has grown', () => {
    const entries = [...entriesOf([line('a'), line('b', 'a')])];
    const before = uuidsOf(entries);
    expect(uuidsOf(entries)).toBe(before);
    entries.push(...entriesOf([line('a')]));
    expect(uuidsOf(entries).own).toHaveLength(3);
    expect([before.distinct, uuidsOf(entries).distinct]).toEqual([true, false]);
  });

  test.each([
    [true, [line('a'), line('b', 'a'), line(undefined), line(undefined)]],
    [false, [line('a'), line('b'), line('a')]],
    // E15: what has no uuid cannot be told from what has an empty one.
    [false, [line('a'), line(''), line(undefined)]],
  ])('distinct: %s', (distinct, lines) => {
    expect(uuidsOf(entriesOf(lines)).distinct).toBe(distinct);
  });
});

describe('what is known of a part of a list', () => {
  test('holds for that list as long as it is', () => {
    const part = [...entriesOf([line('a'), line('b')])];
    notePart(part, { distinct: false });
    expect(isKnownDistinct(part)).toBe(false);
    notePart(part, { distinct: true });
    expect([isKnownDistinct(part), isKnownDistinct([...part])]).toEqual([true, false]);
    part.push(...entriesOf([line('a')]));
    expect(isKnownDistinct(part)).toBe(false);
  });

  test('is noted by branches, unless a uuid comes twice', () => {
    const lines = [line('a'), { ...assistant('x'), uuid: 'b', parentUuid: 'a' }, line('c', 'b')];
    const known = (list: JsonObject[]) => {
      const branches = branchesOf(entriesOf(list));
      return isKnownDistinct(branches.entriesOf(branches.current));
    };
    expect([known(lines), known([...lines, line('a')])]).toEqual([true, false]);
  });

  test('makes no difference to the turns', () => {
    const brief = (list: readonly Entry[]) =>
      turnsOf(list).map(({ entries, ...turn }) => JSON.stringify([turn.kind, turn.state, entries.map(numberOf)]));
    let known = 0;
    for (const file of transcriptsBelow(FIXTURES)) {
      const branches = branchesOf(readSession(readFileSync(file)).entries);
      const entries = branches.entriesOf(branches.current);
      if (isKnownDistinct(entries)) known += 1;
      expect(brief(entries)).toEqual(brief([...entries]));
    }
    expect(known).toBeGreaterThan(100);
  });
});
