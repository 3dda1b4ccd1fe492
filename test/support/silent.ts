/** A server that takes requests and never answers. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { onTestFinished } from 'vitest';

export interface Silent {
  readonly server: Server;
  /** As a team is named. */
  readonly url: string;
  asked(): number;
}

export async function silentServer(): Promise<Silent> {
  let count = 0;
  const server = createServer((request) => {
    request.resume();
    count += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return { server, url: `http://127.0.0.1:${port}/skein`, asked: () => count };
}
