/** Tools and times of which a team and the archive once said something else. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at } from '../../src/format/json.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { tempFolder } from '../support/files.ts';
import { call, prompt, answer as said, turns, writeSession } from '../support/teamsession.ts';
import { type Asking, answer, pushedTo } from '../team/conforming.ts';
import { firstDifference } from '../team/questions.ts';

const id = (n: number) => `abcdef0${n}-2222-4222-8222-222222222222`;

let engine: ClickHouse;
beforeAll(async () => {
  engine = await startClickHouse({ record: false });
});
afterAll(() => engine.stop());

/** In a database of its own. */
async function askable(database: string): Promise<Asking> {
  const root = tempFolder();
  const wandering = turns(id(1), '/work/wander', 3, 1).map((line, place) =>
    place < 4 ? line : { ...line, cwd: '/work/wander/packages/inner' },
  );
  writeSession(root, { id: id(1), cwd: '/work/wander', lines: wandering });
  const say = (n: number, text: string) => ({ id: id(2), cwd: '/work/old', n, text });
  const nameless = [
    call('', { command: 'a' }),
    call('', { command: 'b' }),
    { type: 'tool_use', name: 'Read', input: {} },
  ];
  const lines = [prompt(say(201, 'go')), said(say(202, ''), nameless), said(say(203, ''), nameless.slice(0, 1))];
  writeSession(root, { id: id(2), cwd: '/work/old', lines });
  // A copy in another file, as a fork makes it.
  writeSession(root, { id: id(3), cwd: '/work/old', lines: lines.map((line) => ({ ...line, sessionId: id(3) })) });
  return pushedTo(engine, root, database);
}

async function ask(both: Asking, ...argv: string[]) {
  const kept = await answer(both, argv);
  const read = await answer(both, [...argv, '--team', both.url]);
  expect([argv, firstDifference(read, kept)]).toEqual([argv, undefined]);
  return kept;
}

test('the calls of a session that wandered are of its project', async () => {
  const both = await askable('wandered');
  expect(at(await ask(both, 'usage', '--json', '--by', 'tool', '--project', 'wander'), 'json', 'totals')).toMatchObject(
    {
      calls: 3,
    },
  );
  expect(await ask(both, 'usage', '--json', '--by', 'tool', '--project', 'inner')).toMatchObject({ code: 1 });
});

test('calls without an id count, each of them, and once however often they are pushed', async () => {
  const both = await askable('nameless');
  const all = await ask(both, 'usage', '--json', '--by', 'tool', '--project', 'old');
  expect(at(all, 'json', 'totals')).toMatchObject({ calls: 8, pending: 8 });
  expect((await both.run('team', 'push', '--team', both.url, '--yes', '--all', '--json')).code).toBe(0);
  expect(await ask(both, 'usage', '--json', '--by', 'tool', '--project', 'old')).toEqual(all);
});

test.each(['999999999999d', '99999999999999999999d'])('%s ago is before everything', async (age) => {
  const both = await askable(`ages_${age.length}`);
  // What is asked next is then answered of what is kept, as the team's is.
  await both.run('usage', '--json');
  for (const argv of [
    ['list', '--json', '--after', age],
    ['list', '--json', '--after', age, '--limit', '2'],
    ['search', '--json', '--sort', 'date', `after:${age}`],
    ['usage', '--json', '--utc', '--by', 'day', '--since', age],
    ['usage', '--json', '--utc', '--explain', '--limit', '2', '--since', age],
    ['usage', '--json', '--by', 'tool', '--since', age],
  ]) {
    expect(await ask(both, ...argv)).toMatchObject({ code: 0 });
  }
  expect(await ask(both, 'usage', '--json', '--utc', '--by', 'day', '--until', age)).toMatchObject({ code: 1 });
});
