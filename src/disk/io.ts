/** The system calls of this folder in one place, counted: tests and benches assert how much work was done instead of how long it took. */
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type FileState, type FolderStamp, fileState, filesUnlike, folderStamp } from './filestate.ts';
import type { Listing } from './folder.ts';
import { type FolderNames, folderNames } from './foldernames.ts';
import { inside, MANY } from './inside.ts';

export interface IoCount {
  /** Files opened, for reading or writing. */
  opens: number;
  reads: number;
  bytesRead: number;
  /** Read a second time, only to see that they are still the same. */
  bytesCompared: number;
  writes: number;
  bytesWritten: number;
  /** Folders listed. */
  listings: number;
  stats: number;
}

/** Counts up for the life of the process. */
export const io: IoCount = {
  opens: 0,
  reads: 0,
  bytesRead: 0,
  bytesCompared: 0,
  writes: 0,
  bytesWritten: 0,
  listings: 0,
  stats: 0,
};

/** What was done since `before`, a copy of `io` taken earlier: `const before = { ...io }`. */
export function ioSince(before: Readonly<IoCount>): IoCount {
  return {
    opens: io.opens - before.opens,
    reads: io.reads - before.reads,
    bytesRead: io.bytesRead - before.bytesRead,
    bytesCompared: io.bytesCompared - before.bytesCompared,
    writes: io.writes - before.writes,
    bytesWritten: io.bytesWritten - before.bytesWritten,
    listings: io.listings - before.listings,
    stats: io.stats - before.stats,
  };
}

/** Not blocking, so that a named pipe is refused instead of waited for. Windows knows no such flag. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export function openFile(path: string, flags: string | number = READ, mode = 0o600): number {
  const fd = openSync(path, flags, mode);
  io.opens += 1;
  return fd;
}

export function closeFile(fd: number): void {
  closeSync(fd);
}

/** Fills `buffer` from `position`; may read less, 0 at the end of the file. */
export function readAt(fd: number, buffer: Uint8Array, position: number): number {
  const bytes = readSync(fd, buffer, 0, buffer.length, position);
  io.reads += 1;
  io.bytesRead += bytes;
  return bytes;
}

/** The bytes that end at a position, at most `length` of them, for comparing with what was read before. */
export function bytesBefore(fd: number, position: number, length: number): Uint8Array {
  const bytes = new Uint8Array(Math.min(length, position));
  if (bytes.length === 0) return bytes;
  const got = readSync(fd, bytes, 0, bytes.length, position - bytes.length);
  io.reads += 1;
  io.bytesCompared += got;
  return bytes.subarray(0, got);
}

/** One write call; may write less. */
export function writeOnce(fd: number, bytes: Uint8Array): number {
  const written = writeSync(fd, bytes);
  io.writes += 1;
  io.bytesWritten += written;
  return written;
}

/** Inode numbers of Windows do not fit a double: identity is compared on bigints. */
export function identityOf(fd: number): BigIntStats {
  io.stats += 1;
  return fstatSync(fd, { bigint: true });
}

/** undefined when nothing is there; every other trouble throws. */
export function identityAt(path: string): BigIntStats | undefined {
  io.stats += 1;
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

export interface Listed {
  get(folder: string): Listing | undefined;
  /** Told what a folder lists that is not known. */
  set(folder: string, listing: Listing): void;
}

/** A place without links; as it is told where it leads nowhere. */
export function realPathOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** See `folderStamp`. */
export function stampOf(folder: string): FolderStamp | undefined {
  io.stats += 1;
  return folderStamp(folder);
}

/** How folders are looked at; tests hand in one that fails. */
export interface FolderFs {
  list(folder: string): FolderNames;
  /** Follows links. */
  stat(path: string): FileState;
  /** Those of some files of a folder, which ends with a slash, that are not as is known from a row on (`filesUnlike`). */
  unlike(folder: string, names: readonly string[], known: Float64Array, firstRow: number): string[];
  /** Asks for so many files of a folder: given what their paths begin with. */
  among<T>(folder: string, count: number, ask: (prefix: string) => T): T;
  realPath(path: string): string;
  /** What is known of how folders list, for whoever walks the same ones again. */
  readonly listed?: Listed;
}

export const folderFs: FolderFs = {
  list(folder) {
    io.listings += 1;
    return folderNames(folder);
  },
  stat(path) {
    io.stats += 1;
    return fileState(path);
  },
  unlike(folder, names, known, firstRow) {
    io.stats += names.length;
    return filesUnlike(folder, names, known, firstRow);
  },
  among: (folder, _, ask) => ask(folder),
  realPath: (path) => realpathSync.native(path),
};

/** The same for a process in which nothing else runs. */
export const loneFolderFs: FolderFs = {
  ...folderFs,
  unlike: (folder, names, known, firstRow) =>
    loneFolderFs.among(folder, names.length, (prefix) => folderFs.unlike(prefix, names, known, firstRow)),
  among: (folder, count, ask) => (count < MANY ? ask(folder) : inside(folder, ask)),
};
