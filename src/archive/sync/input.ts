/** Where the bytes of a file come from while it is archived: the disk, or another archive. */
import { DiskError, toDiskError } from '../../disk/errors.ts';
import { closeFile, identityOf, openFile, readAt } from '../../disk/io.ts';

export interface Input {
  /** As it was when it was opened; what is written later is taken the next time. */
  readonly size: number;
  readonly mtimeMs: number;
  /** Which file of the disk it is. */
  readonly identity?: string;
  /** Fills a buffer from a position; 0 at the end. Throws DiskError. */
  fill(buffer: Buffer, position: number): number;
  close(): void;
}

export function openInput(path: string): Input {
  const guarded = <T>(call: () => T): T => {
    try {
      return call();
    } catch (error) {
      throw toDiskError(error, 'cannot read', path);
    }
  };
  const fd = guarded(() => openFile(path));
  const identity = identityOf(fd);
  if (!identity.isFile()) {
    closeFile(fd);
    throw new DiskError({ what: 'cannot read: it is not a file', where: path, next: 'It is passed over.' });
  }
  return {
    size: Number(identity.size),
    mtimeMs: toMs(identity.mtimeNs),
    identity: `${identity.dev}:${identity.ino}`,
    fill: (buffer, position) => guarded(() => readAt(fd, buffer, position)),
    close: () => closeFile(fd),
  };
}

/** Computed as Node computes `mtimeMs`, so that the two can be compared. */
function toMs(ns: bigint): number {
  return Number(ns / 1_000_000_000n) * 1000 + Number(ns % 1_000_000_000n) / 1e6;
}

const CHUNK = 1 << 20;
let spare: Buffer | undefined;

/** The bytes of a range in chunks, each valid until the next; ends early where the file does. */
export function* chunksOf(input: Input, from: number, to: number): Generator<Buffer> {
  // It serves the next file too: fresh memory costs as much as reading into it.
  const buffer = spare ?? Buffer.allocUnsafeSlow(CHUNK);
  spare = undefined;
  try {
    for (let at = from; at < to; ) {
      const got = input.fill(buffer.subarray(0, Math.min(CHUNK, to - at)), at);
      if (got === 0) return;
      yield buffer.subarray(0, got);
      at += got;
    }
  } finally {
    spare = buffer;
  }
}
