/** Whose a SQLite file is, and of which layout. */
import { closeFile, openFile, readAt } from '../disk/io.ts';
import { ArchiveError, NOT_A_DATABASE, sqliteCode } from './errors.ts';
import { hasJournal, openToRead } from './readonly.ts';
import { APPLICATION_ID, SCHEMA_VERSION } from './schema.ts';
import { type Database, get, numberOf } from './sqlite.ts';

/** What to do about a file that cannot be used: the archive itself, or one that somebody named. */
export interface Words {
  readonly notOurs: string;
  readonly another: (age: string) => string;
}

export const OWN: Words = {
  notOurs: 'It was not touched. Move it away, or set SKEIN_HOME to another folder.',
  another: (age) => `It was not touched. Use ${age} Skein, or set SKEIN_HOME to another folder.`,
};

/** By these SQLite files of different programs and layouts are told apart. */
export interface Stamp {
  readonly application: number;
  readonly layout: number;
}

export function readStamp(db: Database): Stamp {
  try {
    return { application: pragma(db, 'application_id'), layout: pragma(db, 'user_version') };
  } catch (error) {
    // No database at all: of no program.
    if (sqliteCode(error) !== NOT_A_DATABASE) throw error;
    return { application: Number.NaN, layout: 0 };
  }
}

/** Refuses what is not ours before anything is done to it: opened to be written, SQLite would tidy up its journal. */
export function lookAt(path: string): void {
  const stamp = hasJournal(path) ? stampByReading(path) : stampOf(path);
  if (stamp !== undefined) refuseOthers(stamp, path);
}

/** What was written last may be in the journal alone. */
function stampByReading(path: string): Stamp | undefined {
  const db = openToRead(path);
  try {
    return isNew(db) ? undefined : readStamp(db);
  } finally {
    db.close();
  }
}

const MAGIC = Buffer.from('SQLite format 3\0');
const HEADER_BYTES = 100;

/** From its header, without SQLite: that leaves files beside it even where it only reads. undefined where nothing was written yet. */
function stampOf(path: string): Stamp | undefined {
  const header = Buffer.alloc(HEADER_BYTES);
  const fd = openFile(path);
  try {
    if (readAt(fd, header, 0) === 0) return undefined;
  } finally {
    closeFile(fd);
  }
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) return { application: Number.NaN, layout: 0 };
  const stamp = { application: header.readInt32BE(68), layout: header.readInt32BE(60) };
  // One page without a table: another process is making it.
  return stamp.application === 0 && header.readUInt32BE(28) <= 1 ? undefined : stamp;
}

export function isNew(db: Database): boolean {
  return pragma(db, 'application_id') === 0 && numberOf(get(db, 'SELECT count(*) AS n FROM sqlite_schema'), 'n') === 0;
}

export function refuseOthers({ application, layout }: Stamp, path: string, words = OWN): void {
  if (Number.isNaN(application)) {
    const what = 'cannot open the archive: the file is not an archive';
    throw new ArchiveError({ what, where: path, next: words.notOurs });
  }
  if (application !== APPLICATION_ID)
    throw new ArchiveError({ what: "the file is not Skein's archive", where: path, next: words.notOurs });
  if (layout === SCHEMA_VERSION) return;
  const age = layout > SCHEMA_VERSION ? 'a newer' : 'an older';
  throw new ArchiveError({
    what: `the archive was made by ${age} Skein (layout ${layout}; this one reads ${SCHEMA_VERSION})`,
    where: path,
    next: words.another(age),
  });
}

function pragma(db: Database, name: string): number {
  return numberOf(get(db, `PRAGMA ${name}`), name);
}
