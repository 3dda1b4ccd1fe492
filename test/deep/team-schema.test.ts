/** As team-setup.test.ts: what is rare when a team is set up. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessStatements } from '../../src/team/schema/access.ts';
import { setUpTeam } from '../../src/team/schema/setup.ts';
import { STEPS } from '../../src/team/schema/steps.ts';
import { TABLES } from '../../src/team/schema/tables.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';

let engine: ClickHouse;

beforeAll(async () => {
  engine = await startClickHouse({ setUp: false });
});
afterAll(() => engine.stop());

test('a set-up that breaks off anywhere is completed by the next', async () => {
  for (const nth of [2, 8, 15, 30, 50]) {
    const database = `team_${nth}`;
    await engine.fail(
      (_, broken: { nth: number }, memory) => {
        memory.n = (memory.n ?? 0) + 1;
        return memory.n === broken.nth ? { status: 500, body: 'gone' } : undefined;
      },
      { nth },
    );
    await expect(setUpTeam(engine.server, { database }), `broken at ${nth}`).rejects.toMatchObject({ kind: 'refused' });
    await engine.works();
    await setUpTeam(engine.server, { database });
    const { done } = await setUpTeam(engine.server, { database });
    expect(done.map(({ outcome }) => outcome)).toEqual(['kept', 'kept', 'kept']);
    const made = await engine.server.rows(
      'SELECT count() AS n FROM system.tables WHERE database = {database: String}',
      {
        database,
      },
    );
    expect(made).toEqual([{ n: TABLES.length }]);
  }
});

test('a database may have any name', async () => {
  const name = "o`d\\d 'team'";
  const { done } = await setUpTeam(engine.server, { database: name });
  expect(done.map(({ outcome }) => outcome)).toEqual(['made', 'made', 'made']);
  expect((await setUpTeam(engine.server, { database: name })).done.every(({ outcome }) => outcome === 'kept')).toBe(
    true,
  );
  const cluster = { database: name, cluster: "c'l" };
  const { roles, policies, grants } = accessStatements(TABLES, cluster);
  const tables = STEPS.flatMap((step) => step.statements(cluster, new Map([['short', 1]])));
  for (const statement of [...roles, ...policies, ...grants, ...tables])
    await engine.server.command(`EXPLAIN AST ${statement}`);
});
