/** Whether a file only grew since it was read. */
import { fileSource } from './source.ts';

/** What was read of it. */
export interface Beginning {
  readonly size: number;
  /** What is before is not compared. */
  readonly from?: number;
  read(start: number, end: number): Uint8Array;
}

const COMPARED_BYTES = 1 << 20;

/** Byte for byte. Throws DiskError. */
export function beginsWith(file: string, { size, from = 0, read }: Beginning): boolean {
  const now = fileSource(file);
  try {
    for (let at = from; at < size; at += COMPARED_BYTES) {
      const end = Math.min(at + COMPARED_BYTES, size);
      if (Buffer.compare(read(at, end), now.read(at, end)) !== 0) return false;
    }
    return true;
  } finally {
    now.close();
  }
}
