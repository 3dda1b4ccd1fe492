/**
 * Standard output and standard error. Node's streams for them take 5 to 10 ms to make, so a file or a pipe is written to
 * directly: these are written to at once either way. Terminals, and whoever asks for the stream, get the stream.
 */
import { fstatSync, statSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type ColorChoice, lookOf, openTerminal, type Terminal } from './terminal.ts';

type Name = 'stdout' | 'stderr';
const FDS: Readonly<Record<Name, number>> = { stdout: 1, stderr: 2 };

/** Whether nothing waits for whoever reads it, as far as this process wrote. */
export function isAllWritten(): boolean {
  return !opensStreams;
}

let opensStreams = false;

/** `failed` is told of an error; when it comes back, what is written from then on goes nowhere. */
export function openStandard(name: Name, color: ColorChoice, failed: (error: NodeJS.ErrnoException) => void): Terminal {
  let isGone = false;
  const fail = (error: NodeJS.ErrnoException) => {
    isGone = true;
    failed(error);
  };
  let stream: Writable | undefined;
  const open = () => {
    if (stream === undefined) {
      opensStreams = true;
      stream = process[name];
      stream.on('error', fail);
    }
    return stream;
  };
  const { env } = process;
  if (!isPlain(FDS[name])) {
    const { isTTY, columns } = process[name];
    return openTerminal(open(), { isTerminal: isTTY === true, columns, color, env });
  }
  return {
    ...lookOf({ isTerminal: false, color, env }),
    get stream() {
      return open();
    },
    write(text) {
      if (isGone) return;
      // After something went to the stream all does, so that the order stays.
      const rest = stream === undefined ? writeNow(FDS[name], Buffer.from(text), fail) : text;
      if (rest.length > 0) open().write(rest);
    },
  };
}

/** What could not be written yet: the other end of a pipe may have been set not to wait. */
function writeNow(fd: number, bytes: Buffer, failed: (error: NodeJS.ErrnoException) => void): Buffer {
  let done = 0;
  while (done < bytes.length) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      const { code } = toErrno(error);
      if (code === 'EAGAIN') break;
      if (code === 'EINTR') continue;
      failed(toErrno(error));
      return bytes.subarray(bytes.length);
    }
  }
  return bytes.subarray(done);
}

function toErrno(error: unknown): NodeJS.ErrnoException {
  return error instanceof Error ? error : new Error(String(error));
}

/** A file, a pipe or nowhere. Pipes of Windows are not written to at once. */
function isPlain(fd: number): boolean {
  if (process.platform === 'win32') return false;
  try {
    const stat = fstatSync(fd);
    return stat.isFile() || stat.isFIFO() || stat.isSocket() || stat.rdev === statSync('/dev/null').rdev;
  } catch {
    return false;
  }
}
