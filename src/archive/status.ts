/** What is kept, how large it is, and what the client will delete next. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Cleanup, DAY_MS } from './cleanup.ts';
import { allStates } from './files.ts';
import { INDEX_NAME } from './index/derived.ts';
import { countScrubbed } from './scrub/scrubs.ts';
import { type Database, get, numberOf } from './sqlite.ts';
import { type Archive, archiveId, guarded } from './store.ts';
import type { KnownSources } from './sync/known.ts';
import { pathOf, type SourceFile } from './sync/sources.ts';

export interface Kept {
  readonly id: string;
  readonly path: string;
  readonly sessions: number;
  readonly agents: number;
  readonly files: number;
  readonly versions: number;
  /** Of all versions, as they would be restored. */
  readonly rawBytes: number;
  readonly archiveBytes: number;
  /** Of the text index, which can be made again. */
  readonly indexBytes: number;
  /** Everything after copies are stored once, before compression. */
  readonly storedBytes: number;
  /** What was forgotten and is not archived again. */
  readonly tombstones: number;
  /** Versions whose secrets were masked. */
  readonly scrubbed: number;
  /** Machines whose files are here. */
  readonly machines: number;
}

export function keptIn({ db, path, folder }: Archive): Kept {
  return guarded('cannot read the archive', path, () => {
    const count = (sql: string) => numberOf(get(db, `SELECT coalesce((${sql}), 0) AS n`), 'n');
    return {
      id: archiveId(db),
      path,
      sessions: count("SELECT count(DISTINCT session) FROM file WHERE kind = 'session'"),
      agents: count("SELECT count(*) FROM file WHERE kind = 'agent'"),
      files: count('SELECT count(*) FROM file'),
      versions: count('SELECT count(*) FROM version'),
      rawBytes: count('SELECT sum(size) FROM version'),
      storedBytes: count('SELECT sum(raw) FROM pack'),
      archiveBytes: sizeOf(path) + sizeOf(`${path}-wal`),
      indexBytes: sizeOf(join(folder, INDEX_NAME)) + sizeOf(join(folder, `${INDEX_NAME}-wal`)),
      tombstones: count('SELECT count(*) FROM tombstone'),
      scrubbed: countScrubbed(db),
      machines: count('SELECT count(DISTINCT origin) FROM root'),
    };
  });
}

/** Of all versions of some files. */
export function versionBytes(db: Database, files: readonly { readonly id: number }[]): number {
  const sql = 'SELECT coalesce(sum(size), 0) AS n FROM version WHERE file = ?';
  return files.reduce((sum, { id }) => sum + numberOf(get(db, sql, id), 'n'), 0);
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** How a file on disk stands to the archive. */
export interface Standing {
  /** On disk, and the archive has all of it. */
  readonly archived: number;
  /** On disk, not archived or changed since. */
  readonly waiting: number;
  /** Only in the archive: the source is gone. */
  readonly gone: number;
}

export function standingOf(known: KnownSources, files: readonly SourceFile[]): Standing {
  const archived = files.filter((file) => known.isArchived(file)).length;
  const there = files.filter((file) => known.has(file)).length;
  return { archived, waiting: files.length - archived, gone: known.count - there };
}

/** Of the files that other machines archived those that no file of this disk is the same as: they are only in the archive, too. */
export function goneElsewhere(db: Database, files: readonly SourceFile[]): number {
  const own = archiveId(db);
  const states = allStates(db);
  const theirs = states.filter(({ origin }) => origin !== own);
  if (theirs.length === 0) return 0;
  const paths = new Set(files.map((file) => pathOf(file)));
  const here = states.filter((state) => state.origin === own && paths.has(pathOf(state)));
  const known = new Set(here.map(({ digest }) => digest.toString('latin1')));
  return theirs.filter(({ digest }) => !known.has(digest.toString('latin1'))).length;
}

export interface Deletion {
  readonly file: SourceFile;
  readonly at: Date;
}

/** The latest a Date can be, and without the sign the earliest. */
const LAST_MS = 8.64e15;

/** Settings and times of files say anything. */
export function dateOf(ms: number): Date {
  return new Date(Math.max(-LAST_MS, Math.min(LAST_MS, ms)));
}

/** Sessions in the order in which the client will delete them. */
export function deletionsOf(files: readonly SourceFile[], cleanup: (root: string) => Cleanup): Deletion[] {
  return files
    .filter(({ kind }) => kind === 'session')
    .map((file) => ({ file, at: dateOf(file.mtimeMs + cleanup(file.root).days * DAY_MS) }))
    .sort((a, b) => a.at.getTime() - b.at.getTime());
}
