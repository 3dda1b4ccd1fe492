import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  asIdList,
  BLOCK_LENGTH,
  eachId,
  eachPair,
  holdsId,
  lastIdOf,
  NO_IDS,
  toIdList,
} from '../../src/format/idlist.ts';
import { createIds } from '../../src/format/ids.ts';
import { parseJson } from '../../src/format/json.ts';
import { createNumbers } from '../../src/format/numbers.ts';

/** Ids as they are, and as nobody should write them. */
const id = fc.oneof(
  fc.uuid(),
  fc.string({ maxLength: 3 }),
  fc.string({ unit: 'binary', maxLength: 3 }),
  fc.constantFrom('', '"', '"a"', 'a\nb', '\\n', 'é', '\ud800', '\ufffd', '😀', ' '),
);
const ids = fc.array(id, { maxLength: 60 });

describe('lists of ids', () => {
  test('give back what went in, also when stored', () => {
    fc.assert(
      fc.property(ids, (all) => {
        const list = toIdList(all);
        expect([...eachId(list)]).toEqual(all);
        expect(list.count).toBe(all.length);
        expect(lastIdOf(list)).toBe(all.at(-1));
        const stored = asIdList(parseJson(JSON.stringify(list)));
        expect(stored).toEqual(list);
        expect([...eachId(stored ?? NO_IDS)]).toEqual(all);
        for (const each of all) expect(holdsId(list, each)).toBe(true);
        expect(holdsId(list, 'another one')).toBe(false);
      }),
    );
  });

  test('hold more than a block, and an id longer than one', () => {
    const long = 'x'.repeat(BLOCK_LENGTH + 1);
    const all = [...Array.from({ length: 5000 }, (_, n) => `id-${n}-${'y'.repeat(20)}`), long, 'a', long, 'b'];
    const list = toIdList(all);
    expect(list.blocks.length).toBeGreaterThan(3);
    expect([...eachId(list)]).toEqual(all);
    expect(asIdList(parseJson(JSON.stringify(list)))).toEqual(list);
    expect([...eachPair(list)]).toHaveLength(all.length / 2);
  });

  test.each([
    [undefined],
    [{}],
    [{ count: 1, blocks: 'a\n' }],
    [{ count: 1, blocks: ['a'] }],
    [{ count: 1, blocks: [1] }],
    [{ count: 9, blocks: ['a\n'.repeat(BLOCK_LENGTH)] }],
    [{ count: 2, blocks: ['a\n'] }],
  ])('another shape is none: %#', (json) => {
    expect(asIdList(json)).toBeUndefined();
  });
});

describe('numbered ids', () => {
  test('are those of a Map', () => {
    fc.assert(
      fc.property(ids, ids, ids, (first, listed, last) => {
        const numbered = createIds();
        const known = new Map<string, number>();
        const expected = (each: string) => {
          const number = known.get(each) ?? known.size;
          known.set(each, number);
          return number;
        };
        for (const each of first) expect(numbered.add(each)).toBe(expected(each));
        const numbers: number[] = [];
        numbered.addAll(toIdList(listed), (number) => numbers.push(number));
        expect(numbers).toEqual(listed.map(expected));
        for (const each of last) {
          expect(numbered.find(each)).toBe(known.get(each) ?? -1);
          expect(numbered.add(each)).toBe(expected(each));
        }
        for (const [each, number] of known) {
          expect(numbered.at(number)).toBe(each);
          expect(numbered.find(each)).toBe(number);
        }
        expect(numbered.size).toBe(known.size);
      }),
    );
  });

  test('stay right over many blocks and through every growth', () => {
    const numbered = createIds();
    const name = (n: number) => `${n}-${'z'.repeat(n % 50)}`;
    for (let n = 0; n < 20_000; n += 1) expect(numbered.add(name(n))).toBe(n);
    for (let n = 0; n < 20_000; n += 1)
      if (numbered.find(name(n)) !== n || numbered.at(n) !== name(n)) expect(n).toBe(-1);
    expect(numbered.find(name(20_000))).toBe(-1);
    expect([...eachId(numbered.result())]).toEqual(Array.from({ length: 20_000 }, (_, n) => name(n)));
  });
});

test('numbers: what was set is there, the rest is the fill', () => {
  const index = fc.nat(40_000);
  fc.assert(
    fc.property(fc.array(fc.tuple(index, fc.nat(200))), fc.constantFrom('byte', 'int', 'float'), (sets, kind) => {
      const numbers = createNumbers(-1, kind);
      const expected = new Map<number, number>();
      for (const [at, value] of sets) {
        numbers.set(at, value);
        expected.set(at, value);
      }
      for (const [at, value] of expected) expect(numbers.get(at)).toBe(value);
      const last = Math.max(-1, ...expected.keys());
      expect(numbers.length).toBe(last + 1);
      for (const at of [-1, last + 1, last + 20_000]) expect(numbers.get(at)).toBe(-1);
      numbers.push(7);
      expect(numbers.get(last + 1)).toBe(7);
    }),
  );
});
