/** `skein team init --retention`: how long rows stay. */
import { expect, test } from 'vitest';
import { asString } from '../../src/format/json.ts';
import { retentionOf } from '../../src/team/schema/retention.ts';
import { PUSHED } from '../../src/team/schema/tables.ts';
import { database, engine, everything, init, outcomes } from '../team/databases.ts';

test('days of a class are changed later, in every table that has them', async () => {
  await init();
  expect(outcomes((await init('--json', '--retention', 'standard=90', '--retention', 'week=7')).json())).toMatchObject({
    retention: 'changed',
  });
  const rows = await engine.server.rows(
    'SELECT name, engine_full FROM system.tables WHERE database = {database: String}',
    {
      database,
    },
  );
  for (const name of PUSHED) {
    const engineText = asString(rows.find((row) => row.name === name)?.engine_full) ?? '';
    expect(Object.fromEntries(retentionOf(engineText))).toEqual({ short: 30, standard: 90, long: 1825, week: 7 });
  }
  // Without a word about it they stay.
  expect(outcomes((await init('--json')).json())).toMatchObject({ retention: 'kept' });
});

test('rows go when the days of their class are over, and no others', async () => {
  await init();
  const old = new Date(Date.now() - 40 * 86_400_000).toISOString().replace('T', ' ').replace('Z', '');
  const rows = ['short', 'standard', 'long', 'unknown'].map((retention) =>
    JSON.stringify({ session: retention, name: 'a', retention, time: old, version: 1 }),
  );
  await engine.server.insert(`${database}.usage`, ['session', 'name', 'retention', 'time', 'version'], rows);
  await engine.server.command(`OPTIMIZE TABLE ${database}.usage FINAL`);
  const left = await engine.server.rows(`SELECT session FROM ${database}.usage FINAL ORDER BY session`);
  expect(left.map(({ session }) => session)).toEqual(['long', 'standard', 'unknown']);
});

/** Sessions that are left of rows with these times, named by them, after the server deleted what it had to. */
async function leftOf(retention: string, times: readonly string[]): Promise<unknown[]> {
  const rows = times.map((time) => JSON.stringify({ session: time, name: 'a', retention, time, version: 1 }));
  await engine.server.insert(`${database}.entries`, ['session', 'name', 'retention', 'time', 'version'], rows);
  await engine.server.command(`OPTIMIZE TABLE ${database}.entries FINAL`);
  const left = await engine.server.rows(`SELECT session FROM ${database}.entries FINAL ORDER BY session`);
  return left.map(({ session }) => session);
}

const LATE = [
  '2026-11-01 00:00:00.000',
  '2105-12-31 00:00:00.000',
  '2110-01-01 00:00:00.000',
  '2299-12-31 00:00:00.000',
];

test('with the most days that are accepted rows stay, and so do those of a far future', async () => {
  expect((await init('--retention', 'long=36500')).code).toBe(0);
  expect(await leftOf('long', LATE)).toEqual(LATE);
  expect(await leftOf('short', LATE.slice(2))).toEqual(LATE);
  const { err } = await init('--retention', 'long=36501');
  expect(err).toContain('"long=36501" is not understood');
});

test('rules that deleted what would go after 2106 are mended, once, and it is said', async () => {
  await init('--retention', 'week=7');
  const days = Object.entries({ short: 30, standard: 365, long: 36500, week: 7 });
  const before = days.map(
    ([name, number]) => `toDateTime(time) + toIntervalDay(${number}) DELETE WHERE retention = '${name}'`,
  );
  for (const name of PUSHED)
    await engine.server.command(`ALTER TABLE ${database}.${name} MODIFY TTL ${before.join(', ')}`);
  const { text } = await init();
  expect(text).toMatch(
    /changed +retention: long 36500 days, short 30 days, standard 365 days, week 7 days; what would go after 2105/,
  );
  expect(await leftOf('long', LATE)).toEqual(LATE);
  const after = await everything();
  expect((await init()).text).toContain('nothing changed');
  expect(await everything()).toEqual(after);
});
