import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../src/format/json.ts';
import { BLOCK_MS, type BlockState, createBlocks, nextBlock } from '../../../src/views/usage/blocks.ts';
import { cellsFromJson, cellsToJson, toCells } from '../../../src/views/usage/cells.ts';
import { dayIn, weekOf } from '../../../src/views/usage/days.ts';
import { type Fact, NOTHING } from '../../../src/views/usage/facts.ts';
import { ASCII, bar, heatMap, UNICODE } from '../../../src/views/usage/plot.ts';
import { GROUPINGS, type Report, reportOf } from '../../../src/views/usage/rows.ts';

const number = fc.integer({ min: 0, max: 1e9 });
const fact: fc.Arbitrary<Fact> = fc.record({
  time: fc.option(fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2026, 0) }), { nil: undefined }),
  model: fc.constantFrom('a', 'b'),
  project: fc.constantFrom('p', 'q'),
  gitBranch: fc.constantFrom('', 'main'),
  file: fc.constantFrom('1', '2', '3'),
  agentId: fc.constantFrom('', 'x'),
  messages: fc.constant(1),
  input: number,
  output: number,
  cacheCreation: number,
  cacheRead: number,
  cacheCreation1h: number,
  webSearches: number,
  cost: number,
  unpriced: fc.constantFrom(0, 1),
  incomplete: fc.constantFrom(0, 1),
  estimatedOutput: number,
});
const SUMS = Object.keys(NOTHING) as (keyof typeof NOTHING)[];

function sumOfRows({ rows }: Report) {
  return Object.fromEntries(SUMS.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)]));
}

describe('rows', () => {
  test('sum to the totals exactly, whatever they are grouped by', () => {
    const by = fc.uniqueArray(fc.constantFrom(...GROUPINGS), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(fact),
        by,
        fc.constantFrom('UTC', 'Asia/Kathmandu', undefined),
        (facts, groupings, timeZone) => {
          const report = reportOf(facts, { by: groupings, timeZone });
          expect(sumOfRows(report)).toEqual(report.totals);
          expect(report.totals.messages).toBe(facts.length);
          expect(new Set(report.rows.map(({ key }) => key.join('|'))).size).toBe(report.rows.length);
        },
      ),
    );
  });

  test('cells answer the same as messages, in any time zone, also after being written and read', () => {
    const by = fc.constantFrom(...GROUPINGS.filter((each) => each !== 'block'));
    const zone = fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/St_Johns', 'Australia/Lord_Howe', undefined);
    fc.assert(
      fc.property(fc.array(fact), by, zone, (facts, grouping, timeZone) => {
        const cells = cellsFromJson(parseJson(JSON.stringify(cellsToJson(toCells(facts))))) ?? [];
        expect(reportOf(cells, { by: [grouping], timeZone })).toEqual(reportOf(facts, { by: [grouping], timeZone }));
      }),
    );
  });

  test('cells that hold a sum that is no number are not read as nothing', () => {
    const one: Fact = {
      ...NOTHING,
      time: 0,
      model: 'm',
      project: 'p',
      gitBranch: '',
      file: 'f',
      agentId: '',
      messages: 1,
    };
    const written = (cost: number) => parseJson(JSON.stringify(cellsToJson([{ ...one, cost }])));
    expect(cellsFromJson(written(5))).toMatchObject([{ cost: 5 }]);
    for (const cost of [Number.POSITIVE_INFINITY, Number.NaN]) expect(cellsFromJson(written(cost))).toBeUndefined();
    expect(cellsFromJson(parseJson(JSON.stringify(written(77)).replace('77', '1e999')))).toBeUndefined();
    expect(cellsFromJson(parseJson(JSON.stringify(cellsToJson([{ ...one, time: undefined }]))))).toHaveLength(1);
  });

  test('outer groupings stand together, dear ones first, days in order', () => {
    const facts = [
      { ...NOTHING, project: 'cheap', cost: 1, time: 0 },
      { ...NOTHING, project: 'dear', cost: 5, time: 86_400_000 },
      { ...NOTHING, project: 'dear', cost: 2, time: 0 },
    ].map((each): Fact => ({ model: 'm', gitBranch: '', file: 'f', agentId: '', ...each }));
    const keys = (by: ('project' | 'day')[]) =>
      reportOf(facts, { by, timeZone: 'UTC' }).rows.map(({ key }) => key.join(' '));
    expect(keys(['project', 'day'])).toEqual(['dear 1970-01-01', 'dear 1970-01-02', 'cheap 1970-01-01']);
    expect(keys(['day', 'project'])).toEqual(['1970-01-01 dear', '1970-01-01 cheap', '1970-01-02 dear']);
  });
});

