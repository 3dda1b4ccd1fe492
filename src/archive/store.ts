/** Opening the archive: made when it is not there, refused when it is not ours to change. */
import { chmodSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolders } from '../disk/durable.ts';
import { toDiskError } from '../disk/errors.ts';
import { closeFile, openFile } from '../disk/io.ts';
import { ArchiveError, OPENING, toArchiveError } from './errors.ts';
import { ARCHIVE_NAME } from './place.ts';
import { mayWrite, openToRead, refuseToWrite } from './readonly.ts';
import { ADDITIONS, APPLICATION_ID, INDEXES, SCHEMA, SCHEMA_VERSION } from './schema.ts';
import { all, type Database, get, insert, maybeNumber, openDatabase, run, textOf, transaction } from './sqlite.ts';
import { isNew, lookAt, OWN, readStamp, refuseOthers, type Stamp, type Words } from './stamp.ts';

export interface Archive {
  readonly path: string;
  readonly folder: string;
  readonly db: Database;
  close(): void;
}

export interface OpenArchiveOptions {
  /** Made when it is not there. */
  readonly create?: boolean;
  /** It is not going to be changed: one that may only be read will do. */
  readonly reads?: boolean;
}

/** The archive of a folder; undefined when there is none and none is to be made. Throws ArchiveError. */
export function openArchive(folder: string, options: OpenArchiveOptions = {}): Archive | undefined {
  const path = join(folder, ARCHIVE_NAME);
  const stat = statOf(path);
  if (stat === undefined && !options.create) return undefined;
  if (stat !== undefined) refuseFolder(path, stat);
  if (stat !== undefined && options.reads && !mayWrite(path)) return openIfMade(folder);
  return guarded(OPENING, path, () => {
    if (stat !== undefined) {
      refuseToWrite(path);
      lookAt(path);
    }
    makeFolders(folder, true);
    makePrivate(path);
    return openAt(path, folder, options.create === true);
  });
}

/** For those who only read along: undefined also for one that another process is just making. Nothing is made or changed. */
export function openIfMade(folder: string): Archive | undefined {
  const path = join(folder, ARCHIVE_NAME);
  const stat = statOf(path);
  if (stat === undefined) return undefined;
  refuseFolder(path, stat);
  return guarded(OPENING, path, () => {
    const db = openToRead(path);
    return closedOnError(db, () => {
      const stamp = readStamp(db);
      if (stamp.application !== 0 || !isNew(db)) return { ...readAlong(db, path, stamp), folder };
      db.close();
      return undefined;
    });
  });
}

/** undefined where there is none; a folder that cannot be entered may hold one. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const { what, next } = toDiskError(error, OPENING, path);
    throw new ArchiveError({ what, where: path, next, cause: error });
  }
}

function refuseFolder(where: string, stat: Stats): void {
  if (stat.isDirectory())
    throw new ArchiveError({ what: `${OPENING}: a folder is in its place`, where, next: OWN.notOurs });
}

/** The same for a file of any name, such as an export. Its journal is left as it is. */
export function openArchiveFile(path: string, words?: Words): Archive {
  return guarded(OPENING, path, () => {
    const db = openToRead(path);
    return closedOnError(db, () => readAlong(db, path, readStamp(db), words));
  });
}

function readAlong(db: Database, path: string, stamp: Stamp, words?: Words): Archive {
  refuseOthers(stamp, path, words);
  // What it lacks is empty; nothing is written to it.
  addTables(db, 'CREATE TEMP TABLE');
  return { path, folder: '', db, close: () => db.close() };
}

/** One in which nothing was written yet is none. */
function openAt(path: string, folder: string, creates: boolean): Archive | undefined {
  const db = openDatabase(path);
  return closedOnError(db, () => {
    if (!creates && isNew(db)) {
      db.close();
      return undefined;
    }
    if (creates && isNew(db)) create(db);
    refuseOthers(readStamp(db), path);
    addTables(db, 'CREATE TABLE IF NOT EXISTS');
    for (const [name, columns] of Object.entries(INDEXES))
      if (!has(db, name)) db.exec(`CREATE INDEX IF NOT EXISTS ${name} ON ${columns}`);
    // After each commit its data is on the disk itself: a power cut must not lose what the client deletes next.
    db.exec('PRAGMA synchronous = FULL; PRAGMA cache_size = -16000');
    return { path, folder, db, close: () => db.close() };
  });
}

function closedOnError<T>(db: Database, call: () => T): T {
  try {
    return call();
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SQLite's own files beside it get the same mode. */
function makePrivate(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) closeFile(openFile(path, 'a', 0o600));
  else if ((stat.mode & 0o077) !== 0) chmodSync(path, 0o600);
}

function addTables(db: Database, create: string): void {
  const there = new Set(all(db, 'SELECT name FROM sqlite_schema').map((row) => row.name));
  for (const [name, columns] of Object.entries(ADDITIONS)) {
    if (!there.has(name)) db.exec(`${create} ${name} ${columns}`);
  }
}

function has(db: Database, name: string): boolean {
  return get(db, 'SELECT 1 FROM sqlite_schema WHERE name = ?', name) !== undefined;
}

function create(db: Database): void {
  db.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL');
  transaction(db, () => {
    // Another process may have made it meanwhile.
    if (!isNew(db)) return;
    const id = crypto.randomUUID();
    db.exec(SCHEMA);
    run(db, "INSERT INTO meta VALUES ('id', ?), ('next', 1)", id);
    insert(db, 'INSERT INTO origin (key, label) VALUES (?, ?)', id, process.getBuiltinModule('node:os').hostname());
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION}`);
  });
}

export function archiveId(db: Database): string {
  return textOf(get(db, "SELECT value FROM meta WHERE key = 'id'"), 'value');
}

/** Counts what was added or taken out: by it the index knows whether there is anything new to look at. */
export function changesOf(db: Database): number {
  return maybeNumber(get(db, "SELECT value FROM meta WHERE key = 'changes'"), 'value') ?? 0;
}

/** Inside the transaction that changes something. */
export function noteChange(db: Database): void {
  run(db, "INSERT INTO meta VALUES ('changes', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1");
}

/** Runs a piece of work on the archive; what SQLite or the system say of it is told in plain words. */
export function guarded<T>(doing: string, where: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw toArchiveError(error, doing, where);
  }
}
