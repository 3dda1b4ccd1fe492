/** `skein team init --cluster`: its statements and its checks, with a server that says it is one of several. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { tempFolder } from '../support/files.ts';
import { expectGolden } from '../support/golden.ts';
import { runHere } from '../support/inprocess.ts';

let engine: ClickHouse;

beforeAll(async () => {
  engine = await startClickHouse({ setUp: false });
});
afterAll(() => engine.stop());

function init(...args: string[]) {
  return runHere(['team', 'init', '--team', engine.url(), ...args], { HOME: tempFolder() }, { told: true });
}

/** What a cluster answers to the questions of init. */
async function pretendCluster(logins: string): Promise<void> {
  await engine.fail(
    (request, told: { logins: string }) => {
      if (request.sql.includes('FROM system.clusters'))
        return { status: 200, body: '{"host_name":"a","cluster":"main"}\n' };
      return request.sql.includes('clusterAllReplicas') ? { status: 200, body: told.logins } : undefined;
    },
    { logins },
  );
}

test('on a cluster: replicated tables, Distributed over them, policies and grants on both; the engine reads every statement', async () => {
  await pretendCluster('{"login":"default"}\n');
  const { text, code, err } = await init('--dry-run', '--cluster', 'main');
  await engine.works();
  // Nothing is proved by a login that servers without a secret use for everybody.
  expect(err).toContain('As the user default it cannot be seen');
  expect(code).toBe(0);
  expectGolden('team-cluster.sql', text);
  const statements = text.split(/;\n/).filter((each) => each.trim() !== '');
  expect(statements.length).toBeGreaterThan(100);
  for (const statement of statements) {
    expect(statement).toContain('ON CLUSTER main');
    await engine.server.command(`EXPLAIN AST ${statement}`);
  }
});

test('a cluster whose servers do not tell each other who asks is refused', async () => {
  await pretendCluster('{"login":"default"}\n{"login":"remote"}\n');
  const { code, err } = await init('--cluster', 'main');
  await engine.works();
  expect(code).toBe(1);
  expect(err).toContain('do not tell each other who asks: there it was remote');
  expect(err).toContain('<secret>');
  expect((await init('--cluster', 'nowhere')).err).toContain('There is no cluster "nowhere"');
});
