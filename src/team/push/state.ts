/**
 * What was sent to one target, kept beside the archive. A line is put down before it is sent, and as sent when the server took it:
 * whatever happens between, nothing that may lie there is forgotten. Names and hashes only, nothing that was said.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ArchiveError } from '../../archive/errors.ts';
import { type Database, get, numberOf, openDatabase, run, textOf, transaction } from '../../archive/sqlite.ts';
import { guarded } from '../../archive/store.ts';
import { makeFolders } from '../../disk/durable.ts';
import { closeFile, openFile } from '../../disk/io.ts';
import type { TeamTarget } from '../connect.ts';

const LAYOUT = 1;

/**
 * file: as it was last pushed whole (digest, fingerprint), or only looked at. line, other: the rows of a file; hash NULL: it may have
 * arrived. gone: rows to be taken back. recall: sessions that are not pushed.
 */
const SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE file (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, session TEXT NOT NULL, name TEXT NOT NULL, machine TEXT NOT NULL,
  looked TEXT, cwds TEXT, digest TEXT, fingerprint TEXT, size INTEGER
);
CREATE INDEX file_session ON file (session);
CREATE TABLE line (
  file INTEGER NOT NULL, n INTEGER NOT NULL, id TEXT NOT NULL, identity TEXT, places INTEGER NOT NULL, time TEXT NOT NULL,
  inner_time TEXT, hash TEXT, PRIMARY KEY (file, n)
) WITHOUT ROWID;
CREATE TABLE other (
  file INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, time TEXT NOT NULL, hash TEXT,
  PRIMARY KEY (file, kind, key)
) WITHOUT ROWID;
CREATE TABLE gone (
  file INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, time TEXT NOT NULL, PRIMARY KEY (file, kind, key, time)
) WITHOUT ROWID;
CREATE TABLE recall (session TEXT PRIMARY KEY, by TEXT NOT NULL, reason TEXT NOT NULL, told INTEGER NOT NULL) WITHOUT ROWID;
`;

export interface PushState {
  readonly path: string;
  readonly db: Database;
  /** Known here alone. */
  readonly secret: string;
  /** Larger than all before, whatever the clock says. */
  nextVersion(now: number): number;
  close(): void;
}

function targetKey({ url, database, user }: Pick<TeamTarget, 'url' | 'database' | 'user'>): string {
  return createHash('sha256').update([url, database, user].join('\0')).digest('hex').slice(0, 16);
}

export function statePath(folder: string, target: Pick<TeamTarget, 'url' | 'database' | 'user'>): string {
  return join(folder, 'team', `${targetKey(target)}.sqlite`);
}

export function openPushState(path: string): PushState {
  return guarded('cannot open what is known of earlier pushes', path, () => {
    makeFolders(join(path, '..'), true);
    closeFile(openFile(path, 'a', 0o600));
    const db = openDatabase(path);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    const layout = numberOf(get(db, 'PRAGMA user_version'), 'user_version');
    if (layout > LAYOUT) {
      db.close();
      const next =
        'Use that version. Without the file the next push sends everything again, and takes nothing back by itself.';
      throw new ArchiveError({
        what: 'what is known of earlier pushes was written by a newer version of Skein',
        where: path,
        next,
      });
    }
    if (layout !== LAYOUT) {
      transaction(db, () => {
        if (numberOf(get(db, 'PRAGMA user_version'), 'user_version') === LAYOUT) return;
        db.exec(SCHEMA);
        run(db, "INSERT INTO meta VALUES ('secret', ?), ('version', 0)", randomBytes(32).toString('hex'));
        db.exec(`PRAGMA user_version = ${LAYOUT}`);
      });
    }
    const secret = textOf(get(db, "SELECT value FROM meta WHERE key = 'secret'"), 'value');
    return {
      path,
      db,
      secret,
      nextVersion(now) {
        const before = numberOf(get(db, "SELECT value FROM meta WHERE key = 'version'"), 'value');
        const version = Math.max(Math.round(now), before + 1);
        run(db, "UPDATE meta SET value = ? WHERE key = 'version'", version);
        return version;
      },
      close: () => db.close(),
    };
  });
}
