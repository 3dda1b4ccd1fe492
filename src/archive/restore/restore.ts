/** Writes archived files back, byte for byte, with their mtime where that does not get them deleted. What is there and differs is left alone. */
import { lstatSync, type Stats, statSync, utimesSync } from 'node:fs';
import { writeInParts } from '../../disk/durable.ts';
import { DiskError } from '../../disk/errors.ts';
import { clearing } from '../../disk/killed.ts';
import { ArchiveError, damaged, RESTORING, sqliteCode, toArchiveError } from '../errors.ts';
import { type ArchivedFile, type Version, versionOf, versionsOf } from '../files.ts';
import { checkedBytes } from '../pieces/read.ts';
import { isMasked, sourceOf } from '../scrub/scrubs.ts';
import type { Database } from '../sqlite.ts';
import { type Archive, guarded } from '../store.ts';
import { modeOf } from '../sync/ingest.ts';
import { pathOf, type SourceFile } from '../sync/sources.ts';
import { atOnce, inTurns, type Work } from '../turns.ts';
import { begins, digestOf, type FindMoved, movedAmong, type State } from './restoremoved.ts';
import { foldersOf, isElsewhere, isInside, leadsOut, ownFiles } from './restoreplaces.ts';
import { keepTimes, type Renewing, renewOld } from './restoretimes.ts';

export interface RestoreOptions {
  /** Below this folder instead of where the files came from. */
  readonly to?: string;
  /** Replace files that are newer or different. */
  readonly force?: boolean;
  /** 1 is the oldest; without it the one last seen. */
  readonly version?: number;
  /** Also where the client deletes them again, by their age. Below `to` it looks for nothing. */
  readonly keepTimes?: boolean;
  readonly now?: Date;
  /** What lies on the disk: what only moved to the folder of another project is left there. */
  readonly onDisk?: readonly SourceFile[];
  readonly signal?: AbortSignal;
  readonly onFile?: (file: { readonly bytes: number }) => void;
}

/**
 * same: already there · kept: something else is there and was not replaced · moved: it lies in the folder of another project ·
 * missing: no such version · damaged: nothing was written · refused: its name, or a link on its way, leads out of the folder · foreign: it is another machine's, which goes only
 * below a folder that was named · failed: the disk did not take it.
 */
export type Restored =
  | 'restored'
  | 'same'
  | 'kept'
  | 'moved'
  | 'missing'
  | 'damaged'
  | 'refused'
  | 'foreign'
  | 'failed';

export interface RestoredFile {
  readonly file: ArchivedFile;
  readonly path: string;
  readonly bytes: number;
  readonly outcome: Restored;
  /** What happened, where the outcome alone does not say it. */
  readonly why?: string;
  /** Its secrets are masked. */
  readonly scrubbed: boolean;
  /** It got the present time: by its own the client would delete it again. */
  readonly renewed?: boolean;
}

export function restore(
  archive: Archive,
  files: readonly ArchivedFile[],
  options: RestoreOptions = {},
): RestoredFile[] {
  return guarded(RESTORING, archive.path, () => atOnce(restoreAll(archive, files, options)));
}

/** The same, stopped by the signal at any moment: a file is there as a whole or not at all. */
export async function restoreInTurns(
  archive: Archive,
  files: readonly ArchivedFile[],
  options: RestoreOptions = {},
): Promise<RestoredFile[]> {
  try {
    return await inTurns(restoreAll(archive, files, options));
  } catch (error) {
    throw toArchiveError(error, RESTORING, archive.path);
  }
}

function* restoreAll({ db }: Archive, files: readonly ArchivedFile[], options: RestoreOptions): Work<RestoredFile[]> {
  const folderOf = foldersOf(files, options.to);
  const isOwn = ownFiles(db);
  const clear = clearing();
  const { now = new Date() } = options;
  const renew = options.to !== undefined || options.keepTimes ? keepTimes : renewOld(now.getTime());
  const findMoved = movedAmong(options.onDisk ?? []);
  const results: RestoredFile[] = [];
  for (const file of files) {
    if (options.signal?.aborted) break;
    const path = pathOf(file, folderOf(file));
    const foreign = options.to === undefined && !isOwn(file);
    const result = foreign ? FOREIGN : yield* restoreFile(db, file, path, { ...options, clear, renew, findMoved });
    if (result === undefined) break;
    results.push({ file, path, ...result });
    options.onFile?.({ bytes: result.bytes });
  }
  return results;
}

