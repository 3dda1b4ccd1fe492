/** Databases of their own for tests of `skein team init`. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { asArray, asString, at, type Json } from '../../src/format/json.ts';
import { type ClickHouse, startClickHouse } from '../support/clickhouse.ts';
import { tempFolder } from '../support/files.ts';
import { runHere } from '../support/inprocess.ts';

export let engine: ClickHouse;
let number = 0;
/** A name no test had before. */
export let database: string;

beforeAll(async () => {
  engine = await startClickHouse({ setUp: false });
});
afterAll(() => engine.stop());
beforeEach(newDatabase);

export function newDatabase(): void {
  database = `team_${number++}`;
}

export function init(...args: string[]) {
  return command('team', 'init', '--team', engine.url().replace(/\/skein$/, `/${database}`), ...args);
}

export function command(...argv: string[]) {
  return runHere(argv, { HOME: tempFolder() }, { told: true });
}

export function outcomes(json: Json): Record<string, string> {
  const done = asArray(at(json, 'done')) ?? [];
  return Object.fromEntries(
    done.map((each) => [asString(at(each, 'what')) ?? '', asString(at(each, 'outcome')) ?? '']),
  );
}

/** Every table as the server has it, and what it wrote about itself. */
export async function everything(): Promise<unknown> {
  const tables = await engine.server.rows(
    'SELECT name, create_table_query FROM system.tables WHERE database = {database: String} ORDER BY name',
    { database },
  );
  return { tables, versions: await engine.server.rows(`SELECT * FROM ${database}.schema_version ORDER BY ALL`) };
}
