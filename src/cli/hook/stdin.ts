/** What the client tells a hook on standard input. */
import { fstatSync, readFileSync } from 'node:fs';
import { withoutBom } from '../../client/hook/input.ts';

/** The client writes at once; nobody may ever write or close it. */
const STDIN_MS = 2000;
const CHUNK = 64 << 10;

/** Ends with the object, not with the stream: that may stay open. */
export async function readStdin(): Promise<string> {
  const kind = fstatSync(0);
  if (kind.isFIFO() || kind.isSocket()) return readPipe();
  // A terminal or another device has nothing to say.
  return kind.isFile() ? readFileSync(0, 'utf8') : '';
}

/**
 * As `process.stdin` would, but into one buffer and only as far as the object goes. When it is there the pipe is left open, and does not
 * keep the process: to close it Node first makes a stream of standard error, which it compares it with.
 */
function readPipe(): Promise<string> {
  const { Socket } = process.getBuiltinModule('node:net');
  return new Promise((done) => {
    const chunks: Buffer[] = [];
    const finish = () => {
      clearTimeout(timer);
      socket.unref();
      done(Buffer.concat(chunks).toString('utf8'));
    };
    const timer = setTimeout(finish, STDIN_MS);
    const callback = (size: number, buffer: Uint8Array) => {
      chunks.push(Buffer.from(buffer.subarray(0, size)));
      const isOver = /}\s*$/.test(chunks.at(-1)?.toString('latin1') ?? '') && isWhole(chunks);
      if (isOver) finish();
      // Reading goes on unless told otherwise.
      return !isOver;
    };
    const onread = { buffer: Buffer.alloc(CHUNK), callback };
    const socket = new Socket({ fd: 0, readable: true, writable: false, onread });
    socket.on('end', finish);
    socket.on('error', finish);
  });
}

function isWhole(chunks: readonly Buffer[]): boolean {
  try {
    JSON.parse(withoutBom(Buffer.concat(chunks).toString('utf8')));
    return true;
  } catch {
    return false;
  }
}
