/** One request, and what its answer means. */
import { asString, at, type Json, parseJson } from '../../format/json.ts';
import { waitOf } from '../../format/retryafter.ts';
import type { Endpoint } from './endpoint.ts';
import { exchange, type HttpAnswer } from './exchange.ts';
import { secretsOf, withoutSecrets } from './secrets.ts';

export type Answer =
  /** `warning`: what the server has to say all the same. */
  | { readonly type: 'accepted'; readonly warning?: string }
  /** Some spans were not taken; the server does not say which. */
  | { readonly type: 'partial'; readonly rejected: number; readonly words: string }
  /** Sent again as it is, the answer would be the same. */
  | { readonly type: 'refused'; readonly status: number; readonly words: string }
  /** It may be taken later. Without a status there was no answer at all. */
  | { readonly type: 'busy'; readonly words: string; readonly status?: number; readonly afterMs?: number };

export interface Stop {
  readonly signal?: AbortSignal;
  /** So long an answer is waited for, where that is less than the request's own time. */
  readonly leftMs?: number;
}

export type Post = (body: string, stop?: Stop) => Promise<Answer>;

export interface PostOptions {
  readonly timeoutMs?: number;
  readonly now?: () => number;
  /** Bodies of fewer bytes are sent as they are; none unless told otherwise. */
  readonly plainBelow?: number;
}

const TIMEOUT_MS = 30_000;
/** Who stops a request because its own time is over gives this as the reason. */
export const NO_ANSWER = 'there was no answer in time';
const LONGEST_WORDS = 300;
const SMALL = 64 << 10;

export function createPost(endpoint: Endpoint, options: PostOptions = {}): Post {
  const { timeoutMs = TIMEOUT_MS, now = Date.now, plainBelow = 0 } = options;
  const secrets = secretsOf(endpoint);
  return async (body, { signal, leftMs = timeoutMs } = {}) => {
    const plain = Buffer.from(body);
    const isPlain = plain.length < plainBelow;
    const bytes = isPlain ? plain : await packed(plain);
    try {
      const answer = await exchange(endpoint.url, {
        headers: {
          ...endpoint.headers,
          'content-type': 'application/json',
          ...(!isPlain && { 'content-encoding': 'gzip' }),
        },
        body: bytes,
        signal,
        timeoutMs: Math.min(timeoutMs, leftMs),
      });
      return answerOf(answer, now(), (text) => withoutSecrets(text, secrets));
    } catch (error) {
      const isOwn = isTimeout(error) && signal?.aborted !== true && leftMs >= timeoutMs;
      return { type: 'busy', words: isOwn ? `no answer within ${timeoutMs / 1000} s` : reasonOf(error) };
    }
  };
}

function packed(body: Buffer): Buffer | Promise<Buffer> {
  // Loaded where something is packed.
  const { gzip, gzipSync } = process.getBuiltinModule('node:zlib');
  // The threads that would do it beside take longer to start.
  if (body.length < SMALL) return gzipSync(body);
  return new Promise((resolve, reject) =>
    gzip(body, (error, bytes) => (error === null ? resolve(bytes) : reject(error))),
  );
}

/** `safe`: what a server says may repeat the keys, and is told in logs. */
export function answerOf({ status, header, text }: HttpAnswer, now: number, safe = (text: string) => text): Answer {
  const isTaken = status >= 200 && status < 300;
  if (isTaken && isPage(header('content-type') ?? '', text)) {
    // Such as that of a network which asks for a login: whoever answers, it took no spans.
    return { type: 'busy', words: `it answered with a web page (status ${status}), not as a server that takes traces` };
  }
  if (isTaken) return acceptance(parseJson(text), safe);
  const said = wordsIn(text, safe);
  const words = said === '' ? `status ${status}` : `status ${status}: ${said}`;
  if (status === 408 || status === 429 || status >= 500) {
    return { type: 'busy', words, status, afterMs: waitOf(header('retry-after'), now) };
  }
  const location = header('location');
  return { type: 'refused', status, words: location === null ? words : `${words} (moved to ${safe(location)})` };
}

function isPage(type: string, text: string): boolean {
  const lower = type.toLowerCase();
  return lower.includes('html') || (!lower.includes('protobuf') && text.trimStart().startsWith('<'));
}

/** OTLP tells of spans it did not take in an answer of 200; 64-bit numbers are strings. */
function acceptance(json: Json | undefined, safe: (text: string) => string): Answer {
  const rejected = Number(at(json, 'partialSuccess', 'rejectedSpans') ?? 0);
  const words = cut(safe(asString(at(json, 'partialSuccess', 'errorMessage')) ?? ''));
  if (rejected > 0) return { type: 'partial', rejected, words };
  return words === '' ? { type: 'accepted' } : { type: 'accepted', warning: words };
}

/** What a server says of an error, most of them in JSON. */
function wordsIn(text: string, safe: (text: string) => string): string {
  const json = parseJson(text);
  const known = [at(json, 'message'), at(json, 'error', 'message'), at(json, 'error'), at(json, 'detail')];
  return cut(safe(known.map(asString).find((each) => each !== undefined && each !== '') ?? text));
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS)}…` : line;
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** Some errors say little; their cause knows more. Of a request that was given up we know more than it says. */
function reasonOf(error: unknown): string {
  if (isTimeout(error)) return NO_ANSWER;
  if (error instanceof Error && error.name === 'AbortError') return 'it was stopped before there was an answer';
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  return cause.message === '' ? code || cause.name : cause.message;
}
