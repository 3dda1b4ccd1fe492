/** The same questions to both stores, the archive of a machine and a team it was pushed to. More of it: team-conformance.test.ts. */
import { afterAll, beforeAll, test } from 'vitest';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { conform, generatedRoot, pushedTo, recordedRoot } from '../team/conforming.ts';

let engine: ClickHouse;

beforeAll(async () => {
  engine = await startClickHouse({ record: false });
});
afterAll(() => engine.stop());

test('recordings among generated sessions', { timeout: 120_000 }, async () => {
  await conform(await pushedTo(engine, recordedRoot(16, generatedRoot(7, 1, 10)), 'both'), 2);
});
