/** One request of HTTP/1.1 on a connection of its own, by node:net: node:http takes as much again to load and to compile. */
import { createAnswerReader, type RawAnswer } from './httpanswer.ts';

export interface Asked {
  readonly host: string;
  readonly port: number | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Of an answer's body; what is longer is cut. */
  readonly longest: number;
}

export interface Asking {
  readonly answer: Promise<RawAnswer>;
  /** Gives it up for a reason, which it then fails with. */
  stop(reason: Error): void;
}

/** About the connection rather than the request. */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection', 'expect', 'transfer-encoding', 'upgrade']);

/** A name and a value that can be written as they are: node:http has an error to tell for others, and knows what to do for some. */
export function isPlainHeader([name, value]: readonly [string, string]): boolean {
  return !OF_CONNECTION.has(name.toLowerCase()) && /^[\w-]+$/.test(name) && /^[\t -~]*$/.test(value);
}

export function postPlainly(asked: Asked): Asking {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const { connect } = process.getBuiltinModule('node:net');
  const reader = createAnswerReader(asked.longest);
  const buffer = Buffer.allocUnsafe(16 << 10);
  const stop = (reason: Error) => {
    reject(reason);
    socket.destroy();
  };
  /**
   * The connection is not closed when the answer is there, which would make a stream of standard error first, as Node compares the two:
   * it just does not keep the process.
   */
  const attempt = (read: () => RawAnswer | undefined) => {
    try {
      const answer = read();
      if (answer === undefined) return;
      resolve(answer);
      socket.unref();
    } catch (error) {
      reject(error);
      socket.destroy();
    }
  };
  const socket = connect({
    host: asked.host,
    port: asked.port ?? 80,
    // Without the stream that would hand it on.
    onread: {
      buffer,
      callback: (bytes) => {
        attempt(() => reader.take(buffer.toString('latin1', 0, bytes)));
        return true;
      },
    },
  });
  socket.on('connect', () => socket.write(Buffer.concat([Buffer.from(headOf(asked), 'latin1'), asked.body])));
  socket.on('end', () => attempt(() => reader.end()));
  // A server that ends the idle connection later must not end the process.
  socket.on('error', reject);
  return { answer: promise, stop };
}

function headOf({ path, headers }: Asked): string {
  const lines = Object.entries({ connection: 'keep-alive', ...headers }).map((header) => `${header.join(': ')}\r\n`);
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
