/**
 * The file of everything that is made of the archive alone. It can be deleted at any time, has its own layout version, and
 * nothing of it is ever in the file that holds the only copies.
 */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { closeFile, openFile } from '../../disk/io.ts';
import { ArchiveError, DISK_FULL, sqliteCode } from '../errors.ts';
import { INDEX_NAME } from '../place.ts';
import { openToRead } from '../readonly.ts';
import { keepWalks } from '../search/lastwalk.ts';
import {
  all,
  blobOf,
  type Database,
  get,
  maybeNumber,
  numberOf,
  type OpenOptions,
  openDatabase,
  run,
  textOf,
  transaction,
} from '../sqlite.ts';
import { type Archive, archiveId, guarded } from '../store.ts';
import { DERIVED_SCHEMA, LAYOUT } from './derivedschema.ts';

export { INDEX_NAME };

export interface DerivedIndex {
  readonly path: string;
  readonly db: Database;
  close(): void;
}

/** Opens the index; one that does not fit the archive is emptied, one that cannot be read is made again. */
export function openIndex(archive: Archive, options: Pick<OpenOptions, 'waits'> = {}): DerivedIndex {
  const path = join(archive.folder, INDEX_NAME);
  return guarded('cannot open the index', path, () => {
    const db = openReadable(path, options);
    db.exec('PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8000');
    if (!fits(db, archive)) makeAnew(db, archive);
    return { path, db, close: () => db.close() };
  });
}

/**
 * Puts what was written into the file itself, unless another process is reading: whoever only reads cannot do so, and would go
 * through all that waits beside the file each time.
 */
export function settle(db: Database): void {
  db.exec('PRAGMA busy_timeout = 0');
  get(db, 'PRAGMA wal_checkpoint(TRUNCATE)');
}

/** To read only: nothing is made or changed. undefined when there is none that fits. */
export function openIndexForReading(archive: Archive): DerivedIndex | undefined {
  const path = join(archive.folder, INDEX_NAME);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  return guarded('cannot open the index', path, () => {
    const db = openToRead(path);
    if (fits(db, archive)) return { path, db, close: () => db.close() };
    db.close();
    return undefined;
  });
}

function openReadable(path: string, options: OpenOptions): Database {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) closeFile(openFile(path, 'a', 0o600));
  const db = openDatabase(path, options);
  try {
    get(db, 'SELECT count(*) FROM sqlite_schema');
    return db;
  } catch {
    db.close();
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
    closeFile(openFile(path, 'a', 0o600));
    return openDatabase(path, options);
  }
}

function fits(db: Database, archive: Archive): boolean {
  if (numberOf(get(db, 'PRAGMA user_version'), 'user_version') !== LAYOUT) return false;
  return (
    get(db, "SELECT value FROM meta WHERE key = 'archive'")?.value === archiveId(archive.db) && isOfNow(db, archive)
  );
}

/**
 * An older copy of archive.db may have been put back, and have grown in another way since: then another line, or none, is where the
 * index ended, and all that it tells of what came after the copy was made is wrong.
 */
function isOfNow(db: Database, archive: Archive): boolean {
  const [last, address] = all(db, "SELECT value FROM meta WHERE key IN ('last', 'lastAddress') ORDER BY key");
  if (last === undefined || address === undefined) return true;
  const known = get(archive.db, 'SELECT id FROM piece WHERE hash = ?', blobOf(address, 'value'));
  return maybeNumber(known, 'id') === numberOf(last, 'value');
}

/** In place: another process may have the file open. */
function makeAnew(db: Database, archive: Archive): void {
  db.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL');
  transaction(db, () => {
    if (!fits(db, archive)) makeEmpty(db, archive);
  });
}

function makeEmpty(db: Database, archive: Archive): void {
  // The index of words first: its own tables go with it.
  db.exec('DROP TABLE IF EXISTS words');
  for (const row of all(db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")) {
    db.exec(`DROP TABLE IF EXISTS "${textOf(row, 'name')}"`);
  }
  db.exec(DERIVED_SCHEMA);
  run(db, "INSERT INTO meta VALUES ('archive', ?), ('next', 1)", archiveId(archive.db));
  db.exec(`PRAGMA user_version = ${LAYOUT}`);
}

/** Whether everything was made of the archive as it is after so many changes. */
export function isDerived(archive: Archive, changes: number): boolean {
  if (statSync(join(archive.folder, INDEX_NAME), { throwIfNoEntry: false }) === undefined) return false;
  const { db, close } = openIndex(archive);
  try {
    return get(db, "SELECT value FROM meta WHERE key = 'done'")?.value === changes;
  } finally {
    close();
  }
}

/** `changes`: undefined where something of it still waits. */
export function setDerived(archive: Archive, changes: number | undefined): void {
  const { db, close } = openIndex(archive);
  try {
    transaction(db, () => {
      if (changes !== undefined) run(db, "INSERT OR REPLACE INTO meta VALUES ('done', ?)", changes);
      keepWalks(db, archive.db);
    });
  } finally {
    close();
  }
}

/** What SQLite says of a file that cannot be used as it is: an error in its tables, damage, or no database at all. */
const UNUSABLE = new Set([1, 11, 26]);

export function isUnusable(error: unknown): boolean {
  const code = codeIn(error);
  return code !== undefined && UNUSABLE.has(code);
}

function codeIn(error: unknown): number | undefined {
  const code = sqliteCode(error instanceof ArchiveError ? error.cause : error);
  return code === undefined ? undefined : code & 0xff;
}

/** Takes everything out, also from the pages they lay in. */
export function emptyIndex(archive: Archive): void {
  const path = join(archive.folder, INDEX_NAME);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return;
  try {
    emptyInPlace(archive);
  } catch (error) {
    const isFull = codeIn(error) === DISK_FULL;
    if (!isFull && !isUnusable(error)) throw error;
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
    // It gives its room back; a new one may wait for the next sync.
    if (!isFull) openIndex(archive).close();
  }
}

function emptyInPlace(archive: Archive): void {
  const { db, path, close } = openIndex(archive);
  try {
    guarded('cannot empty the index', path, () => {
      db.exec('PRAGMA secure_delete = ON');
      transaction(db, () => makeEmpty(db, archive));
      db.exec('VACUUM');
      get(db, 'PRAGMA wal_checkpoint(TRUNCATE)');
    });
  } finally {
    close();
  }
}

/** Whatever is wrong with what can be made again: whoever asks reads the transcripts themselves. */
export function quietly<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}
