/** How far pieces go: the archive's, and those that its index has. */
import { type Database, get, numberOf } from '../sqlite.ts';

/** Of an archive that has nothing yet this is the next one. */
export const FIRST_PIECE = 1;

/** The first that is not there yet. */
export function nextOf(db: Database): number {
  return numberOf(get(db, "SELECT value FROM meta WHERE key = 'next'"), 'value');
}
