/** One HTTP request whose answer is read as it comes. By node:http: the first `fetch` of a process takes 40 ms of CPU. */
import type { Agent, IncomingMessage } from 'node:http';
import { giveBack } from './encode.ts';

export interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Closes the connection, also while the answer is being read. */
  readonly signal: AbortSignal;
  readonly agent?: Agent;
}

export interface HttpAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly body: IncomingMessage;
}

/** Does not follow redirects: those would take the keys elsewhere. */
export function post(url: string, { headers, body, signal, agent }: HttpRequest): Promise<HttpAnswer> {
  const { request } = process.getBuiltinModule(url.startsWith('https:') ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const length = { 'content-length': body.length };
    const asked = request(url, { method: 'POST', headers: { ...headers, ...length }, agent });
    // Without an error: one would be thrown by a connection that has just been given back, where nobody listens.
    const stop = () => asked.destroy();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    asked.on('close', () => {
      signal.removeEventListener('abort', stop);
      if (asked.writableFinished) giveBack(body);
    });
    asked.on('error', reject);
    asked.on('response', (answer) => {
      resolve({
        status: answer.statusCode ?? 0,
        header: (name) => [answer.headers[name]].flat()[0],
        body: answer,
      });
    });
    asked.end(body);
  });
}

/** An error page may be long; what is wrong stands at its beginning. */
const LONGEST = 64 * 1024;

export async function textOf(body: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LONGEST) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
