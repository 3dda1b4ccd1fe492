/**
 * Who may read and write what. Roles are given to logins by an administrator: GRANT skein_pusher, skein_member TO anna.
 * Policies stand before grants: nobody may read a table that has none yet.
 */
import { fullName, holdingTable, onCluster, type Place, tablesOf } from './definition.ts';
import { isPushed, sentColumns, type Table } from './tables.ts';

export const ROLES = {
  skein_pusher: 'sends sessions and takes them back',
  skein_member: 'reads the own sessions',
  skein_team: 'reads the sessions of the teams it belongs to',
  skein_auditor: 'reads all sessions',
  skein_admin: 'names teams and budgets, deletes what was taken back',
} as const;

const READERS = ['skein_member', 'skein_team', 'skein_auditor', 'skein_admin'];

type Rules = Readonly<Record<string, string>>;

export interface AccessStatements {
  readonly roles: readonly string[];
  readonly policies: readonly string[];
  readonly grants: readonly string[];
}

export function accessStatements(tables: readonly Table[], place: Place): AccessStatements {
  const on = onCluster(place);
  return {
    roles: Object.keys(ROLES).map((role) => `CREATE ROLE IF NOT EXISTS ${role}${on}`),
    policies: tables.flatMap((table) =>
      Object.entries(rulesOf(table, place)).flatMap(([role, rule]) =>
        tablesOf(table, place).map(
          (name) =>
            `CREATE ROW POLICY OR REPLACE ${role}${on} ON ${fullName(name, place)} FOR SELECT USING ${rule} TO ${role}`,
        ),
      ),
    ),
    grants: [
      ...tables.flatMap((table) =>
        tablesOf(table, place).flatMap((name) =>
          rightsOf(table, name === holdingTable(table, place)).map(
            ([right, roles]) => `GRANT${on} ${right} ON ${fullName(name, place)} TO ${roles.join(', ')}`,
          ),
        ),
      ),
      // To delete on all servers at once.
      ...(place.cluster === undefined ? [] : [`GRANT${on} CLUSTER ON *.* TO skein_admin`]),
    ],
  };
}

/** Which rows a role reads of a table; all, where there is no rule for any role. */
function rulesOf({ name }: Table, place: Place): Rules {
  const members = fullName('members', place);
  const teams = `SELECT team FROM ${members} FINAL WHERE removed = 0 AND login = currentUser()`;
  const team = `owner = currentUser() OR owner IN (SELECT login FROM ${members} FINAL WHERE removed = 0 AND team IN (${teams}))`;
  if (isPushed(name)) {
    const recalls = fullName('recalls', place);
    const kept = `(owner, session) NOT IN (SELECT owner, session FROM ${recalls} FINAL WHERE undone = 0)`;
    return {
      skein_member: `owner = currentUser() AND ${kept}`,
      skein_team: `(${team}) AND ${kept}`,
      skein_auditor: kept,
      // Sees what was taken back, to delete it and to see that it is gone.
      skein_admin: '1',
    };
  }
  if (name === 'recalls') {
    return { skein_member: 'owner = currentUser()', skein_team: team, skein_auditor: '1', skein_admin: '1' };
  }
  // The rule of a team looks all of them up.
  if (name === 'members') {
    return { skein_member: 'login = currentUser()', skein_team: '1', skein_auditor: '1', skein_admin: '1' };
  }
  if (name === 'budgets') {
    const own = `scope IN ('project', 'model') OR (scope = 'team' AND name IN (${teams}))`;
    const persons = (which: string) =>
      `(scope = 'person' AND name IN (SELECT arrayJoin([login, person]) FROM ${members} FINAL WHERE removed = 0 AND ${which}))`;
    return {
      skein_member: `${own} OR ${persons('login = currentUser()')}`,
      skein_team: `${own} OR ${persons(`team IN (${teams})`)}`,
      skein_auditor: '1',
      skein_admin: '1',
    };
  }
  return {};
}

/** A right, and who has it. `owner` is never among the columns that may be sent. */
function rightsOf(table: Table, holds: boolean): (readonly [right: string, roles: readonly string[]])[] {
  const { name } = table;
  const insert = `INSERT(${sentColumns(table).join(', ')})`;
  if (name === 'schema_version')
    return [
      ['SELECT', [...READERS, 'skein_pusher']],
      ['INSERT', ['skein_admin']],
    ];
  if (isPushed(name)) {
    return [
      ['SELECT', READERS],
      [insert, ['skein_pusher']],
      ...(holds ? ([['ALTER DELETE', ['skein_admin']]] as const) : []),
    ];
  }
  if (name === 'recalls') {
    return [
      ['SELECT', READERS],
      [insert, ['skein_pusher', 'skein_admin']],
    ];
  }
  return [
    ['SELECT', READERS],
    [insert, ['skein_admin']],
  ];
}
