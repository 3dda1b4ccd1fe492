/** One GET with its redirects, within limits of time, size and address. */
import { request as httpRequest, type IncomingMessage, type RequestOptions, STATUS_CODES } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';
import { guardedLookup, type Lookup, refusedLiteral } from './addresses.ts';

export interface GetOptions {
  readonly allowPrivate: boolean;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  readonly lookup?: Lookup;
}

export type Got = Page | Elsewhere;

export interface Page {
  readonly kind: 'page';
  readonly url: string;
  readonly code: number;
  readonly codeText: string;
  /** The whole `content-type`, in lower case. */
  readonly type: string;
  readonly body: Buffer;
  /** There was more than the limit. */
  readonly cut: boolean;
}

/** A redirect that leaves the host. */
export interface Elsewhere {
  readonly kind: 'elsewhere';
  readonly url: string;
  readonly to: string;
  readonly code: number;
  readonly codeText: string;
}

const MAX_REDIRECTS = 10;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** What may be asked for, or why not. Plain http is only for those who may ask their own network. */
export function toAddress(text: string, allowPrivate: boolean): URL | Error {
  if (!URL.canParse(text)) return new Error(`not an address: ${text}`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return new Error(`only http and https, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '') return new Error('an address with a name or password is not fetched');
  if (url.protocol === 'http:' && url.port === '' && !allowPrivate) url.protocol = 'https:';
  url.hash = '';
  return url;
}

/** Throws what the connection throws. */
export async function get(start: URL, options: GetOptions): Promise<Got> {
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await ask(url, options);
    const code = response.statusCode ?? 0;
    const codeText = response.statusMessage || STATUS_CODES[code] || '';
    const { location } = response.headers;
    if (!REDIRECTS.has(code) || location === undefined) {
      const type = (response.headers['content-type'] ?? '').toLowerCase();
      return { kind: 'page', url: url.href, code, codeText, type, ...(await bodyOf(response, options.maxBytes)) };
    }
    response.destroy();
    if (!URL.canParse(location, url.href)) throw new Error(`it redirects to what is no address: ${location}`);
    const to = new URL(location, url);
    if (!isSameHost(url, to)) return { kind: 'elsewhere', url: url.href, to: to.href, code, codeText };
    const next = toAddress(to.href, options.allowPrivate);
    if (next instanceof Error) throw next;
    url = next;
  }
  throw new Error(`it redirects more than ${MAX_REDIRECTS} times`);
}

function isSameHost(from: URL, to: URL): boolean {
  const plain = (url: URL): string => url.hostname.replace(/^www\./, '');
  return plain(from) === plain(to) && from.port === to.port;
}

function ask(url: URL, { allowPrivate, signal, lookup }: GetOptions): Promise<IncomingMessage> {
  const refused = allowPrivate ? undefined : refusedLiteral(url);
  if (refused) return Promise.reject(refused);
  const options: RequestOptions = {
    signal,
    lookup: guardedLookup(allowPrivate, lookup),
    // A connection of its own: none that was opened under other rules is used again.
    agent: false,
    headers: {
      accept: 'text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.5',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'skein',
    },
  };
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    send(url, options, resolve).once('error', reject).end();
  });
}

async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<{ body: Buffer; cut: boolean }> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let cut = false;
  const stream: AsyncIterable<Buffer> = unpacked(response);
  for await (const chunk of stream) {
    chunks.push(chunk);
    bytes += chunk.length;
    cut = bytes > maxBytes;
    if (cut) break;
  }
  response.destroy();
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), cut };
}

function unpacked(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return response;
  if (encoding === 'br') return pipeline(response, createBrotliDecompress(), () => {});
  if (/^(x-)?gzip$|^deflate$/.test(encoding)) return pipeline(response, createUnzip(), () => {});
  throw new Error(`its encoding is not known: ${encoding}`);
}
