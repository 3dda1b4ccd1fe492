/** What a server is and what it has of a team, before anything is made. */
import { asString } from '../../format/json.ts';
import type { Team } from '../connect.ts';
import { TeamError } from '../errors.ts';
import { fullName, type Place } from './definition.ts';
import { quoted } from './quote.ts';
import { isWrapping, type Retention, retentionOf } from './retention.ts';
import { PUSHED, TABLES } from './tables.ts';

/** Opened on a database that is there in any case. */
export type Server = Team;

export interface TableState {
  readonly engine: string;
  /** The days of its rules. */
  readonly retention: Retention;
  readonly isWrapping: boolean;
}

export interface State {
  /** 0: there is no schema. */
  readonly version: number;
  /** Which roles, policies and grants were made last. */
  readonly access: string | undefined;
  /** The versions of the rows that say so, by part: what is written next has to be larger, whatever the clock says. */
  readonly versions: ReadonlyMap<string, bigint>;
  /** The tables that are there. */
  readonly tables: ReadonlyMap<string, TableState>;
  /** Undefined before there are tables. */
  readonly retention: Retention | undefined;
}

/** The first with a text index that is no experiment. */
const OLDEST = [26, 2];

/** Throws where it cannot be used; says what to know of one that can. */
export async function checkServer(server: Server, { cluster, database }: Place): Promise<string[]> {
  const [row] = await server.rows('SELECT version() AS version');
  const version = asString(row?.version) ?? '';
  if (isOlder(version, OLDEST)) {
    const next = `Skein needs ClickHouse ${OLDEST.join('.')} or newer, for its text index.`;
    throw refused(server, `The server is too old: it is ClickHouse ${version}`, next);
  }
  const warnings = leaks(version) ? [leakText(version, database)] : [];
  return cluster === undefined ? warnings : [...warnings, ...(await checkCluster(server, cluster))];
}

/**
 * The first of each line in which row policies also hold for the table functions mergeTreeIndex and mergeTreeTextIndex (ClickHouse
 * #115304, #119032); from 26.9 on all do.
 */
const TIGHT = [
  [26, 9],
  [26, 8, 7, 7],
  [26, 7, 11, 6],
  [26, 6, 9, 7],
  [26, 3, 33, 101],
];

export function leaks(version: string): boolean {
  const [major, minor] = version.split('.').map(Number);
  const first = TIGHT.find((each) => each[0] === major && each[1] === minor);
  return isOlder(version, first ?? [26, 9]);
}

function leakText(version: string, database: string): string {
  const probe = `SELECT token FROM mergeTreeTextIndex(${quoted(database)}, 'messages', 'by_word')`;
  return `ClickHouse ${version} lets a login read words and ids of rows that row policies hide, by SQL of its own (no verb of Skein does): upgrade to 26.9 or newer, or to 26.8.7.7, 26.7.11.6, 26.6.9.7, 26.3.33.101 of these lines. To try it, as a member: ${probe} has to be refused.`;
}

function isOlder(version: string, than: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  const at = than.findIndex((number, i) => (parts[i] ?? 0) !== number);
  return at >= 0 && (parts[at] ?? 0) < (than[at] ?? 0);
}

/** Row policies are of use only where a shard knows who asks. */
async function checkCluster(server: Server, cluster: string): Promise<string[]> {
  const nodes = await server.rows('SELECT host_name FROM system.clusters WHERE cluster = {cluster: String}', {
    cluster,
  });
  if (nodes.length === 0) {
    const known = await server.rows('SELECT DISTINCT cluster FROM system.clusters ORDER BY cluster');
    const names = known.map((row) => asString(row.cluster)).join(', ');
    throw refused(
      server,
      `There is no cluster "${cluster}"`,
      names === '' ? 'The server knows none.' : `It knows: ${names}.`,
    );
  }
  const asked = 'SELECT DISTINCT currentUser() AS login FROM clusterAllReplicas({cluster: String}, system.one)';
  const logins = (await server.rows(asked, { cluster })).map((row) => asString(row.login));
  const [login] = await server.rows('SELECT currentUser() AS login');
  const strange = logins.filter((each) => each !== asString(login?.login));
  const next = `Row policies need it. Put the same <secret>…</secret> into <remote_servers><${cluster}> on every server.`;
  if (strange.length > 0) {
    const what = `The servers of "${cluster}" do not tell each other who asks: there it was ${strange.join(', ')}`;
    throw refused(server, what, next);
  }
  if (asString(login?.login) !== 'default') return [];
  // Without a secret all of them would be called that.
  return [
    `As the user default it cannot be seen whether the servers of "${cluster}" tell each other who asks: ${next}`,
  ];
}

export async function readState(server: Server, place: Place): Promise<State> {
  const { database } = place;
  const rows = await server.rows('SELECT name, engine_full FROM system.tables WHERE database = {database: String}', {
    database,
  });
  const tables = new Map(rows.map((row) => [asString(row.name) ?? '', tableStateOf(asString(row.engine_full) ?? '')]));
  if (!tables.has('schema_version')) {
    const taken = TABLES.filter(({ name }) => tables.has(name)).map(({ name }) => name);
    if (taken.length > 0) {
      const what = `The database "${database}" has tables of other kinds with our names: ${taken.join(', ')}`;
      throw refused(
        server,
        what,
        'Nothing was touched. Name another database at the end of the URL, e.g. …:8123/skein',
      );
    }
    return { version: 0, access: undefined, versions: new Map(), tables, retention: undefined };
  }
  checkKind(server, place, tables);
  const asked = `SELECT part, value, toString(version) AS version FROM ${fullName('schema_version', place)} FINAL`;
  const parts = await server.rows(asked);
  const valueAt = (part: string) => asString(parts.find((row) => row.part === part)?.value);
  const versions = new Map(parts.map((row) => [asString(row.part) ?? '', BigInt(asString(row.version) ?? 0)]));
  const ruled = [...tables.values()].find(({ retention }) => retention.size > 0)?.retention;
  return { version: Number(valueAt('schema') ?? 0), access: valueAt('access'), versions, tables, retention: ruled };
}

function tableStateOf(engine: string): TableState {
  return { engine, retention: retentionOf(engine), isWrapping: isWrapping(engine) };
}

/** Tables of one server do not become those of a cluster by making what is missing, nor the other way round: half of each would be there. */
function checkKind(server: Server, { database, cluster }: Place, tables: State['tables']): void {
  const engines = PUSHED.flatMap((name) => tables.get(name)?.engine ?? []);
  const [, over] = engines.map((engine) => /^Distributed\('((?:[^'\\]|\\.)*)'/.exec(engine)).find(Boolean) ?? [];
  const isSpread = over !== undefined || PUSHED.some((name) => tables.has(`${name}_local`));
  if (cluster === undefined && isSpread) {
    const next = `Nothing was touched. Say --cluster ${over ?? 'NAME'}, or write "cluster" into the profile in team.json.`;
    throw refused(server, `The database "${database}" was made for the cluster${over ? ` "${over}"` : ''}`, next);
  }
  if (cluster !== undefined && !isSpread && engines.length > 0) {
    const next =
      'Nothing was touched. Leave --cluster and the "cluster" of the profile out, or name another database at the end of the URL.';
    throw refused(server, `The database "${database}" was made without a cluster`, next);
  }
}

function refused(server: Server, what: string, next: string): TeamError {
  return new TeamError({ what, where: server.target.name, next, kind: 'other' });
}
