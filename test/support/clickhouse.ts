/**
 * A real ClickHouse for tests: a process of its own (clickhouse/server.ts) with the engine in it, reached over HTTP by the official
 * client. Start one for a file in beforeAll, stop it in afterAll.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/format/json.ts';
import { openTeam, type Params, type Team } from '../../src/team/connect.ts';
import { setUpTeam } from '../../src/team/schema/setup.ts';
import { resolveTarget } from '../../src/team/target.ts';
import type { Fault, Order, Recorded, Request } from './clickhouse/faults.ts';
import { quoted } from './clickhouse/sql.ts';

export type { Fault, Request } from './clickhouse/faults.ts';

export interface Received extends Recorded {
  /** Inflated. */
  readonly body: Buffer;
}

export type FaultOf = (request: Request, data: never, memory: Record<string, number>) => Fault | undefined;

export interface ClickHouse {
  /** For `--team`: with login and password. Without a login: the administrator's. */
  url(login?: string): string;
  /** The administrator in the team's database. */
  readonly admin: Team;
  /** The administrator in a database that is always there. */
  readonly server: Team;
  /** As the administrator, who sees all rows. */
  sql(query: string, params?: Params): Promise<JsonObject[]>;
  /** As someone else. */
  as(login: string): Promise<Team>;
  addUser(login: string, roles: readonly string[], password?: string): Promise<void>;
  /** Every request so far, in the order they came. */
  received(): Received[];
  /**
   * Which fault a request meets. The function runs in the server: it sees nothing of the test but `data` (JSON), and keeps what it
   * needs from one request to the next in `memory`.
   */
  fail(fault: FaultOf, data?: unknown): Promise<void>;
  works(): Promise<void>;
  /** Milliseconds before each answer. */
  slow(ms: number): Promise<void>;
  stop(): Promise<void>;
}

export interface ClickHouseOptions {
  /** Whether the team's tables, roles and policies are made (default). */
  readonly setUp?: boolean;
  /** Whether requests are kept for received() (default). */
  readonly record?: boolean;
  /** Where the data lies; a temporary folder otherwise. */
  readonly folder?: string;
}

const ADMIN = 'default';
const SERVER = fileURLToPath(new URL('clickhouse/server.ts', import.meta.url));

export async function startClickHouse({
  setUp = true,
  record = true,
  folder,
}: ClickHouseOptions = {}): Promise<ClickHouse> {
  const own = folder ?? mkdtempSync(join(tmpdir(), 'skein-clickhouse-'));
  const passwords = new Map([[ADMIN, randomBytes(6).toString('hex')]]);
  const child = fork(SERVER, [own, ADMIN, passwords.get(ADMIN) ?? '', record ? 'record' : ''], {
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const port = await portOf(child);
  const opened: Team[] = [];
  let orders = 0;

  function url(login: string = ADMIN): string {
    const password = passwords.get(login) ?? '';
    return `http://${encodeURIComponent(login)}:${encodeURIComponent(password)}@127.0.0.1:${port}/skein`;
  }

  async function as(login: string): Promise<Team> {
    const team = await openTeam(resolveTarget({ env: {}, home: own }, url(login)));
    opened.push(team);
    return team;
  }

  async function order(
    what: { kind: 'fail'; source: string; data: string } | { kind: 'slow'; ms: number } | { kind: 'stop' },
  ) {
    const id = orders++;
    const done = new Promise<void>((resolve) => {
      const hear = (message: unknown) => {
        const answers = typeof message === 'object' && message !== null && 'id' in message && message.id === id;
        if (answers) settle();
      };
      const settle = () => {
        child.off('message', hear);
        child.off('exit', settle);
        resolve();
      };
      child.on('message', hear);
      child.once('exit', settle);
    });
    const sent: Order = { id, ...what };
    child.send(sent);
    await done;
  }

  const admin = await as(ADMIN);
  // Where the team's database is not there yet.
  const server = await openTeam({ ...admin.target, database: 'system' });
  opened.push(server);
  // Sessions of tests have fixed dates: in the usual class they are kept for as long as there is.
  if (setUp) await setUpTeam(server, { database: 'skein', retention: new Map([['standard', 36_500]]) });

  return {
    url,
    admin,
    server,
    as,
    sql: (query, params) => admin.rows(query, params),
    async addUser(login, roles, password = randomBytes(6).toString('hex')) {
      passwords.set(login, password);
      const name = `\`${login.replace(/[\\`]/g, '\\$&')}\``;
      await server.command(`CREATE USER ${name} IDENTIFIED WITH sha256_password BY ${quoted(password)}`);
      if (roles.length > 0) await server.command(`GRANT ${roles.join(', ')} TO ${name}`);
    },
    received() {
      const list = join(own, 'requests');
      if (!existsSync(list)) return [];
      const bodies = readFileSync(join(own, 'bodies'));
      return readFileSync(list, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => {
          const one: Recorded = JSON.parse(line);
          return { ...one, body: bodies.subarray(one.start, one.start + one.length) };
        });
    },
    fail: (fault, data = null) => order({ kind: 'fail', source: fault.toString(), data: JSON.stringify(data) }),
    works: () => order({ kind: 'fail', source: '() => undefined', data: 'null' }),
    slow: (ms) => order({ kind: 'slow', ms }),
    async stop() {
      for (const team of opened) await team.close();
      if (child.exitCode === null) {
        const gone = once(child, 'exit');
        await order({ kind: 'stop' });
        child.disconnect();
        const late = setTimeout(() => child.kill('SIGKILL'), 5000);
        await gone;
        clearTimeout(late);
      }
      if (folder === undefined) rmSync(own, { recursive: true, force: true });
    },
  };
}

function portOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => {
      if (typeof message === 'object' && message !== null && 'port' in message) resolve(Number(message.port));
    });
    child.once('exit', (code) => reject(new Error(`the test server ended with ${code}`)));
  });
}
