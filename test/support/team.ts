/** Machines of a team for tests: an archive made of a config folder, and pushed to the test engine. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { deriveInTurns } from '../../src/archive/index/derive.ts';
import { openArchive } from '../../src/archive/store.ts';
import { findSources } from '../../src/archive/sync/sources.ts';
import { syncInTurns } from '../../src/archive/sync/sync.ts';
import { findRoots } from '../../src/disk/roots.ts';
import type { JsonObject } from '../../src/format/json.ts';
import { openTeam, type Team } from '../../src/team/connect.ts';
import { mergePolicies } from '../../src/team/policy/merge.ts';
import { readPolicies } from '../../src/team/policy/read.ts';
import { pushAll } from '../../src/team/push/push.ts';
import { openPushState, statePath } from '../../src/team/push/state.ts';
import type { PushOptions, PushReport } from '../../src/team/push/types.ts';
import { resolveTarget } from '../../src/team/target.ts';
import type { ClickHouse } from './clickhouse.ts';

export interface Machine {
  /** SKEIN_HOME: archive, index, policy and what was pushed. */
  readonly home: string;
  /** Config folders. */
  readonly roots: readonly string[];
  /** Archives what is new. */
  sync(): Promise<void>;
  /** Writes team-policy.json; undefined takes it away. */
  policy(policy: JsonObject | undefined): void;
  push(engine: ClickHouse, options?: PushedOptions): Promise<PushReport>;
}

export interface PushedOptions extends Partial<PushOptions> {
  /** Who pushes; the administrator otherwise. */
  readonly login?: string;
  readonly team?: Team;
}

/** Also those made in beforeAll go when the tests of a file are over. */
const madeHomes: string[] = [];
afterAll(() => {
  for (const home of madeHomes.splice(0)) rmSync(home, { recursive: true, force: true });
});

/** A machine with these config folders, archived. */
export async function machine(...roots: string[]): Promise<Machine> {
  const home = mkdtempSync(join(tmpdir(), 'skein-machine-'));
  madeHomes.push(home);
  const user = join(home, 'user');
  mkdirSync(user);
  const policyFile = join(home, 'team-policy.json');
  const made: Machine = {
    home,
    roots,
    async sync() {
      const { roots: found } = findRoots({ given: roots, env: {}, home: user });
      const archive = openArchive(home, { create: true });
      if (archive === undefined) throw new Error('an archive is made');
      await syncInTurns(archive, findSources(found).files, { derive: true });
      await deriveInTurns(archive);
      archive.close();
    },
    policy(policy) {
      writeFileSync(policyFile, JSON.stringify(policy ?? {}));
    },
    async push(engine, { login, team: given, ...options } = {}) {
      const archive = openArchive(home);
      if (archive === undefined) throw new Error('there is an archive');
      const target = resolveTarget({ env: {}, home: user }, engine.url(login));
      const team = given ?? (await openTeam(target));
      const state = openPushState(statePath(home, target));
      try {
        const report = await pushAll(team, {
          archive,
          state,
          target,
          policy: mergePolicies(readPolicies({ user: policyFile, managed: join(home, 'managed') })),
          home: user,
          signal: new AbortController().signal,
          now: Date.now,
          ...options,
        });
        if (report.stoppedBy !== undefined && options.signal === undefined) throw report.stoppedBy;
        return report;
      } finally {
        state.close();
        archive.close();
        if (given === undefined) await team.close();
      }
    },
  };
  await made.sync();
  return made;
}

/** A config folder archived and pushed, by default as it is. */
export async function pushed(
  config: string | readonly string[],
  engine: ClickHouse,
  policy: JsonObject = { content: 'full' },
  options: PushedOptions = {},
): Promise<Machine & { readonly report: PushReport }> {
  const made = await machine(...[config].flat());
  made.policy(policy);
  return { ...made, report: await made.push(engine, options) };
}

let logins = 0;

/** A login of its own that pushes, and reads what it pushed. */
export async function newLogin(engine: ClickHouse): Promise<string> {
  logins += 1;
  await engine.addUser(`u${logins}`, ['skein_pusher', 'skein_member']);
  return `u${logins}`;
}

const TABLES = ['files', 'entries', 'messages', 'tool_calls', 'usage'] as const;

/** All rows that a login pushed, as readers see them, in an order of their own; who and when aside. */
export async function rowsBy(engine: ClickHouse, login: string): Promise<Record<string, string[]>> {
  const tables = await Promise.all(
    TABLES.map(async (table) => {
      const machine = table === 'files' || table === 'usage' ? 'machine, ' : '';
      const sql = `SELECT * EXCEPT(${machine}person, version, deleted) FROM ${table} FINAL WHERE owner = {login: String}
        AND (owner, session) NOT IN (SELECT owner, session FROM recalls FINAL WHERE undone = 0)`;
      const rows = await engine.sql(sql, { login });
      return [table, rows.map((row) => JSON.stringify(row)).sort()] as const;
    }),
  );
  return Object.fromEntries(tables);
}

export async function countsBy(engine: ClickHouse, login: string): Promise<Record<string, number>> {
  const rows = await rowsBy(engine, login);
  return Object.fromEntries(Object.entries(rows).map(([table, each]) => [table, each.length]));
}

/** Everything that reached the server as a body, as one text. */
export function bytesReceived(engine: ClickHouse, login?: string): string {
  const own = engine.received().filter(({ user }) => login === undefined || user === login);
  return own.map(({ sql, url, body }) => `${sql}\n${url}\n${body.toString('utf8')}`).join('\n');
}
