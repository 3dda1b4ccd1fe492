/** Who belongs to which team, and what may be spent: rows an administrator writes. */
import { asNumber, asString, type JsonObject } from '../../format/json.ts';
import { personOf } from '../identity.ts';
import { fullName, type Place } from './definition.ts';
import { nextVersion } from './nextversion.ts';
import type { Done, Plan } from './setup.ts';
import type { Server } from './state.ts';

export interface Member {
  readonly login: string;
  readonly team: string;
}

export interface Budget {
  readonly scope: string;
  readonly name: string;
  readonly period: string;
  readonly usd: number;
}

export interface Rules {
  readonly members: readonly Member[];
  readonly budgets: readonly Budget[];
}

/** `anna:red`; a login may have colons, a team not. */
export function parseMember(text: string): Member | undefined {
  const [, login = '', team = ''] = /^(.+):([^:]+)$/s.exec(text) ?? [];
  return login === '' ? undefined : { login, team };
}

/** `team:red=500/month`, `project:/work/app=20.5/day`; a month without a period. */
export function parseBudget(text: string): Budget | undefined {
  const form = /^(team|person|project|model):(.+)=(\d+(?:\.\d+)?)(?:\/(month|week|day))?$/s;
  const [, scope = '', name = '', usd = '', period = 'month'] = form.exec(text) ?? [];
  return scope === '' ? undefined : { scope, name, period, usd: Number(usd) };
}

/** Writes those that are not there yet, or differ. `done` grows as it goes: what was written before something fails is told, too. */
export async function setRules(
  server: Server,
  plan: Plan,
  { members, budgets }: Rules,
  now: number,
  done: Done[] = [],
): Promise<Done[]> {
  const known = async (table: string, sql: string) => {
    // Before the first set-up there are none.
    const there = await server.rows(
      'SELECT 1 FROM system.tables WHERE database = {database: String} AND name = {table: String}',
      { database: plan.database, table },
    );
    return there.length === 0 ? [] : server.rows(`SELECT ${sql} FROM ${fullName(table, plan)} FINAL`);
  };
  if (members.length > 0) {
    const rows = await known('members', 'login, team, removed, toString(version) AS version');
    for (const { login, team } of members) {
      const there = rows.find((row) => row.login === login && row.team === team);
      const isIn = there !== undefined && asNumber(there.removed) === 0;
      const row = { login, team, person: personOf(login), removed: 0, version: after(there, now) };
      done.push(await put(server, plan, 'members', row, `member ${login}`, team, isIn, false));
    }
  }
  if (budgets.length > 0) {
    const rows = await known('budgets', 'scope, name, period, usd, toString(version) AS version');
    for (const budget of budgets) {
      const there = rows.find((row) => isSame(row, budget));
      const same = asNumber(there?.usd) === budget.usd;
      const what = `budget of ${budget.scope} ${budget.name}`;
      const detail = `${budget.usd} USD a ${budget.period}`;
      const row = { ...budget, version: after(there, now) };
      done.push(await put(server, plan, 'budgets', row, what, detail, same, there !== undefined));
    }
  }
  return done;
}

function after(there: JsonObject | undefined, now: number): number | string {
  return nextVersion(there === undefined ? undefined : BigInt(asString(there.version) ?? 0), now);
}

function isSame(row: JsonObject, { scope, name, period }: Budget): boolean {
  return asString(row.scope) === scope && asString(row.name) === name && asString(row.period) === period;
}

async function put(
  server: Server,
  plan: Place & { readonly dryRun?: boolean },
  table: string,
  row: object,
  what: string,
  detail: string,
  kept: boolean,
  differs: boolean,
): Promise<Done> {
  if (kept) return { what, outcome: 'kept', detail, statements: [] };
  const line = JSON.stringify(row);
  const columns = Object.keys(row);
  if (plan.dryRun !== true) await server.insert(fullName(table, plan), columns, [line]);
  const statement = `INSERT INTO ${fullName(table, plan)} (${columns.join(', ')}) FORMAT JSONEachRow ${line}`;
  return { what, outcome: differs ? 'changed' : 'made', detail, statements: [statement] };
}
