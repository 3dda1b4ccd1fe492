/** What went wrong, in the API's words where it said any, and whether asking again can help. */
import { asObject, asString, type JsonObject, parseJson } from '../../format/json.ts';
import type { ApiFailure } from '../ports.ts';

export interface Failed {
  readonly kind: 'failed';
  readonly failure: ApiFailure;
  readonly retry: boolean;
  /** How long the server wants us to wait. */
  readonly afterMs?: number;
}

/** The server's own error, or none at all: the same request may succeed a moment later. */
const PASSING = new Set(['overloaded_error', 'api_error', 'rate_limit_error', 'timeout_error', 'connection_error']);

export function isPassing({ status, type }: ApiFailure): boolean {
  if (status === undefined) return PASSING.has(type);
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

export function isOverloaded({ status, type }: ApiFailure): boolean {
  return status === 529 || type === 'overloaded_error';
}

export function connectionFailure(message: string): Failed {
  return { kind: 'failed', failure: { type: 'connection_error', message }, retry: true };
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** From the body of an answer that is no 200; a proxy's may be anything. */
export function statusFailure(status: number, text: string, requestId: string | undefined): ApiFailure {
  const json = asObject(parseJson(text)) ?? {};
  const error = asObject(json.error) ?? {};
  const said = asString(error.message) ?? asString(json.message) ?? asString(json.error) ?? plain(text);
  return toFailure(
    { type: TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'), ...error },
    said === '' ? `status ${status}` : said,
    { status, requestId: requestId ?? asString(json.request_id) },
  );
}

/** From an error that came inside a stream. */
export function eventFailure(event: JsonObject, requestId: string | undefined): ApiFailure {
  const error = asObject(event.error) ?? {};
  return toFailure(error, asString(error.message) ?? 'the answer ended in an error', { requestId });
}

function toFailure(
  error: JsonObject,
  message: string,
  { status, requestId }: { readonly status?: number; readonly requestId?: string },
): ApiFailure {
  return {
    ...(status !== undefined && { status }),
    type: asString(error.type) ?? 'api_error',
    message,
    ...(requestId !== undefined && { requestId }),
    ...(TOO_LONG.test(message) && { tooLong: true }),
  };
}

/** The API has no type of its own for it. */
const TOO_LONG = /prompt is too long|exceeds? (the )?(model'?s? )?(context|maximum context) (limit|window|length)/i;

const SHORTEST_KEY = 8;

/** Some servers repeat the key they refuse; what went wrong is printed and kept. */
export function withoutKeys(failure: ApiFailure, headers: Readonly<Record<string, string>>): ApiFailure {
  const keys = ['x-api-key', 'authorization'].flatMap((name) => headers[name]?.split(/\s+/).at(-1) ?? []);
  const message = keys
    .filter((key) => key.length >= SHORTEST_KEY)
    .reduce((words, key) => words.replaceAll(key, '(the key)'), failure.message);
  return message === failure.message ? failure : { ...failure, message };
}

const LONGEST_WORDS = 300;

/** What can be read of an error page. */
function plain(text: string): string {
  const words = text.replace(/<[^>]*>/g, ' ');
  const line = words.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_WORDS ? `${line.slice(0, LONGEST_WORDS)}…` : line;
}

/** What the system says of a connection that failed; never what was sent over it. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return error.message === '' ? code || error.name : error.message;
}
