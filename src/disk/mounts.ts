/**
 * Files that are not on disk but are read as if they were: what the archive kept of deleted ones, and logs made from
 * other files. What is on disk wins. The registry lives as long as the process, as open files do.
 */
import { type Stats, statSync } from 'node:fs';
import { DiskError, toDiskError } from './errors.ts';
import { io } from './io.ts';

export interface MountedFile {
  readonly bytes: number;
  open(): MountedBytes;
}

/** The bytes of one mounted file. May throw; that is told as a DiskError. */
export interface MountedBytes {
  /** Fills a buffer from a position; 0 at the end. Cheap in the order of the file. */
  fill(buffer: Uint8Array, position: number): number;
  /** A range, in any order. */
  read(start: number, end: number): Uint8Array;
}

const mounts = new Map<string, MountedFile>();
const apart = new Set<string>();

export function mountFile(path: string, file: MountedFile): void {
  mounts.set(path, file);
}

export function unmountFile(path: string): void {
  mounts.delete(path);
}

/** Paths that begin so are no places on this disk: there is what is mounted and nothing else, whatever lies in a folder of that name. */
export function setApart(root: string): void {
  apart.add(root);
}

function isApart(path: string): boolean {
  for (const root of apart) if (path.startsWith(root)) return true;
  return false;
}

/** What stands in for a path; nothing where the path is on disk. */
export function mountedAt(path: string): MountedFile | undefined {
  const file = mounts.get(path);
  if (isApart(path)) return file ?? mounts.get(path.replaceAll('\\', '/')) ?? missing(path);
  return file === undefined || isOnDisk(path) ? undefined : file;
}

/** Whether there is a file to read, on disk or mounted. */
export function isFileAt(path: string): boolean {
  return mounts.has(path) || (isApart(path) ? mounts.has(path.replaceAll('\\', '/')) : isOnDisk(path));
}

function missing(path: string): MountedFile {
  const story = { what: 'cannot read: there is no such file', where: path, next: 'Check the path.' };
  return {
    get bytes(): number {
      throw new DiskError(story);
    },
    open: () => {
      throw new DiskError(story);
    },
  };
}

export function isOnDisk(path: string): boolean {
  return statOnDisk(path) !== undefined;
}

/** Of a file that lies there. */
export function statOnDisk(path: string): Stats | undefined {
  if (isApart(path)) return undefined;
  io.stats += 1;
  // A part of the path that is a file, a folder that may not be entered, no name at all: nothing can be read there.
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() ? stat : undefined;
  } catch {
    return undefined;
  }
}

/** A small file whose bytes are at hand when it is opened. */
export function memoryFile(size: number, bytes: () => Uint8Array): MountedFile {
  return {
    bytes: size,
    open() {
      const all = bytes();
      return {
        fill(buffer, position) {
          const part = all.subarray(position, position + buffer.length);
          buffer.set(part);
          return part.length;
        },
        read: (start, end) => all.slice(start, end),
      };
    },
  };
}

/** The open bytes of a mounted file; closed, they are opened again when asked for. */
export function reopened(name: string, file: MountedFile): MountedBytes & { close(): void } {
  let opened: MountedBytes | undefined;
  function guarded<T>(call: (bytes: MountedBytes) => T): T {
    try {
      opened ??= file.open();
      return call(opened);
    } catch (error) {
      throw toDiskError(error, 'cannot read', name);
    }
  }
  return {
    fill: (buffer, position) => guarded((bytes) => bytes.fill(buffer, position)),
    read: (start, end) => guarded((bytes) => bytes.read(start, end)),
    close() {
      opened = undefined;
    },
  };
}