describe('times', () => {
  test('days are those of the time zone, also where the clock is changed', () => {
    const midnight = Date.parse('2026-03-29T00:30:00Z');
    expect(dayIn('UTC')(midnight)).toBe('2026-03-29');
    expect(dayIn('America/New_York')(midnight)).toBe('2026-03-28');
    expect(dayIn('Asia/Kathmandu')(Date.parse('2026-01-01T18:15:00Z'))).toBe('2026-01-02');
    expect(dayIn('Asia/Kathmandu')(Date.parse('2026-01-01T18:14:59Z'))).toBe('2026-01-01');
  });

  // Clocks changed at midnight, by half an hour, not at all; a day that never was.
  test.each(['America/Sao_Paulo', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia', 'Europe/Berlin'])(
    'those of a machine in %s are those of its zone, in whatever order they are asked for',
    (zone) => {
      const { TZ } = process.env;
      try {
        process.env.TZ = zone;
        const [here, there] = [dayIn(undefined), dayIn(zone)];
        const hours = fc.integer({ min: Date.UTC(2010, 0) / 900_000, max: Date.UTC(2027, 0) / 900_000 });
        fc.assert(
          fc.property(fc.array(hours), fc.integer({ min: 0, max: 400 }), (quarters, more) => {
            for (const quarter of quarters.flatMap((each) => [each, each + more]))
              expect(here(quarter * 900_000)).toBe(there(quarter * 900_000));
          }),
        );
      } finally {
        if (TZ === undefined) delete process.env.TZ;
        else process.env.TZ = TZ;
      }
    },
  );

  test('weeks begin on Monday', () => {
    expect(['2026-01-04', '2026-01-05', '2026-01-11'].map(weekOf)).toEqual(['2025-12-29', '2026-01-05', '2026-01-05']);
  });

  test('blocks begin at the full hour, end after five, and after a pause', () => {
    const at = (text: string) => Date.parse(`2026-01-02T${text}:00Z`);
    const blockOf = createBlocks();
    const hours = ['08:40', '12:59', '13:00', '13:01', '18:02', '23:59'].map((text) =>
      new Date(blockOf(at(text))).toISOString().slice(11, 16),
    );
    expect(hours).toEqual(['08:00', '08:00', '08:00', '13:00', '18:00', '23:00']);
    expect(BLOCK_MS).toBe(18_000_000);
  });

  test('blocks go on from where they stood', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 7 * 3_600_000 }), { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(gaps, fc.nat(), (list, cut) => {
        let now = Date.UTC(2026, 0, 1);
        const times = list.map((gap) => (now += gap));
        const at = cut % times.length;
        let state: BlockState | undefined;
        for (const time of times.slice(0, at)) state = nextBlock(state, time);
        expect(times.slice(at).map(createBlocks(state))).toEqual(times.map(createBlocks()).slice(at));
      }),
    );
  });
});

describe('plots', () => {
  test('a bar is as long as its share, and never nothing for something', () => {
    expect(bar(10, 10, 5, UNICODE)).toBe('█████');
    expect(bar(5, 10, 5, UNICODE)).toBe('██▌');
    expect(bar(0.001, 10, 5, UNICODE)).toBe('▏');
    expect(bar(0, 10, 5, UNICODE)).toBe('');
    expect(bar(5, 10, 6, ASCII)).toBe('###');
  });

  test('a calendar: weeks across, Monday on top, the newest when there is no room', () => {
    const values = new Map([
      ['2026-01-05', 1],
      ['2026-01-06', 2],
      ['2026-01-14', 3],
      ['2026-02-01', 4],
    ]);
    expect(heatMap(values, 80, ASCII).lines).toEqual([
      '    Jan   Feb',
      'Mon - . . .',
      '    + . . .',
      'Wed . * . .',
      '    . . . .',
      'Fri . . . .',
      '    . . . .',
      'Sun . . . #',
    ]);
    const narrow = heatMap(values, 8, ASCII);
    expect([narrow.lines[7], narrow.leftOut]).toEqual(['Sun . #', 2]);
    // The name of a month does not stand beyond the width.
    expect([10, 11].map((width) => heatMap(values, width, ASCII).lines[0])).toEqual(['    Jan', '    Jan Feb']);
    expect(heatMap(new Map(), 80, ASCII)).toEqual({ lines: [], leftOut: 0 });
  });
});
