/** One HTTP request. Not by `fetch`, whose first one in a process takes some 50 ms of CPU, and a hook sends one. */
import type { RawAnswer } from './httpanswer.ts';
import { type Asked, type Asking, isPlainHeader, postPlainly } from './plainrequest.ts';

export interface HttpAnswer {
  readonly status: number;
  /** By lower-case name; null where there is none. */
  header(name: string): string | null;
  readonly text: string;
}

export interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly signal?: AbortSignal;
  /** Then it is given up with a TimeoutError: for a signal of its own Node has to compile as much as for half of a request. */
  readonly timeoutMs?: number;
}

/** An answer longer than this is cut. */
const LONGEST = 1 << 20;

let isFirst = true;

/** Does not follow redirects: those would take the keys elsewhere. */
export async function exchange(url: string, { headers, body, signal, timeoutMs }: HttpRequest): Promise<HttpAnswer> {
  const { protocol, host, hostname, port, pathname, search } = new URL(url);
  const asked: Asked = {
    host: hostname.replace(/^\[|]$/g, ''),
    port: port === '' ? undefined : Number(port),
    path: `${pathname}${search}`,
    headers: { host, 'accept-encoding': 'identity', ...headers, 'content-length': `${body.length}` },
    body,
    longest: LONGEST,
  };
  // A hook makes no other. Connections of https are left to its agent, which knows more of them.
  const isPlain = isFirst && protocol === 'http:' && Object.entries(headers).every(isPlainHeader);
  isFirst = false;
  const { answer, stop } = isPlain ? postPlainly(asked) : post(asked, protocol);
  const abort = () => stop(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => stop(tooLate()), timeoutMs).unref();
  if (signal?.aborted) abort();
  try {
    const { status, header, bytes } = await answer;
    return { status, header, text: unpacked(bytes, header('content-encoding') ?? '').toString('utf8') };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** By node:http and its agent, which keeps connections for the requests that follow. */
function post({ body, longest, ...options }: Asked, protocol: string): Asking {
  const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
  const { request } = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
  const asked = request({ ...options, method: 'POST' });
  asked.on('error', reject);
  asked.on('response', (answer) => {
    const chunks: Buffer[] = [];
    let size = 0;
    answer.on('data', (chunk: Buffer) => {
      if (size < longest) chunks.push(chunk);
      size += chunk.length;
    });
    answer.on('error', reject);
    answer.on('end', () => {
      const header = (name: string) => [answer.headers[name]].flat()[0] ?? null;
      resolve({ status: answer.statusCode ?? 0, header, bytes: Buffer.concat(chunks) });
    });
  });
  asked.end(body);
  // Here rather than by its option `signal`, for which Node has to compile as much as for the rest of a request.
  return { answer: promise, stop: (reason) => asked.destroy(reason) };
}

function tooLate(): Error {
  return Object.assign(new Error('there was no answer in time'), { name: 'TimeoutError' });
}

/** Some servers pack what was asked for as it is. What cannot be unpacked says nothing. */
function unpacked(bytes: Buffer, encoding: string): Buffer {
  if (['', 'identity'].includes(encoding.trim().toLowerCase())) return bytes;
  const { brotliDecompressSync, inflateRawSync, unzipSync } = process.getBuiltinModule('node:zlib');
  // By their beginnings, whatever it is called; `deflate` may have none.
  for (const unpack of /br/i.test(encoding) ? [brotliDecompressSync] : [unzipSync, inflateRawSync]) {
    try {
      return unpack(bytes, { maxOutputLength: LONGEST });
    } catch {
      // The next may do.
    }
  }
  return Buffer.alloc(0);
}
