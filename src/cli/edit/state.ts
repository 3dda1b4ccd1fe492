/** Whether a file is still the one that was read: its size, its time and its last bytes. */
import { createHash } from 'node:crypto';
import { toDiskError } from '../../disk/errors.ts';
import { bytesBefore, closeFile, identityOf, openFile } from '../../disk/io.ts';

export interface FileState {
  readonly bytes: number;
  readonly mtimeMs: number;
  readonly inode: string;
  readonly mode: number;
  /** Digest of the last bytes: a file may be written to within the resolution of its time. */
  readonly tail: string;
}

const TAIL_BYTES = 64 << 10;

/** Throws DiskError. */
export function stateOf(file: string): FileState {
  try {
    const fd = openFile(file);
    try {
      const { size, mtimeNs, ino, mode } = identityOf(fd);
      const tail = createHash('sha256')
        .update(bytesBefore(fd, Number(size), TAIL_BYTES))
        .digest('hex');
      return {
        bytes: Number(size),
        mtimeMs: Number(mtimeNs / 1000n) / 1000,
        inode: String(ino),
        mode: Number(mode) & 0o777,
        tail,
      };
    } finally {
      closeFile(fd);
    }
  } catch (error) {
    throw toDiskError(error, 'cannot read', file);
  }
}

export function isSameState(a: FileState, b: FileState): boolean {
  return a.bytes === b.bytes && a.mtimeMs === b.mtimeMs && a.inode === b.inode && a.tail === b.tail;
}
