/** One HTTP request. By node:http: the first `fetch` of a process takes some 50 ms of CPU, this about 10, and a hook sends one. */

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
export function exchange(url: string, { headers, body, signal, timeoutMs }: HttpRequest): Promise<HttpAnswer> {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const { request } = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
  const host = hostname.replace(/^\[|]$/g, '');
  const own = isFirst && protocol === 'http:' ? ownConnection(host, Number(port || 80)) : undefined;
  isFirst = false;
  return new Promise((resolve, reject) => {
    const asked = request({
      host,
      port: port === '' ? undefined : Number(port),
      path: `${pathname}${search}`,
      method: 'POST',
      headers: { 'accept-encoding': 'identity', ...headers, ...own?.headers, 'content-length': body.length },
      createConnection: own?.connection,
    });
    // Here rather than by its option `signal`, for which Node has to compile as much as for the rest of a request.
    const stop = () => asked.destroy(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => asked.destroy(tooLate()), timeoutMs).unref();
    asked.on('close', () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      if (own !== undefined) asked.socket?.unref();
    });
    asked.on('error', reject);
    if (signal?.aborted) stop();
    asked.on('response', (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on('data', (chunk: Buffer) => {
        if (size < LONGEST) chunks.push(chunk);
        size += chunk.length;
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const header = (name: string) => [answer.headers[name]].flat()[0] ?? null;
        const bytes = unpacked(Buffer.concat(chunks), header('content-encoding') ?? '');
        resolve({ status: answer.statusCode ?? 0, header, text: bytes.toString('utf8') });
      });
    });
    asked.end(body);
  });
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

/**
 * The first request has a connection of its own, since a hook makes no other: an agent, which keeps connections for those that follow,
 * takes a millisecond to get going. Nor is it closed when the answer is there, which would make a stream of standard error first, as
 * Node compares the two; it just does not keep the process. Connections of https are left to their agent, which knows more of them.
 */
function ownConnection(host: string, port: number) {
  const { connect } = process.getBuiltinModule('node:net');
  return {
    headers: { connection: 'keep-alive' },
    connection: () => {
      const socket = connect(port, host);
      // A request hears of what goes wrong while it lasts; a server that ends the idle connection later must not end the process.
      return socket.on('error', () => {});
    },
  };
}
