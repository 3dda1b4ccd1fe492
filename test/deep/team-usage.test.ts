/** Usage of a team: beside the code that reads files, and beside the truth of a generated corpus. */

import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { at } from '../../src/format/json.ts';
import type { Team } from '../../src/team/connect.ts';
import { teamFacts } from '../../src/team/usage/facts.ts';
import { toCells } from '../../src/views/usage/cells.ts';
import type { CostMode, Fact, Pricing } from '../../src/views/usage/facts.ts';
import { createPrices, ownModels } from '../../src/views/usage/prices.ts';
import { assistant, chain, toJsonl } from '../support/build.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { generateCorpus } from '../support/corpus.ts';
import { tempFolder } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';
import { rootWith } from '../support/skein.ts';
import { pushed } from '../support/team.ts';
import { foldedFacts, insertFiles, pusher, T0, type TeamFile, type Told } from '../team/usage-sightings.ts';

let engine: ClickHouse;
let team: Team;

beforeAll(async () => {
  engine = await startClickHouse();
  team = engine.admin;
});
afterAll(() => engine?.stop());
beforeEach(async () => {
  for (const table of ['files', 'usage', 'tool_calls', 'entries']) await team.command(`TRUNCATE TABLE ${table}`);
});

/** Odd prices: steps elsewhere, and tokens that do not cost whole billionths. */
const OWN = ownModels({
  models: {
    stepped: { input_mtok: { base: 3, tiers: [{ start: 1000, price: 6 }] }, output_mtok: 15 },
    odd: { input_mtok: 0.0123456, output_mtok: 1.00071 },
  },
});
const NOW = T0 + 86_400_000;

function pricingOf(mode: CostMode): Pricing {
  if (typeof OWN === 'string') throw new Error(OWN);
  return { mode, ratesOf: createPrices(OWN, NOW).ratesOf };
}

const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const count = fc.oneof(fc.nat(5), fc.nat(3000), fc.integer({ min: 100_000, max: 900_000 }));

const told: fc.Arbitrary<Told> = fc.record({
  message: some(fc.constantFrom('m1', 'm2', 'm3', 'm4')),
  request: some(fc.constantFrom('r1', 'r2', 'r3')),
  model: some(
    fc.constantFrom('claude-sonnet-4-5', 'claude-opus-4-5', 'claude-opus-4-6', 'stepped', 'odd', 'nobody-knows'),
  ),
  tier: some(fc.constantFrom('standard', 'batch')),
  speed: fc.option(fc.constantFrom('fast', 'slow'), { nil: undefined, freq: 1 }),
  geo: fc.option(fc.constantFrom('us', 'eu'), { nil: undefined, freq: 1 }),
  branch: some(fc.constantFrom('main', 'fix')),
  agent: some(fc.constantFrom('a1', 'a2')),
  time: some(fc.integer({ min: T0, max: T0 + 7_200_000 })),
  ended: fc.boolean(),
  sidechain: fc.boolean(),
  copy: fc.boolean(),
  fork: fc.boolean(),
  start: fc.nat(1_000_000),
  input: count,
  output: count,
  write: count,
  write1h: some(count),
  read: count,
  searches: some(fc.nat(3)),
  recorded: some(fc.double({ min: 0, max: 2, noNaN: true })),
  estimate: some(fc.nat(500)),
});

const files = fc
  .uniqueArray(
    fc.record({
      session: fc.constantFrom('s1', 's2', 's3'),
      slug: fc.constantFrom('-work-app', '-work-api'),
      owners: fc.constantFrom(['ann'], ['bob'], ['ann', 'bob']),
      told: fc.uniqueArray(told, { maxLength: 12, selector: ({ start }) => start }),
    }),
    { maxLength: 3, selector: ({ session }) => session },
  )
  .map((list): TeamFile[] =>
    list.map((file) => ({ ...file, name: `${file.session}.jsonl`, project: `/work/${file.slug.slice(6)}` })),
  );

function plain(facts: readonly Fact[]): string[] {
  return facts
    .map((fact) => {
      const entries = Object.entries(fact).filter(([name]) => name !== 'person' && name !== 'owner');
      return JSON.stringify(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))));
    })
    .sort();
}

const PARTS = ['branch', 'file', 'agent', 'person'] as const;

