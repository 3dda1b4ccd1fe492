/** The most expensive habits beside numbers worked out by hand, and where they are told: `skein team usage` and the page. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asArray, at, type Json } from '../../src/format/json.ts';
import type { Team } from '../../src/team/connect.ts';
import { teamHabits } from '../../src/team/usage/habits.ts';
import type { Pricing } from '../../src/views/usage/facts.ts';
import { createPrices, ownModels } from '../../src/views/usage/prices.ts';
import { serve } from '../server/helpers.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { expectValid } from '../support/schema.ts';
import { insertRows } from '../support/teamrows.ts';
import { insertFiles, T0, type TeamFile, type Told } from '../team/usage-sightings.ts';

let engine: ClickHouse;
let team: Team;

beforeAll(async () => {
  engine = await startClickHouse();
  team = engine.admin;
});
afterAll(() => engine?.stop());
beforeEach(async () => {
  for (const table of ['files', 'usage', 'tool_calls', 'members', 'budgets'])
    await team.command(`TRUNCATE TABLE ${table}`);
});

/** A token costs, in billionths: input 10,000, output 20,000, written 12,000, written for an hour 16,000, read 1,000. */
const PRICE = { input_mtok: 10, output_mtok: 20, cache_write_mtok: 12, cache_write_1h_mtok: 16, cache_read_mtok: 1 };
const TABLE = { models: { m: PRICE, n: PRICE } };

const SECOND = 1000;
const MINUTE = 60 * SECOND;

type Request = Omit<Told, 'start' | 'time'> & { readonly at: number };

/** A conversation of one file; the first line of each message begins where its number says. */
function chat(session: string, requests: readonly Request[], more: Partial<TeamFile> = {}): TeamFile {
  return {
    session,
    name: `${session}.jsonl`,
    slug: '-work-app',
    project: '/work/app',
    owners: ['ann'],
    told: requests.map(({ at, ...told }, place) => ({
      message: `${session}-${place}`,
      request: `r-${session}-${place}`,
      model: 'm',
      ended: true,
      ...told,
      time: T0 + at,
      start: place,
    })),
    ...more,
  };
}

const PAUSE = chat('pause', [
  { at: 0, write: 50_000 },
  // 50,000 were in the cache and are written again: 50,000 × (12,000 − 1,000).
  { at: 10 * MINUTE, input: 100, write: 52_000 },
]);
const PAUSE_1H = chat('hour', [
  { at: 0, write: 50_000, write1h: 50_000 },
  { at: 10 * MINUTE, read: 50_000, write: 1000, write1h: 1000 },
  // 51,000 × (16,000 − 1,000).
  { at: 71 * MINUTE, write: 52_000, write1h: 52_000 },
]);
const CORPUS: readonly TeamFile[] = [
  // Pushed by two, and copied into a fork: one conversation.
  { ...PAUSE, owners: ['ann', 'bob'] },
  chat('fork', [], { told: PAUSE.told.map((each) => ({ ...each, fork: true })), owners: ['bob'] }),
  PAUSE_1H,
  chat('switch', [
    { at: 0, write: 20_000 },
    // 20,000 × 11,000.
    { at: MINUTE, model: 'n', write: 21_000 },
  ]),
  chat('cut', [
    { at: 0, write: 100_000 },
    // 10,000 × 11,000 + 5 × (10,000 − 1,000).
    { at: MINUTE, input: 5, write: 10_000 },
  ]),
  chat('changed', [
    { at: 0, write: 30_000 },
    // 20,000 × 11,000.
    { at: MINUTE, read: 10_000, write: 20_100 },
  ]),
  // 150,000 of 250,000 × 1,000.
  chat('long', [{ at: 0, read: 250_000 }]),
  chat('agents', [{ at: 0, output: 10, agent: 'a1' }], {
    name: 'agents/subagents/agent-a1.jsonl',
    kind: 'agent',
    // 60,000 × 20,000.
    told: [{ message: 'a1-0', model: 'm', agent: 'a1', output: 60_000, time: T0, start: 0, ended: true }],
  }),
  chat('agents', [], {
    name: 'agents/subagents/agent-a2.jsonl',
    kind: 'agent',
    told: [{ message: 'a2-0', model: 'm', agent: 'a2', output: 49_000, time: T0, start: 0, ended: true }],
  }),
  chat(
    'result',
    [
      { at: 0, write: 1000 },
      { at: 20 * SECOND, read: 1000, write: 20_000 },
      { at: 30 * SECOND, read: 21_000, write: 100 },
      { at: 40 * SECOND, read: 21_100, write: 100 },
      { at: 50 * SECOND, write: 500 },
    ],
    {
      // 20,000 tokens, written once and read twice before the conversation was cut: 20,000 × (12,000 + 2 × 1,000).
      calls: [
        { id: 'big', tool: 'Read', time: T0 + 10 * SECOND, duration: 5000, characters: 80_000, bytes: 80_000 },
        { id: 'small', tool: 'Read', time: T0 + 22 * SECOND, characters: 39_999, bytes: 39_999 },
      ],
    },
  ),
  chat(
    'retry',
    [
      { at: 0, output: 500 },
      // 1,000 × 20,000.
      { at: MINUTE, output: 1000 },
      // 2,000 × 20,000, for two calls.
      { at: 2 * MINUTE, output: 2000 },
      { at: 3 * MINUTE, output: 4000 },
    ],
    {
      calls: [
        { id: 'c1', tool: 'Bash', status: 'error', hash: '7', message: 'retry-0', time: T0 + SECOND },
        { id: 'c2', tool: 'Bash', status: 'error', hash: '7', message: 'retry-1', time: T0 + MINUTE + SECOND },
        { id: 'c3', tool: 'Bash', status: 'error', hash: '7', message: 'retry-2', time: T0 + 2 * MINUTE + SECOND },
        { id: 'c4', tool: 'Read', status: 'ok', hash: '8', message: 'retry-2', time: T0 + 2 * MINUTE + 2 * SECOND },
        // Something else was done before it.
        { id: 'c5', tool: 'Bash', status: 'error', hash: '7', message: 'retry-3', time: T0 + 3 * MINUTE + SECOND },
      ],
    },
  ),
];

