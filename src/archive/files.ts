/** The rows of files and their versions. */
import {
  all,
  blobOf,
  type Database,
  get,
  insert,
  maybeNumber,
  maybeText,
  numberOf,
  type Row,
  run,
  textOf,
} from './sqlite.ts';

/** How a file is known, on whatever machine it lay. */
export interface FileKey {
  /** The archive that first took it. */
  readonly origin: string;
  readonly label?: string;
  /** The config folder it lay in. */
  readonly root: string;
  /** Its path below that, with slashes. */
  readonly name: string;
  readonly kind: string;
}

export interface ArchivedFile extends FileKey {
  readonly id: number;
  readonly session: string | undefined;
  readonly current: number | undefined;
  /** Of the source when it was last archived. */
  readonly mtimeMs: number;
}

export interface Version {
  readonly id: number;
  readonly file: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly chain: Buffer;
  readonly digest: Buffer;
  readonly tail: Buffer;
}

const COLUMNS = `file.id, origin.key AS origin, origin.label, root.path AS root, file.name, file.kind, file.session,
  file.current, file.mtime`;
const TABLES = 'file JOIN root ON root.id = file.root JOIN origin ON origin.id = root.origin';
const FILE_SQL = `SELECT ${COLUMNS} FROM ${TABLES}`;

export function findFile(db: Database, { origin, root, name }: FileKey): ArchivedFile | undefined {
  const row = get(db, `${FILE_SQL} WHERE origin.key = ? AND root.path = ? AND file.name = ?`, origin, root, name);
  return row && toFile(row);
}

/** In the order of roots and names. */
export function allFiles(db: Database): ArchivedFile[] {
  return all(db, `${FILE_SQL} ORDER BY origin.id, root.path, file.name`).map(toFile);
}

/** A file in the state that was last seen of it. */
export interface ArchivedState extends ArchivedFile {
  readonly version: number;
  readonly size: number;
  /** Of the file it was taken from: another one only after a scrub. */
  readonly sourceSize: number;
  readonly digest: Buffer;
}

export function allStates(db: Database): ArchivedState[] {
  const sql = `SELECT ${COLUMNS}, version.size, version.digest, coalesce(scrub.size, version.size) AS source
    FROM ${TABLES} JOIN version ON version.id = file.current LEFT JOIN scrub ON scrub.version = version.id ORDER BY origin.id, root.path, file.name`;
  return all(db, sql).map((row) => {
    const [version, size] = [numberOf(row, 'current'), numberOf(row, 'size')];
    return { ...toFile(row), version, size, sourceSize: numberOf(row, 'source'), digest: blobOf(row, 'digest') };
  });
}

function toFile(row: Row): ArchivedFile {
  return {
    id: numberOf(row, 'id'),
    origin: textOf(row, 'origin'),
    label: textOf(row, 'label'),
    root: textOf(row, 'root'),
    name: textOf(row, 'name'),
    kind: textOf(row, 'kind'),
    session: maybeText(row, 'session'),
    current: maybeNumber(row, 'current'),
    mtimeMs: numberOf(row, 'mtime'),
  };
}

export function addFile(db: Database, key: FileKey, session: string | undefined): number {
  const known = get(db, 'SELECT id FROM origin WHERE key = ?', key.origin);
  const origin = known
    ? numberOf(known, 'id')
    : insert(db, 'INSERT INTO origin (key, label) VALUES (?, ?)', key.origin, key.label ?? '');
  run(db, 'INSERT OR IGNORE INTO root (origin, path) VALUES (?, ?)', origin, key.root);
  const root = numberOf(get(db, 'SELECT id FROM root WHERE origin = ? AND path = ?', origin, key.root), 'id');
  const sql = 'INSERT INTO file (root, name, kind, session, mtime) VALUES (?, ?, ?, ?, 0)';
  return insert(db, sql, root, key.name, key.kind, session ?? null);
}

const VERSION_SQL = 'SELECT id, file, size, mtime, chain, digest, tail FROM version';

export function versionOf(db: Database, id: number): Version {
  return toVersion(get(db, `${VERSION_SQL} WHERE id = ?`, id));
}

/** undefined when it is not there. */
export function findVersion(db: Database, id: number): Version | undefined {
  const row = get(db, `${VERSION_SQL} WHERE id = ?`, id);
  return row && toVersion(row);
}

/** Oldest first. */
export function versionsOf(db: Database, file: number): Version[] {
  return all(db, `${VERSION_SQL} WHERE file = ? ORDER BY id`, file).map(toVersion);
}

function toVersion(row: Row | undefined): Version {
  return {
    id: numberOf(row, 'id'),
    file: numberOf(row, 'file'),
    size: numberOf(row, 'size'),
    mtimeMs: numberOf(row, 'mtime'),
    chain: blobOf(row, 'chain'),
    digest: blobOf(row, 'digest'),
    tail: blobOf(row, 'tail'),
  };
}

export function saveVersion(db: Database, { id, size, mtimeMs, chain, digest, tail }: Version): void {
  const sql = 'UPDATE version SET size = ?, mtime = ?, chain = ?, digest = ?, tail = ? WHERE id = ?';
  run(db, sql, size, mtimeMs, chain, digest, tail, id);
}

export function dropVersion(db: Database, id: number): void {
  run(db, 'DELETE FROM run WHERE version = ?', id);
  run(db, 'DELETE FROM scrub WHERE version = ?', id);
  run(db, 'DELETE FROM cut WHERE version = ?', id);
  run(db, 'DELETE FROM version WHERE id = ?', id);
}

export function dropFile(db: Database, id: number): void {
  for (const version of versionsOf(db, id)) dropVersion(db, version.id);
  run(db, 'DELETE FROM place WHERE file = ?', id);
  run(db, 'DELETE FROM seen WHERE file = ?', id);
  run(db, 'DELETE FROM imported WHERE file = ?', id);
  run(db, 'DELETE FROM file WHERE id = ?', id);
}

export function setSession(db: Database, file: number, session: string): void {
  run(db, 'UPDATE file SET session = ? WHERE id = ?', session, file);
}

/** Which version the source has now, and its mtime: what tells the next sync that nothing changed. */
export function setCurrent(db: Database, file: number, version: number, mtimeMs: number): void {
  run(db, 'UPDATE file SET current = ?, mtime = ? WHERE id = ?', version, mtimeMs, file);
}
