/** node:sqlite: loaded when first needed, its rows read with their types checked. */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { damaged } from './errors.ts';

export type Database = DatabaseSync;
export type Row = Record<string, SQLOutputValue>;

/** Another process holds the write lock for one step of its work at most; a first sync has many steps. */
const BUSY_MS = 600_000;

export interface OpenOptions {
  readonly readOnly?: boolean;
  /** For a lock that another process holds; true unless told otherwise. */
  readonly waits?: boolean;
}

export function openDatabase(path: string | URL, { readOnly = false, waits = true }: OpenOptions = {}): Database {
  const { DatabaseSync: Opener } = loadSqlite();
  return new Opener(path, { readOnly, timeout: waits ? BUSY_MS : 0 });
}

/** Only SQLite's own ExperimentalWarning is held back, and only while it loads. */
export function loadSqlite() {
  const { emitWarning } = process;
  const quiet = (...args: unknown[]) => {
    if (!(args[1] === 'ExperimentalWarning' && String(args[0]).includes('SQLite')))
      Reflect.apply(emitWarning, process, args);
  };
  process.emitWarning = quiet;
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

const statements = new WeakMap<Database, Map<string, StatementSync>>();

/** A statement is prepared once per database. */
function prepared(db: Database, sql: string): StatementSync {
  const known = statements.get(db)?.get(sql);
  if (known !== undefined) return known;
  const statement = db.prepare(sql);
  const all = statements.get(db) ?? new Map<string, StatementSync>();
  statements.set(db, all.set(sql, statement));
  return statement;
}

export function run(db: Database, sql: string, ...values: SQLInputValue[]): number {
  const statement = prepared(db, sql);
  // Spread again, very many values would go through an iterator.
  return Number(Reflect.apply(statement.run, statement, values).changes);
}

/** The id of the row inserted. */
export function insert(db: Database, sql: string, ...values: SQLInputValue[]): number {
  return Number(prepared(db, sql).run(...values).lastInsertRowid);
}

export function get(db: Database, sql: string, ...values: SQLInputValue[]): Row | undefined {
  return prepared(db, sql).get(...values);
}

export function all(db: Database, sql: string, ...values: SQLInputValue[]): Row[] {
  return prepared(db, sql).all(...values);
}

/** The same with rows as lists of their columns: an object for each of thousands of rows takes five times as long to make. */
export function allLists(db: Database, sql: string, ...values: SQLInputValue[]): SQLOutputValue[][] {
  const statement = db.prepare(sql);
  statement.setReturnArrays(true);
  const rows: unknown[] = statement.all(...values);
  return rows.filter((row) => Array.isArray(row));
}

/** One row at a time, for tables larger than memory should be. The statement is its own: iterations may nest. */
export function each(db: Database, sql: string, ...values: SQLInputValue[]): IterableIterator<Row> {
  return db.prepare(sql).iterate(...values);
}

export function numberOf(row: Row | undefined, column: string): number {
  const value = row?.[column];
  if (typeof value === 'number') return value;
  throw damaged(column, `${describe(value)} where a number should be`);
}

export function textOf(row: Row | undefined, column: string): string {
  const value = row?.[column];
  if (typeof value === 'string') return value;
  throw damaged(column, `${describe(value)} where a text should be`);
}

/** With memory behind it: without any, as SQLite gives it, it would be written back as NULL. */
export const NO_BYTES = Buffer.alloc(1).subarray(1);

export function blobOf(row: Row | undefined, column: string): Buffer {
  const value = row?.[column];
  if (value instanceof Uint8Array)
    return value.length === 0 ? NO_BYTES : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw damaged(column, `${describe(value)} where bytes should be`);
}

export function maybeNumber(row: Row | undefined, column: string): number | undefined {
  return row?.[column] === null || row === undefined ? undefined : numberOf(row, column);
}

export function maybeText(row: Row | undefined, column: string): string | undefined {
  return row?.[column] === null || row === undefined ? undefined : textOf(row, column);
}

function describe(value: SQLOutputValue | undefined): string {
  return value === null || value === undefined ? 'nothing' : `a ${typeof value}`;
}

/** All or nothing. The lock is taken first, so that what the call reads cannot change under it. */
export function transaction<T>(db: Database, call: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = call();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk makes SQLite roll back by itself.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

/** All that the call reads is of one moment, whatever others write meanwhile. */
export function unchanging<T>(db: Database, call: () => T): T {
  db.exec('BEGIN');
  try {
    return call();
  } finally {
    // An error may have ended it.
    if (db.isTransaction) db.exec('COMMIT');
  }
}

/** What this connection changed so far, for tests that count work. */
export function totalChanges(db: Database): number {
  return numberOf(get(db, 'SELECT total_changes() AS changes'), 'changes');
}