/** In dollars, times and tokens. */
const TRUTH = {
  pause: [0.55 + 0.765, 2, 101_000],
  'switched-model': [0.22, 1, 20_000],
  cut: [0.110045, 1, 10_005],
  'changed-prefix': [0.22, 1, 20_000],
  'long-context': [0.15, 1, 150_000],
  'dear-agent': [1.2, 1, 0],
  'huge-result': [0.28, 1, 60_000],
  retry: [0.04, 2, 0],
};

/** It is the first moment of 2027 there. */
const MOMENT = Date.UTC(2027, 0, 1);

function asker() {
  const prices = join(tempFolder(), 'prices.json');
  writeFileSync(prices, JSON.stringify(TABLE));
  const { run } = machine(tempFolder());
  return async (login: string | undefined, ...args: readonly string[]): Promise<Json> => {
    const ran = await run('team', 'usage', '--team', engine.url(login), '--json', '--utc', '--prices', prices, ...args);
    expect(ran.err).toBe('');
    expectValid('team-usage', ran.json());
    return ran.json();
  };
}

describe('habits', () => {
  const everything = { from: T0, to: T0 + 1e9, projects: ['/work/app'], models: ['m', 'n'] };

  test('each costs what it was worked out to, copies and second pushers counted once', async () => {
    await insertFiles(engine, CORPUS);
    const own = ownModels(TABLE);
    if (typeof own === 'string') throw new Error(own);
    const pricing: Pricing = { mode: 'auto', ratesOf: createPrices(own).ratesOf };
    const habits = await teamHabits(team, everything, pricing);
    const found = habits.map(({ habit, costUSD, times, tokens }) => [habit, [costUSD, times, tokens]] as const);
    for (const [habit, [cost = 0, times, tokens]] of found) {
      expect([habit, times, tokens]).toEqual([habit, TRUTH[habit][1], TRUTH[habit][2]]);
      expect(cost, habit).toBeCloseTo(TRUTH[habit][0] ?? 0, 9);
    }
    expect(found.map(([habit]) => habit).sort()).toEqual(Object.keys(TRUTH).sort());
    const pause = habits.find(({ habit }) => habit === 'pause');
    expect(pause?.chats).toBe(2);
    expect(pause?.where[0]).toMatchObject({ project: '/work/app', chat: 'hour', times: 1 });
    // Only of what is asked for.
    const some = await teamHabits(team, { ...everything, models: ['n'] }, pricing);
    expect(some.map(({ habit }) => habit)).toEqual(['switched-model']);
  });

  test.each([
    ['at the usual price', {}, 1],
    ['in fast mode', { speed: 'fast' }, 6],
    ['from the United States', { geo: 'us' }, 1.1],
    ['both', { speed: 'fast', geo: 'us' }, 6.6],
    ['at a speed of which no price is known', { speed: 'slow' }, undefined],
  ])('a long context costs what it is sold at: %s', async (_, sold, factor) => {
    const model = 'claude-opus-4-6';
    await insertFiles(engine, [chat('long', [{ at: 0, model, input: 150_000, ...sold }])]);
    const pricing: Pricing = { mode: 'auto', ratesOf: createPrices().ratesOf };
    const habits = await teamHabits(team, { ...everything, models: [model] }, pricing);
    // 50,000 tokens above the limit, at 5 dollars a million.
    expect(habits.map(({ habit }) => habit)).toEqual(factor === undefined ? [] : ['long-context']);
    if (factor !== undefined) expect(habits[0]?.costUSD).toBeCloseTo(0.25 * factor, 9);
  });

  test('the command tells them with tables and budgets, of what the login sees', async () => {
    const told: Told[] = [{ message: 'now-0', model: 'm', output: 100_000, time: MOMENT, start: 0, ended: true }];
    await insertFiles(engine, [...CORPUS, chat('now', [], { owners: ['cat'], told })]);
    await insertRows(team, 'members', [
      { login: 'ann', team: 'red', removed: 0, version: 1 },
      { login: 'ann', team: 'ops', removed: 0, version: 1 },
      { login: 'cat', team: 'blue', removed: 0, version: 1 },
    ]);
    await insertRows(team, 'budgets', [
      { scope: 'team', name: 'blue', period: 'month', usd: 1.5, version: 1 },
      { scope: 'team', name: 'ops', period: 'week', usd: 9, version: 1 },
      { scope: 'project', name: 'app', period: 'day', usd: 40, version: 1 },
    ]);
    const ask = asker();
    const all = await ask(undefined);
    const tables = asArray(at(all, 'tables')) ?? [];
    expect(tables.map((table) => at(table, 'by'))).toEqual([['team'], ['person'], ['project'], ['model']]);
    const keys = (table: Json | undefined, by: string) =>
      (asArray(at(table, 'rows')) ?? []).map((row) => at(row, 'key', by));
    expect(keys(tables[0], 'team').toSorted()).toEqual(['blue', 'ops, red']);
    expect(keys(tables[1], 'person').toSorted()).toEqual(['p-ann', 'p-cat']);
    expect(at(all, 'budgets')).toMatchObject([
      // An hour at the least counts as gone: 2 × 24.
      { scope: 'project', name: 'app', from: '2027-01-01', spentUSD: 2, leftUSD: 38, forecastUSD: 48, state: 'ahead' },
      { scope: 'team', name: 'blue', from: '2027-01', spentUSD: 2, leftUSD: -0.5, state: 'over' },
      { scope: 'team', name: 'ops', from: '2026-12-28', spentUSD: 0, leftUSD: 9, forecastUSD: 0, state: 'fine' },
    ]);
    expect((asArray(at(all, 'habits')) ?? []).length).toBe(Object.keys(TRUTH).length);
    // Somebody sees their own alone: no row, no name, no habit of others.
    const own = await ask('cat', '--by', 'person,project');
    expect(at(own, 'tables')).toMatchObject([{ rows: [{ key: { person: 'p-cat' }, costUSD: 2 }] }]);
    expect(at(own, 'totals', 'messages')).toBe(1);
    expect(await ask('cat', '--habits')).toMatchObject({ habits: [], totals: { messages: 1 } });
    expect(at(await ask('cat', '--budgets'), 'budgets')).toMatchObject([
      { name: 'app', spentUSD: 2 },
      { name: 'blue' },
    ]);
    const { run, home } = machine(tempFolder());
    const prices = join(home, 'prices.json');
    writeFileSync(prices, JSON.stringify(TABLE));
    const words = await run(
      'team',
      'usage',
      '--team',
      engine.url('cat'),
      '--prices',
      prices,
      '--ascii',
      '--plot',
      '--utc',
    );
    for (const text of ['By team', 'p-cat', 'project app', 'will be over', 'OVER', 'none found']) {
      expect(words.text).toContain(text);
    }
  });

  test('the page is told the same', async () => {
    await insertFiles(engine, CORPUS);
    const server = await serve(['--team', engine.url()], { home: tempFolder() });
    const told = (await server.ask('/api/usage/team?since=2026-01-01&timezone=UTC')).json();
    expectValid('team-usage', told);
    const { run } = machine(tempFolder());
    const since = ['--since', '2026-01-01', '--utc', '--json'];
    const command = (await run('team', 'usage', '--team', engine.url(), ...since)).json();
    expect(at(command, 'totals', 'messages')).toBeGreaterThan(0);
    for (const part of ['totals', 'habits', 'budgets']) expect(at(told, part), part).toEqual(at(command, part));
    expect((await server.ask('/api/usage/team?by=person')).status).toBe(400);
    await server.stop();
  });
});
