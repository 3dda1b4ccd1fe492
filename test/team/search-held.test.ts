/** How much a search holds, and how often it asks, told by counting. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { keyOf } from '../../src/archive/search/keys.ts';
import type { JsonObject } from '../../src/format/json.ts';
import type { Team } from '../../src/team/connect.ts';
import { standing } from '../../src/team/search/lines.ts';
import { rankOf } from '../../src/team/search/rank.ts';
import { groupsOf, scanTeam } from '../../src/team/search/scan.ts';
import { createValues } from '../../src/team/search/values.ts';
import { uuidOf } from '../support/teamsession.ts';
import { requestOf } from './search-both.ts';

const MB = 1 << 20;
const LARGE = MB / 4;

function teamOf(
  answers: (sql: string, params: Readonly<Record<string, unknown>>) => AsyncIterable<JsonObject> | JsonObject[],
) {
  const asked: string[] = [];
  async function* each(sql: string, params = {}): AsyncIterable<JsonObject> {
    asked.push(sql);
    yield* answers(sql, params);
  }
  const refuse = () => Promise.reject(new Error('only asked'));
  const team: Team = {
    target: { name: 'fake', url: 'http://fake', user: '', password: '', database: 'skein' } as Team['target'],
    each,
    async rows(sql, params) {
      const all: JsonObject[] = [];
      for await (const row of each(sql, params)) all.push(row);
      return all;
    },
    insert: refuse,
    command: refuse,
    close: async () => {},
  };
  return { team, asked };
}

/** A screenshot: few words, many bytes. */
function lineOf(n: number): string {
  const content = [
    { type: 'text', text: `Screenshot number ${n}` },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'C'.repeat(LARGE) } },
  ];
  const result = { type: 'tool_result', tool_use_id: `t${n}`, content };
  return JSON.stringify({ type: 'user', uuid: uuidOf(n), message: { role: 'user', content: [result] } });
}

test.each(['~creenshot', '/Screenshot number \\d+/'])(
  'lines that match are not held all together: %s',
  async (words) => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const held = () => {
      collect();
      // Again, as what the first one found is given back beside it.
      collect();
      return process.memoryUsage().arrayBuffers;
    };
    const count = 32;
    const numbers = Array.from({ length: count }, (_each, place) => place + 1);
    const place = { session: 's', name: 's.jsonl' };
    let most = 0;
    async function* lines(): AsyncGenerator<JsonObject> {
      const before = held();
      for (const n of numbers) {
        yield { ...place, n, id: uuidOf(n), owner: 'anna', version: 1, deleted: 0, level: 3, line: lineOf(n) };
        if (n % 8 === 0) most = Math.max(most, held() - before);
      }
    }
    const found = numbers.map((n) => ({
      ...place,
      n,
      place: 0,
      identity: keyOf(uuidOf(n)).toString('hex'),
      agent: '',
      slug: '-a',
      timed: 1,
      at: n,
      mtime: 1,
      length: 3,
      score: 0,
    }));
    const { team } = teamOf((sql) => {
      if (sql.includes('FROM entries')) return lines();
      return sql.includes('sum(length)') ? [{ rows: count, words: 3 * count }] : found;
    });
    const { total, rows } = await scanTeam(team, requestOf(words, { limit: 3 }));
    expect([total, rows.map(({ n }) => n)]).toEqual([count, [32, 31, 30]]);
    expect(most).toBeLessThan(3 * MB);
  },
);

test('what is matched at once ends when it has so many bytes', async () => {
  async function* states() {
    for (const bytes of [1, 2, 9, 100, 3, 3, 3, 3, 1]) yield { bytes };
  }
  const groups: number[][] = [];
  for await (const group of groupsOf(states(), 10)) groups.push(group.map(({ bytes }) => bytes));
  expect(groups).toEqual([[1, 2, 9], [100], [3, 3, 3, 3], [1]]);
});

test('of the states of a line the last stands; of several people’s the one that tells most', () => {
  const state = (line: string, version: number, level: number, place = 'p') => ({
    line,
    version,
    level,
    place,
  });
  const chosen = (...states: ReturnType<typeof state>[]) => standing(states).get('p');
  const full = state('anna', 1, 3);
  expect(chosen(full, state('bert', 9, 1))).toBe(full);
  expect(chosen(state('bert', 9, 1), full)).toBe(full);
  // Who took it back, or sends less now, decides for what is theirs.
  const less = state('anna', 2, 1);
  expect(chosen(less, full)).toBe(less);
  expect(chosen(full, { ...less, place: 'elsewhere' })).toBeUndefined();
  const newer = state('bert', 2, 3);
  expect(chosen(newer, full)).toBe(newer);
});

test('the words of a pasted text are counted with few questions, and each has its weight', async () => {
  const phrases = Array.from({ length: 60 }, (_each, place) => ({ words: [`w${place}`], prefix: false }));
  const { team, asked } = teamOf((sql) => {
    const counted = [...sql.matchAll(/SELECT (\d+) AS phrase/g)].map(([, phrase]) => Number(phrase));
    if (counted.length === 0) return [{ all: 100_000, entries: 100_000, words: 1_000_000 }];
    return counted.toReversed().map((phrase) => ({ phrase, found: phrase * 10 }));
  });
  const values = createValues();
  const { score } = await rankOf(team, phrases, values);
  expect(asked.length).toBeLessThanOrEqual(5);
  const weights = [...score.matchAll(/\{(p\d+): Float64\} \* count(\d+) /g)];
  expect(weights.length).toBe(60);
  for (const [, name = '', phrase = ''] of weights) {
    const found = Number(phrase) * 10;
    expect(values.params[name]).toBeCloseTo(Math.log((100_000 - found + 0.5) / (found + 0.5)));
  }
});
