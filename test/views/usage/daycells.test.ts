import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../src/format/json.ts';
import { toCells } from '../../../src/views/usage/cells.ts';
import { dayCellsFromJson, dayCellsToJson, toDayCells } from '../../../src/views/usage/daycells.ts';
import { type Fact, NOTHING } from '../../../src/views/usage/facts.ts';
import { reportOf } from '../../../src/views/usage/rows.ts';

const fact: fc.Arbitrary<Fact> = fc.record({
  ...Object.fromEntries(Object.keys(NOTHING).map((name) => [name, fc.integer({ min: 0, max: 1e9 })])),
  time: fc.option(fc.integer({ min: Date.UTC(2025, 9, 20), max: Date.UTC(2025, 10, 10) }), { nil: undefined }),
  model: fc.constantFrom('a', 'b'),
  project: fc.constantFrom('p', 'q'),
  gitBranch: fc.constantFrom('', 'main'),
  file: fc.constantFrom('1', '2'),
  agentId: fc.constantFrom('', 'x'),
}) as fc.Arbitrary<Fact>;

const one: Fact = { ...NOTHING, time: 0, model: 'm', project: 'p', gitBranch: '', file: '', agentId: '', messages: 1 };

function written(facts: readonly Fact[]): string {
  return JSON.stringify(dayCellsToJson(toDayCells(facts) ?? []));
}

function inZone<T>(zone: string, call: () => T): T {
  const { TZ } = process.env;
  try {
    process.env.TZ = zone;
    return call();
  } finally {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  }
}

describe('sums by day', () => {
  test.each(['UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Lord_Howe', 'America/Sao_Paulo'])(
    'answer the same as messages in %s, filtered or not, after being written and read',
    (zone) => {
      const by = fc.constantFrom('day', 'week', 'month', 'project', 'model', 'branch', 'total');
      const wanted = fc.constantFrom(
        undefined,
        ({ project }: Fact) => project === 'p',
        ({ model }: Fact) => model === 'a',
      );
      inZone(zone, () =>
        fc.assert(
          fc.property(fc.array(fact), by, wanted, (facts, grouping, filter) => {
            const days = dayCellsFromJson(parseJson(written(toCells(facts)))) ?? [];
            const options = { by: [grouping], wanted: filter };
            expect(reportOf(days, options)).toEqual(reportOf(facts, options));
          }),
        ),
      );
    },
  );

  test('without names answer the same where none is asked for, and know the models without a price', () => {
    const by = fc.constantFrom('day', 'week', 'month', 'total');
    inZone('UTC', () =>
      fc.assert(
        fc.property(fc.array(fact), by, (facts, grouping) => {
          const days = dayCellsFromJson(parseJson(written(toCells(facts))), false) ?? [];
          expect(reportOf(days, { by: [grouping] })).toEqual(reportOf(facts, { by: [grouping] }));
        }),
      ),
    );
  });

  test('without names are one for a day', () => {
    const facts = Array.from({ length: 40 }, (_, n) => ({ ...one, time: (n % 2) * 86_400_000, project: String(n) }));
    const days = inZone('UTC', () => dayCellsFromJson(parseJson(written(facts)), false));
    expect(days?.map(({ messages }) => messages)).toEqual([20 * one.messages, 20 * one.messages]);
  });

  test('are few: one for a day, however many files and quarters of an hour there were', () => {
    const facts = Array.from({ length: 96 }, (_, n) => ({ ...one, time: n * 900_000, file: String(n) }));
    const days = inZone('UTC', () => toDayCells(facts) ?? []);
    expect(days).toHaveLength(1);
    expect(reportOf(days, { by: ['day'] }).activeMs).toBe(86_400_000);
  });

  test('are not taken for those of another time zone, nor of one whose day was longer', () => {
    const time = Date.UTC(2025, 9, 26, 12);
    const text = inZone('Europe/Berlin', () => written([{ ...one, time }]));
    const readIn = (zone: string) => inZone(zone, () => dayCellsFromJson(parseJson(text)));
    expect(readIn('Europe/Berlin')).toHaveLength(1);
    expect(readIn('Europe/London')).toBeUndefined();
    // The same midnight, but the clock is not put back.
    expect(readIn('Africa/Cairo')).toBeUndefined();
  });

  test('are not made where a day begins before all times or between two quarters', () => {
    expect(inZone('Europe/Berlin', () => toDayCells([{ ...one, time: 60_000 }]))).toBeUndefined();
    expect(inZone('Africa/Monrovia', () => toDayCells([{ ...one, time: Date.UTC(1971, 5) }]))).toBeUndefined();
  });

  test('a sum that is no number is not read as nothing', () => {
    const text = inZone('UTC', () => written([{ ...one, cost: 77 }]));
    const read = (each: string) => inZone('UTC', () => dayCellsFromJson(parseJson(each)));
    expect(read(text)).toMatchObject([{ cost: 77 }]);
    for (const bad of ['1e999', 'null', '"77"']) expect(read(text.replace('77', bad))).toBeUndefined();
    expect(read(text.replace('77,', ''))).toBeUndefined();
  });
});
