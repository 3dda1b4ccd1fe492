/** How the archive's troubles are told: what happened, where, and what to do next. */
import { codeOf, DiskError, toDiskError } from '../disk/errors.ts';

/** The work cannot go on; what was archived before is as it was. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
  readonly where: string;
  readonly next: string;

  constructor(story: { what: string; where: string; next: string; cause?: unknown }) {
    super(story.what, { cause: story.cause });
    this.where = story.where;
    this.next = story.next;
  }
}

export const OPENING = 'cannot open the archive';
export const RESTORING = 'cannot restore';

/** What SQLite calls a file whose pages are not what they should be. */
export const DAMAGED = 11;
/** What it says where there is no room left. */
export const DISK_FULL = 13;

const ANEW = 'skein archive sync then begins a new one, and skein archive import FILE takes in an export of the old';
/** What helps where SQLite itself cannot read the file: neither a check nor a full sync can go over it. */
export const SAVED = `Keep a copy of archive.db, and save what can be read of it: skein archive restore --all --to DIR. Then move it away: ${ANEW}.`;
/** Where that does not go either. */
const LOST = `Keep a copy of archive.db and move it away: ${ANEW}.`;

/** By SQLite's primary result code. */
const REASONS: ReadonlyMap<number, readonly [why: string, next: string]> = new Map([
  [5, ['another process is writing to the archive', 'Nothing is lost; run it again when the other is done.']],
  [8, ['the archive may not be written to', 'Change its permissions, or run as the user it belongs to.']],
  [10, ['the disk reported an error', 'Free some space or check the disk, then run it again: nothing is lost.']],
  [DAMAGED, ['the archive is damaged', SAVED]],
  [DISK_FULL, ['the disk is full', 'Free some space and run it again; what was archived before is kept.']],
  [14, ['the archive cannot be opened', 'Check that the folder exists and may be written to.']],
  [26, ['the file is not an archive', 'Move it away, or set SKEIN_HOME to another folder.']],
]);

/** A failed call to SQLite or the system, told as an ArchiveError; any other error as it is. */
export function toArchiveError(error: unknown, doing: string, where: string): unknown {
  const code = sqliteCode(error);
  if (code !== undefined && error instanceof Error) {
    const [why, next] = REASONS.get(code & 0xff) ?? [error.message, 'Run it again; if it stays: skein archive verify'];
    const isLost = (code & 0xff) === DAMAGED && (doing === OPENING || doing === RESTORING);
    return new ArchiveError({ what: `${doing}: ${why}`, where, next: isLost ? LOST : next, cause: error });
  }
  if (error instanceof DiskError || codeOf(error) === undefined) return error;
  return toDiskError(error, doing, where);
}

/** What SQLite says where a file, or one it needs beside it, cannot be opened. */
export const CANNOT_OPEN = 14;
/** The same where a folder lets nothing be made in it. */
export const FOLDER_IS_READ_ONLY = 1544;
/** What SQLite calls a file that is no database. */
export const NOT_A_DATABASE = 26;

export function sqliteCode(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined;
}

export function damaged(where: string, what: string): ArchiveError {
  const next = 'See what is affected: skein archive verify';
  return new ArchiveError({ what: `the archive is damaged: ${what}`, where, next });
}
