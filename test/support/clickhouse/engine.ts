/** ClickHouse in this process (chdb), asked one thing after the other: by the administrator as it stands, by others with their rights. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Session } from 'chdb';
import { type Access, isAccessStatement } from './access.ts';
import { asLogin, bare, denied, notUnderstood, quoted, SqlError, splitFormat, withParams, wordsOf } from './sql.ts';

export interface Asked {
  readonly login: string;
  readonly sql: string;
  /** What an insert brings. */
  readonly data: Buffer | undefined;
  readonly database: string;
  /** As they travel. */
  readonly params: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly bytes: Uint8Array;
  readonly readRows: number;
  readonly writtenRows: number;
}

export interface Engine {
  run(asked: Asked): Promise<Answer>;
  close(): Promise<void>;
}

const NOTHING: Answer = { bytes: new Uint8Array(0), readRows: 0, writtenRows: 0 };
/** The views that others' queries run in. */
const VIEWS = 'asked_by_others';

export async function createEngine(folder: string, access: Access, admin: string): Promise<Engine> {
  const users = join(folder, 'users.xml');
  const config = join(folder, 'config.xml');
  mkdirSync(folder, { recursive: true });
  const cluster = '<one><shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard></one>';
  writeFileSync(
    config,
    `<clickhouse><users_config>${users}</users_config><remote_servers>${cluster}</remote_servers></clickhouse>`,
  );
  let session = open();
  let edition = access.edition;
  let views = 0;
  let used = '';
  const held = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();
  await session.queryAsync(`CREATE DATABASE IF NOT EXISTS ${VIEWS}`);

  function open(): Session {
    writeFileSync(users, access.usersXml());
    return new Session(join(folder, 'data'), { connectionArgs: [`--config-file=${config}`] });
  }

  /** Users changed since it was opened: it reads them when it starts. */
  function refresh(login: string): void {
    if (login === admin || edition === access.edition) return;
    edition = access.edition;
    session.close();
    session = open();
    used = '';
    held.clear();
  }

  async function query(sql: string, format = 'TabSeparated'): Promise<Answer> {
    const result = await session.queryAsync(sql, { format });
    return { bytes: result.bytes(), readRows: result.rowsRead, writtenRows: 0 };
  }

  /** As it stands, with the engine's own parameters. */
  async function plain({ sql, params }: Asked): Promise<Answer> {
    withParams(sql, params);
    for (const [name, wire] of Object.entries(params)) {
      if (!/^\w+$/.test(name)) throw notUnderstood(`the parameter ${name}`);
      await query(`SET param_${name} = ${quoted(wire)}`);
    }
    return query(sql);
  }

  /** The engine keeps them from one statement to the next: only what differs is said. */
  async function set({ database, settings }: Asked): Promise<void> {
    if (database !== used) await query(`USE \`${database.replace(/[\\`]/g, '\\$&')}\``);
    used = database;
    for (const name of new Set([...Object.keys(settings), ...held.keys()])) {
      if (!/^\w+$/.test(name)) throw notUnderstood(`the setting ${name}`);
      const value = settings[name];
      if (value === held.get(name)) continue;
      await query(`SET ${name} = ${value === undefined ? 'DEFAULT' : quoted(value)}`);
      if (value === undefined) held.delete(name);
      else held.set(name, value);
    }
  }

  async function answer(asked: Asked): Promise<Answer> {
    const { login, sql } = asked;
    const [first = ''] = wordsOf(sql);
    const kind = first.toUpperCase();
    if (isAccessStatement(sql)) {
      if (login !== admin) throw denied(login, 'ACCESS MANAGEMENT ON *.*');
      // The engine says whether it is one.
      await query(`EXPLAIN AST ${sql}`);
      access.apply(sql);
      return NOTHING;
    }
    if (kind === 'INSERT' && asked.data !== undefined) return insert(asked);
    if (login === admin) return plain(asked);
    if (['SELECT', 'WITH', '('].includes(kind)) return select(asked);
    await mayChange(asked);
    return plain(asked);
  }

  /** As the login: a view whose definer it is has its rights and sees its rows, by the engine's own doing. */
  async function select({ login, sql, params }: Asked): Promise<Answer> {
    const { query: text, format } = splitFormat(asLogin(withParams(sql, params), login));
    const view = `${VIEWS}.v${views++}`;
    await query(`CREATE VIEW ${view} DEFINER = \`${access.engineName(login)}\` SQL SECURITY DEFINER AS ${text}`);
    try {
      return await query(`SELECT * FROM ${view}`, format);
    } finally {
      await query(`DROP VIEW ${view}`);
    }
  }

  /** The engine would insert as the administrator: columns are checked here, and the login is put where it would have put it. */
  async function insert({ login, sql, data = Buffer.alloc(0), database }: Asked): Promise<Answer> {
    const words = wordsOf(sql.trim());
    let at = 2;
    if (words[0]?.toUpperCase() !== 'INSERT' || words[1]?.toUpperCase() !== 'INTO') throw notUnderstood(sql);
    const names = [bare(words[at++] ?? '')];
    if (words[at] === '.') {
      names.push(bare(words[at + 1] ?? ''));
      at += 2;
    }
    const columns: string[] = [];
    if (words[at] === '(')
      for (at++; at < words.length && words[at - 1] !== ')'; at += 2) columns.push(bare(words[at] ?? ''));
    const [format = '', name = '', ...rest] = words.slice(at);
    if (format.toUpperCase() !== 'FORMAT' || name !== 'JSONEachRow' || rest.length > 0) throw notUnderstood(sql);
    const table = names.at(-1) ?? '';
    const into = names.length > 1 ? (names[0] ?? '') : database;
    const full = `${into}.${table}`;
    const list = (some: readonly string[]) => (some.length > 0 ? `(${some.join(', ')})` : '');
    if (login === admin) return load(full, columns, data);
    if (!access.has(login, 'INSERT', into, table, columns)) throw denied(login, `INSERT${list(columns)} ON ${full}`);
    const filled = await filledBy(into, table);
    if (filled.length === 0) return load(full, columns, data);
    const values = filled.map((column) => `${JSON.stringify(column)}:${JSON.stringify(login)},`).join('');
    const rows = Buffer.from(data.toString('utf8').replace(/^\s*\{/gm, `{${values}`));
    return load(full, [...columns, ...filled], rows, { insert_allow_materialized_columns: 1 });
  }

  async function load(table: string, columns: readonly string[], values: Buffer, settings = {}): Promise<Answer> {
    if (!/^[\w.]+$/.test(table)) {
      // The quick way takes plain names only.
      const name = table.split('.').map((part) => `\`${part.replace(/[\\`]/g, '\\$&')}\``);
      return query(
        `INSERT INTO ${name.join('.')} (${columns.join(', ')}) FORMAT JSONEachRow\n${values.toString('utf8')}`,
      );
    }
    const some = { ...(columns.length > 0 && { columns }), settings };
    const done = await session.insert({ table, values, format: 'JSONEachRow', ...some });
    return { ...NOTHING, writtenRows: done.rowsWritten };
  }

  /** Columns that the server fills in with the login. */
  async function filledBy(database: string, table: string): Promise<string[]> {
    const where = `database = ${quoted(database)} AND table = ${quoted(table)} AND default_expression = 'currentUser()'`;
    const { bytes } = await query(`SELECT name FROM system.columns WHERE ${where}`);
    return Buffer.from(bytes).toString('utf8').split('\n').filter(Boolean);
  }

  /** What others may do besides reading and inserting: delete rows, where that was granted. */
  async function mayChange({ login, sql, database }: Asked): Promise<void> {
    const words = wordsOf(sql);
    const upper = words.map((word) => word.toUpperCase());
    const at = upper[0] === 'ALTER' && upper[1] === 'TABLE' ? 2 : upper[0] === 'DELETE' && upper[1] === 'FROM' ? 2 : -1;
    const names = [bare(words[at] ?? '')];
    const qualified = words[at + 1] === '.';
    if (qualified) names.push(bare(words[at + 2] ?? ''));
    const next = at + (qualified ? 3 : 1);
    if (at < 0 || (upper[0] === 'ALTER' && upper[next] !== 'DELETE')) throw denied(login, `${upper[0]} …`);
    const [into = '', table = ''] = qualified ? names : [database, names[0]];
    if (!access.has(login, 'ALTER DELETE', into, table)) throw denied(login, `ALTER DELETE ON ${into}.${table}`);
  }

  return {
    run(asked) {
      const work = async () => {
        refresh(asked.login);
        await set(asked);
        return answer(asked);
      };
      const next = last.then(work, work);
      last = next.catch(() => undefined);
      return next;
    },
    async close() {
      await last;
      session.close();
    },
  };
}

/** Any error in the server's words. */
export function told(error: unknown): SqlError {
  if (error instanceof SqlError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const [, code = '1002', message = text] = /Code: (\d+)\. DB::Exception: ([\s\S]*)/.exec(text) ?? [];
  const [, type = 'UNKNOWN_EXCEPTION'] = /\(([A-Z_0-9]{3,})\)\s*$/.exec(message) ?? [];
  return new SqlError(Number(code), message.replace(/\s*\([A-Z_0-9]{3,}\)\s*$/, ''), type);
}