type Result = Pick<RestoredFile, 'bytes' | 'outcome' | 'why' | 'scrubbed' | 'renewed'>;

const FOREIGN: Result = { outcome: 'foreign', bytes: 0, scrubbed: false };

interface FileOptions extends RestoreOptions {
  readonly clear: (path: string) => void;
  readonly renew: Renewing;
  readonly findMoved: FindMoved;
}

/** Whatever is wrong with one file, the next has its turn. undefined when it was stopped. */
function* restoreFile(db: Database, file: ArchivedFile, path: string, options: FileOptions): Work<Result | undefined> {
  let bytes = 0;
  let scrubbed = false;
  try {
    const version = chosenVersion(db, file, options.version);
    if (version === undefined) return { outcome: 'missing', bytes, scrubbed };
    bytes = version.size;
    scrubbed = isMasked(db, version.id);
    if (!isInside(file.name) || (options.to !== undefined && leadsOut(path, options.to)))
      return { outcome: 'refused', bytes, scrubbed };
    const done = yield* restoreOne(db, { file, version, path }, options);
    return done && { ...done, bytes, scrubbed };
  } catch (error) {
    // The bytes are read while they are written: whoever writes tells of both.
    const cause = error instanceof DiskError && sqliteCode(error.cause) !== undefined ? error.cause : error;
    const told = toArchiveError(cause, RESTORING, path);
    if (told instanceof ArchiveError) return { outcome: 'damaged', why: told.message, bytes, scrubbed };
    if (told instanceof DiskError) return { outcome: 'failed', why: told.what, bytes, scrubbed };
    throw error;
  }
}

function chosenVersion(db: Database, file: ArchivedFile, number: number | undefined): Version | undefined {
  if (number !== undefined) return versionsOf(db, file.id)[number - 1];
  if (file.current === undefined) throw damaged(file.name, 'its current version is not there');
  return versionOf(db, file.current);
}

interface Restoring {
  readonly file: ArchivedFile;
  readonly version: Version;
  readonly path: string;
}

/** undefined when it was stopped. */
function* restoreOne(
  db: Database,
  { file, version, path }: Restoring,
  { force = false, signal, clear, renew, findMoved }: FileOptions,
): Work<Pick<Result, 'outcome' | 'why' | 'renewed'> | undefined> {
  const there = thereAt(path);
  if (there !== undefined) {
    if (there.isFile() && isSame(db, version, path, there.size, force)) return { outcome: 'same' };
    if (!there.isFile())
      return { outcome: 'kept', why: there.isDirectory() ? 'a folder is there' : 'what is there is no file' };
    if (!force) return { outcome: 'kept', why: goesOn(db, file, version, path, there.size) ? GOES_ON : undefined };
    if (isElsewhere(path, file.root)) return { outcome: 'kept', why: 'a link to a file elsewhere is there' };
  }
  const moved = there === undefined ? findMoved(file, [version, sourceOf(db, version)]) : undefined;
  if (moved !== undefined) return { outcome: 'moved', why: `it is at ${moved} now` };
  clear(path);
  for (const _ of writeInParts(path, checkedBytes(db, version))) {
    if (signal?.aborted) return undefined;
    yield;
  }
  const present = renew(file, version.mtimeMs);
  // As text: a number below 0, a time before 1970, would be taken for the present.
  const time = String((present ?? version.mtimeMs) / 1000);
  utimesSync(path, time, time);
  return { outcome: 'restored', renewed: present !== undefined };
}

/** To replace it would take away what may not be archived yet. */
const GOES_ON = 'what is there has all of it, and goes on';

function goesOn(db: Database, { name }: ArchivedFile, version: Version, path: string, size: number): boolean {
  const fits = (state: State) => state.size > 0 && state.size < size && begins(path, state.size, state.digest);
  return modeOf(name) === 'lines' && [version, sourceOf(db, version)].some(fits);
}

/** A link to nothing is something, too. */
function thereAt(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false }) ?? lstatSync(path, { throwIfNoEntry: false });
}

/** What was scrubbed here and not there is the same file, unless a person wants the scrubbed one in its place. */
function isSame(db: Database, version: Version, path: string, size: number, force: boolean): boolean {
  const states = force ? [version] : [version, sourceOf(db, version)];
  const fitting = states.filter((state) => state.size === size);
  if (fitting.length === 0) return false;
  const digest = digestOf(path);
  return fitting.some((state) => state.digest.equals(digest));
}
