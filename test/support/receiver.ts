/** A server that takes spans as the real one does: keeps rows by their key, and fails when told to. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { onTestFinished } from 'vitest';
import { asArray, at, type Json, parseJson } from '../../src/format/json.ts';
import { type Row, toRow } from './servermapping.ts';

/**
 * dropped: the connection ends without an answer · lost: the spans are taken, but the answer never arrives · hangs: no answer
 * until the client gives up · partial: some spans are taken.
 */
export type Fault = 'dropped' | 'lost' | 'hangs' | 'partial' | 'not-json' | Refusal;

export interface Refusal {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly spans: readonly Json[];
}

export interface Receiver {
  readonly url: string;
  readonly requests: readonly Received[];
  /** By key (T3); of one that came twice the later. */
  readonly rows: ReadonlyMap<string, Row>;
  /** How many rows came, with those that came again. */
  arrived(): number;
  /** The span that a row was last made of, by key. */
  readonly last: ReadonlyMap<string, Json>;
  /** Which fault the request meets; undefined: none. The request is held until that is known. */
  fail(next: (request: Received, place: number) => Fault | undefined | Promise<Fault | undefined>): void;
  /** Milliseconds before each answer. */
  slow(ms: number): void;
}

export async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = [];
  const rows = new Map<string, Row>();
  let arrived = 0;
  const last = new Map<string, Json>();
  let faultOf: Parameters<Receiver['fail']>[0] = () => undefined;
  let delay = 0;

  async function answer(request: Received, response: ServerResponse): Promise<void> {
    const fault = await faultOf(request, requests.length - 1);
    // Whoever sent it may be gone when it was held.
    if (response.destroyed) return;
    const made = request.spans.map(toRow);
    const keep = (some: readonly Row[]) => {
      for (const row of some) {
        rows.set(row.key, row);
        last.set(row.key, request.spans[made.indexOf(row)] ?? null);
      }
      arrived += some.length;
    };
    const sound = made.filter((row) => row !== undefined);
    if (fault === 'dropped') response.destroy();
    else if (fault === 'lost') {
      keep(sound);
      response.destroy();
    } else if (fault === 'hangs') keep(sound);
    else if (fault === 'partial') {
      keep(sound.slice(0, Math.floor(sound.length / 2)));
      const rejectedSpans = String(Math.ceil(sound.length / 2));
      response.end(JSON.stringify({ partialSuccess: { rejectedSpans, errorMessage: 'too many at once' } }));
    } else if (fault === 'not-json') {
      keep(sound);
      response.end('ok');
    } else if (fault !== undefined) {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? '');
    } else if (sound.length < made.length) {
      response.writeHead(400).end('{"message":"Invalid span"}');
    } else {
      keep(sound);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    }
  }

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('error', () => {});
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const request = read(incoming, Buffer.concat(chunks));
      requests.push(request);
      setTimeout(() => answer(request, response), delay);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    rows,
    last,
    arrived: () => arrived,
    fail: (next) => {
      faultOf = next;
    },
    slow: (ms) => {
      delay = ms;
    },
  };
}

function read({ url, headers }: IncomingMessage, bytes: Buffer): Received {
  const text = (headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString('utf8');
  const resources = asArray(at(parseJson(text), 'resourceSpans')) ?? [];
  const scopes = resources.flatMap((resource) => asArray(at(resource, 'scopeSpans')) ?? []);
  return { path: url ?? '', headers, spans: scopes.flatMap((scope) => asArray(at(scope, 'spans')) ?? []) };
}
