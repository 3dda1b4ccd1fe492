/** The real server on loopback, asked as a browser or anyone else would. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { asString, at, type Json, parseJson } from '../../src/format/json.ts';
import { startSkein } from '../support/skein.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  json(): Json;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export interface Served {
  readonly child: ChildProcess;
  /** With the token. */
  readonly url: URL;
  readonly port: number;
  readonly cookie: string;
  readonly stderr: () => string;
  /** As the page asks: with the cookie. */
  ask(path: string, asking?: Asking): Promise<Answer>;
  /** As anyone asks. */
  askBare(path: string, asking?: Asking): Promise<Answer>;
  /** Until all sessions are read. */
  settled(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export async function serve(
  args: readonly string[],
  options: { readonly home: string; readonly env?: Record<string, string> },
): Promise<Served> {
  const child = startSkein(['serve', '--json', '--no-open', '--port', '0', ...args], options);
  const errors: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => errors.push(chunk.toString('utf8')));
  onTestFinished(() => {
    if (child.exitCode === null) child.kill('SIGKILL');
  });
  const url = new URL(await firstLine(child, errors));
  const port = Number(url.port);
  const askBare = (path: string, asking: Asking = {}) => ask(port, path, asking);
  const entered = await askBare(url.pathname + url.search);
  const cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const own = (path: string, { headers, ...rest }: Asking = {}) =>
    askBare(path, { ...rest, headers: { cookie, ...headers } });
  return {
    child,
    url,
    port,
    cookie,
    stderr: () => errors.join(''),
    askBare,
    ask: own,
    async settled() {
      await until(async () => {
        const status = (await own('/api/status')).json();
        return at(status, 'version') !== '0' && at(status, 'read') === at(status, 'sessions');
      });
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await once(child, 'exit');
      return child.exitCode;
    },
  };
}

async function firstLine(child: ChildProcess, errors: readonly string[]): Promise<string> {
  if (child.stdout === null) throw new Error('no output');
  for await (const line of createInterface(child.stdout)) {
    const url = asString(at(parseJson(line), 'url'));
    if (url !== undefined) return url;
  }
  throw new Error(`it did not start: ${errors.join('')}`);
}

export function ask(port: number, path: string, { method = 'GET', headers = {}, body }: Asking): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const { statusCode: status = 0, headers: said } = response;
        resolve({ status, headers: said, text, json: () => parseJson(text) ?? null });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Waits for something that will be so; a test that waits in vain fails by its time. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 25));
}

export interface Event {
  readonly id: string;
  readonly data: Json;
}

export interface Events {
  readonly seen: readonly Event[];
  /** The next event that fits, also one that came before. */
  wait(fits: (data: Json) => boolean): Promise<Event>;
  close(): void;
}

/** A page that listens. */
export function listen({ port, cookie }: Served, lastId?: string): Promise<Events> {
  return new Promise((resolve, reject) => {
    const headers = { cookie, accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) };
    const sent = request({ host: '127.0.0.1', port, path: '/api/events', headers, agent: false }, (response) => {
      const seen: Event[] = [];
      let text = '';
      let id = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const block = text.slice(0, end);
          text = text.slice(end + 2);
          id = /^id: (.*)$/m.exec(block)?.[1] ?? id;
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (data !== undefined) seen.push({ id, data: parseJson(data) ?? null });
        }
      });
      response.on('error', () => {});
      resolve({
        seen,
        async wait(fits) {
          await until(() => seen.some(({ data }) => fits(data)));
          const found = seen.find(({ data }) => fits(data));
          if (found === undefined) throw new Error('gone again');
          return found;
        },
        close: () => sent.destroy(),
      });
    });
    sent.on('error', reject);
    sent.end();
    onTestFinished(() => {
      sent.destroy();
    });
  });
}

export const HEADERS: Readonly<Record<string, string | RegExp>> = {
  'content-security-policy': /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
};

/** What is missing of the headers that every answer has. */
export function missingHeaders({ headers }: Answer): string[] {
  const missing = Object.entries(HEADERS).flatMap(([name, wanted]) => {
    const value = String(headers[name] ?? '');
    return (typeof wanted === 'string' ? value === wanted : wanted.test(value)) ? [] : [name];
  });
  const opened = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
  return [...missing, ...opened];
}
