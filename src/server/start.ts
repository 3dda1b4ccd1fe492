/** The server: listens on this machine alone, and stops without leaving anything behind. */
import { createServer, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createApp } from './app.ts';
import { assetsIn } from './assets.ts';
import { LINK_PARAMETER } from './guard.ts';
import { SECURE_HEADERS } from './headers.ts';
import { createLive } from './live.ts';
import { createMasking } from './masking.ts';
import type { Questions } from './questions.ts';
import { createOnceToken, createToken, type Token } from './token.ts';

export interface ServerOptions {
  readonly questions: Questions;
  /** Where the built page lies. */
  readonly web: string;
  readonly port: number;
  /** How many ports after it may be tried when it is taken. */
  readonly others: number;
  readonly onFault: (error: unknown) => void;
}

export interface Running {
  /** With the token: whoever has it sees everything. */
  readonly url: string;
  /** The same, good for one visit. */
  readonly once: string;
  readonly port: number;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/** Throws what listening throws, such as EADDRINUSE. */
export async function startServer(options: ServerOptions): Promise<Running> {
  const links = [createToken(), createOnceToken()] as const;
  const masking = createMasking();
  const live = createLive(options.questions.listen);
  const { questions, onFault } = options;
  let port = 0;
  const guarded = { links, cookie: createToken(), port: () => port };
  const app = createApp({ questions, masking, live, onFault, guarded, assets: assetsIn(options.web) });
  const answer = getRequestListener(app.fetch, {
    // What is no request at all, such as one without a host.
    errorHandler: () => new Response(null, { status: 400, headers: SECURE_HEADERS }),
  });
  const limits = { maxHeaderSize: 16 << 10, requestTimeout: 30_000, requireHostHeader: false };
  const server = createServer(limits, answer);
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => answerBadly(error, socket));
  try {
    port = await listenFrom(server, options.port, options.others);
  } catch (error) {
    live.close();
    throw error;
  }
  return {
    url: addressOf(port, links[0]),
    once: addressOf(port, links[1]),
    port,
    close: () => {
      live.close();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function addressOf(port: number, { text }: Token): string {
  return `http://${HOST}:${port}/?${LINK_PARAMETER}=${text}`;
}

async function listenFrom(server: ReturnType<typeof createServer>, first: number, others: number): Promise<number> {
  for (let port = first; ; port += 1) {
    try {
      return await listen(server, port);
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || port >= first + others) throw error;
    }
  }
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve(portOf(server.address()));
    });
  });
}

function portOf(address: AddressInfo | string | null): number {
  return address !== null && typeof address === 'object' ? address.port : 0;
}

/** What is no HTTP never reaches the routes; its answer says the same to a browser. */
function answerBadly({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const headers = Object.entries({ ...SECURE_HEADERS, Connection: 'close', 'Content-Length': '0' });
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n'));
}