/** Many cases at once: each with messages, sessions and folders of its own. */
const cases = fc.array(files, { minLength: 25, maxLength: 25 }).map((lists) =>
  lists.flatMap((list, place) =>
    list.map((file): TeamFile => {
      const session = `${place}-${file.session}`;
      const own = file.told.map((each) => ({ ...each, message: each.message && `${place}-${each.message}` }));
      return { ...file, session, name: `${session}.jsonl`, slug: `${file.slug}-${place}`, told: own };
    }),
  ),
);

describe('usage of a team', () => {
  test('random sightings over files and owners: the server joins and adds them as the fold does (E4, E18)', async () => {
    const modes = fc.constantFrom<CostMode>('auto', 'computed', 'recorded');
    await fc.assert(
      fc.asyncProperty(cases, modes, fc.boolean(), async (some, mode, isToday) => {
        // Clients of today tell the request of every message: then less is asked of the server.
        const today = (each: Told) => (isToday ? { ...each, request: each.request ?? 'r0' } : each);
        const list = some.map((file) => ({ ...file, told: file.told.map(today) }));
        for (const table of ['files', 'usage']) await team.command(`TRUNCATE TABLE ${table}`);
        await insertFiles(engine, list);
        const pricing = pricingOf(mode);
        const folded = foldedFacts(list, pricing);
        const cells = await teamFacts(team, { parts: PARTS, exact: false }, pricing);
        expect(plain(toCells(cells))).toEqual(plain(toCells(folded)));
        const exact = await teamFacts(team, { parts: PARTS, exact: true }, pricing);
        expect(plain(summed(exact))).toEqual(plain(summed(folded)));
      }),
      { numRuns: 3, endOnFailure: true },
    );
  }, 60_000);
});

/** Those that agree in everything, times to the millisecond, together. */
function summed(facts: readonly Fact[]): Fact[] {
  const groups = Map.groupBy(facts, ({ time }) => time);
  return [...groups].flatMap(([time, some]) => toCells(some).map((cell) => ({ ...cell, time })));
}

test('fast mode, US-only and batches cost what they cost on the machine that pushed them', async () => {
  const sold = [
    {},
    { speed: 'fast' },
    { inference_geo: 'us' },
    { speed: 'fast', inference_geo: 'us' },
    { speed: 'slow' },
  ];
  const batches = sold.map((each) => ({ ...each, service_tier: 'batch' }));
  const lines = ['claude-opus-4-6', 'claude-sonnet-4-5'].flatMap((model) =>
    [...sold, ...batches].map((each, n) => {
      const id = `${model}-${n}`;
      return assistant('x', {
        id,
        requestId: `r-${id}`,
        model,
        usage: { input_tokens: 1000, output_tokens: 100, ...each },
      });
    }),
  );
  const session = '11111111-1111-4111-8111-111111111111';
  const root = rootWith({ [`${session}.jsonl`]: toJsonl(chain(lines, { cwd: '/work/app' })) }, writeFileSync);
  await pusher(engine, 'ann');
  await pushed(root, engine, { content: 'none' }, { login: 'ann' });
  const { run } = machine(root);
  for (const by of ['model', 'chat', 'total']) {
    const own = (await run('usage', '--by', by, '--json')).json();
    const team = (await run('usage', '--by', by, '--team', engine.url(), '--json')).json();
    expect(at(own, 'totals', 'unpriced'), by).toBe(8);
    expect(at(team, 'totals'), by).toEqual(at(own, 'totals'));
  }
});

describe('a generated corpus', () => {
  test('pushed by two people: the totals are the truth, and everything once', async () => {
    const { root, totals } = generateCorpus({ mb: 2, files: 12, seed: 42 });
    for (const login of ['ann', 'bob']) {
      await pusher(engine, login);
      await pushed(root, engine, { content: 'none' }, { login });
    }
    const { run } = machine(tempFolder());
    for (const argv of [
      ['usage', '--by', 'person,model'],
      ['usage', '--by', 'chat'],
      ['team', 'usage', '--by', 'day'],
    ]) {
      const told = (await run(...argv, '--team', engine.url(), '--json')).json();
      expect(at(told, 'totals'), argv.join(' ')).toMatchObject(totals);
    }
    const refused = await run('usage', '--by', 'person').catch((error: Error) => error.message);
    expect(refused).toContain('--team');
  });
});
