/** Which file of the disk an archived one was when it was last read. */
import { type Database, get, maybeText, run } from '../sqlite.ts';

/** Another file is in its place: size and end alone do not tell that it begins as the old one did. */
export function wasReplaced(db: Database, file: number, identity: string | undefined): boolean {
  const known = maybeText(get(db, 'SELECT identity FROM place WHERE file = ?', file), 'identity');
  return known !== undefined && identity !== undefined && known !== identity;
}

export function saveIdentity(db: Database, file: number, identity: string | undefined): void {
  if (identity === undefined) return;
  run(db, 'INSERT OR REPLACE INTO place (file, identity) VALUES (?, ?)', file, identity);
}

export function noteImported(db: Database, file: number): void {
  run(db, 'INSERT OR IGNORE INTO imported (file) VALUES (?)', file);
}

/** It came with another archive, and no sync has read it here since. */
export function wasOnlyImported(db: Database, file: number): boolean {
  if (get(db, 'SELECT 1 FROM imported WHERE file = ?', file) === undefined) return false;
  return get(db, 'SELECT 1 FROM place WHERE file = ?', file) === undefined;
}
