/** Archives that may only be read: on a file system that is mounted so, or in a folder of somebody else's. */
import { accessSync, constants, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ArchiveError, CANNOT_OPEN, FOLDER_IS_READ_ONLY, sqliteCode } from './errors.ts';
import { type Database, get, openDatabase } from './sqlite.ts';

/** Whether a file and what SQLite lays beside it may be written. */
export function mayWrite(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    if (statSync(path, { throwIfNoEntry: false }) !== undefined) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens a database to read it. Even then SQLite wants to make a file beside one that is written in its present way; where it
 * cannot, the file is read as one that does not change, which holds only if nothing of it is still in the journal.
 */
export function openToRead(path: string): Database {
  const db = openDatabase(path, { readOnly: true });
  try {
    get(db, 'PRAGMA application_id');
    return db;
  } catch (error) {
    // Whoever reads it will tell what else is wrong.
    const code = sqliteCode(error);
    if ((code !== CANNOT_OPEN && code !== FOLDER_IS_READ_ONLY) || mayWrite(path)) return db;
    db.close();
    if (hasJournal(path)) throw journalOf(path, error);
    const url = pathToFileURL(path);
    url.searchParams.set('immutable', '1');
    return openDatabase(url, { readOnly: true });
  }
}

export function hasJournal(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function journalOf(path: string, cause: unknown): ArchiveError {
  const name = basename(path);
  return new ArchiveError({
    what: `what was written last is still in ${name}-wal, and this folder may not be written to`,
    where: path,
    next: `Copy ${name} and ${name}-wal to a folder of your own and set SKEIN_HOME to it, or open it once where it may be written to.`,
    cause,
  });
}

/** For whoever would change it. */
export function refuseToWrite(path: string): void {
  if (mayWrite(path)) return;
  throw new ArchiveError({
    what: 'the archive may not be written to',
    where: path,
    next: 'It can be read: list, show, search, archive verify, restore and export. To write, change its permissions, or set SKEIN_HOME to another folder.',
  });
}
