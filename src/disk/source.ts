/** A file as a `Source`: bytes by range, at any time after the scan. Files are opened on demand and few stay open. */
import type { Source } from '../format/entry.ts';
import { DiskError, toDiskError } from './errors.ts';
import { closeFile, identityOf, openFile, readAt } from './io.ts';
import { type MountedFile, mountedAt, reopened } from './mounts.ts';

export interface FileSource extends Source {
  /** The file's bytes. What lies past its end is left out, so a file truncated meanwhile gives fewer bytes. Throws DiskError. */
  read(start: number, end: number): Uint8Array;
  /** Fills a buffer from a position; 0 at the end of the file. */
  fill(buffer: Uint8Array, position: number): number;
  size(): number;
  /** Bytes at hand, valid until the next call: reads inside them are copied from memory instead of read again. */
  hold(bytes: Uint8Array | undefined, at?: number): void;
  /** Gives the open file back; a later read opens it again. */
  close(): void;
}

/** Entries live as long as they like, and thousands of files may have some: the least recently read one is closed. */
const MAX_OPEN = 32;
/** A read call takes no more than 2 GiB. */
const MAX_READ = 1 << 30;
/** Longer ranges are checked against the size first, so that a wrong range cannot ask for all memory. */
const LARGE = 16 << 20;

const open = new Map<FileSource, number>();

/** `inode` says which file of that name is meant, where the caller has it open already. */
export function fileSource(file: string, inode?: bigint): FileSource {
  const mounted = inode === undefined ? mountedAt(file) : undefined;
  return mounted === undefined ? diskSource(file, inode) : mountedSource(file, mounted);
}

function mountedSource(file: string, mounted: MountedFile): FileSource {
  const bytes = reopened(file, mounted);
  const held = createHeld();
  return {
    name: file,
    read: (start, end) => held.read(start, end) ?? bytes.read(start, Math.min(end, mounted.bytes)),
    fill: bytes.fill,
    size: () => mounted.bytes,
    hold: held.hold,
    close: bytes.close,
  };
}

function createHeld() {
  let held: Uint8Array | undefined;
  let heldAt = 0;
  return {
    hold(bytes: Uint8Array | undefined, at = 0): void {
      held = bytes;
      heldAt = at;
    },
    read(start: number, end: number): Uint8Array | undefined {
      if (held === undefined || start < heldAt || end > heldAt + held.length) return undefined;
      return Buffer.from(held.subarray(start - heldAt, end - heldAt));
    },
  };
}

function diskSource(file: string, inode: bigint | undefined): FileSource {
  let expected = inode;
  const held = createHeld();

  function fd(): number {
    const already = open.get(source);
    if (already !== undefined) {
      // Last in the map is the most recently used.
      open.delete(source);
      open.set(source, already);
      return already;
    }
    const opened = openFile(file);
    open.set(source, opened);
    const [oldest] = open.keys();
    if (open.size > MAX_OPEN && oldest !== undefined) oldest.close();
    checkIdentity(opened);
    return opened;
  }

  function checkIdentity(opened: number): void {
    const identity = identityOf(opened);
    if (!identity.isFile()) {
      source.close();
      const what = identity.isDirectory() ? 'it is a folder, not a file' : 'it is a pipe or a device, not a file';
      throw new DiskError({ what: `cannot read: ${what}`, where: file, next: 'Name a .jsonl file.' });
    }
    if (expected !== undefined && expected !== identity.ino) {
      source.close();
      const next = 'Read it again from the start.';
      throw new DiskError({ what: 'the file was replaced by another since it was read', where: file, next });
    }
    expected = identity.ino;
  }

  const source: FileSource = {
    name: file,
    read(start, end) {
      const atHand = held.read(start, end);
      if (atHand !== undefined) return atHand;
      return guarded(() => {
        const length = Math.max(0, end - start);
        const there = length > LARGE ? Math.min(length, Math.max(0, source.size() - start)) : length;
        return readRange(fd(), start, there);
      });
    },
    fill: (buffer, position) => guarded(() => readAt(fd(), buffer, position)),
    size: () => guarded(() => Number(identityOf(fd()).size)),
    hold: held.hold,
    close() {
      const opened = open.get(source);
      open.delete(source);
      if (opened !== undefined) closeFile(opened);
    },
  };

  function guarded<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      throw toDiskError(error, 'cannot read', file);
    }
  }

  return source;
}

function readRange(fd: number, start: number, length: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const got = readAt(fd, bytes.subarray(done, Math.min(length, done + MAX_READ)), start + done);
    if (got === 0) break;
    done += got;
  }
  return bytes.subarray(0, done);
}
