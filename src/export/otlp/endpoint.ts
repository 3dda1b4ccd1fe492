/** Where spans go, and in which words: Langfuse, or any backend that takes OTLP. */
import { sha256Hex } from '../../format/sha256.ts';
import { ExportError } from './errors.ts';
import { shownAddress } from './secrets.ts';
import type { Settings } from './settings.ts';

export type Dialect = 'langfuse' | 'otlp';

export interface Endpoint {
  readonly dialect: Dialect;
  readonly url: string;
  /** The same without a query, which may hold a key: what is shown. */
  readonly shown: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The name of its state: the address and the project, but no secret, so that a new key goes on where the old one was. */
  readonly key: string;
}

const LANGFUSE_CLOUD = 'https://cloud.langfuse.com';
const LANGFUSE_PATH = '/api/public/otel/v1/traces';
const OTLP_PATH = '/v1/traces';

export function endpointOf(dialect: Dialect, settings: Settings, given?: string): Endpoint {
  return dialect === 'langfuse' ? langfuse(settings, given) : otlp(settings, given);
}

/** T1. */
function langfuse(settings: Settings, given: string | undefined): Endpoint {
  const base = given ?? settings.LANGFUSE_BASE_URL ?? settings.LANGFUSE_HOST ?? LANGFUSE_CLOUD;
  const url = addressOf(
    base,
    (path) => `${path.replace(/\/api\/public(\/otel(\/v1(\/traces)?)?)?$/, '')}${LANGFUSE_PATH}`,
  );
  const { LANGFUSE_PUBLIC_KEY: publicKey, LANGFUSE_SECRET_KEY: secretKey } = settings;
  if (publicKey === undefined || secretKey === undefined) {
    const missing = publicKey === undefined ? 'LANGFUSE_PUBLIC_KEY' : 'LANGFUSE_SECRET_KEY';
    const next = 'Set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY to the keys of your Langfuse project.';
    throw new ExportError({ what: `${missing} is not set`, where: shownAddress(url), next });
  }
  const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`;
  const headers = { authorization, 'x-langfuse-ingestion-version': '4' };
  return { dialect: 'langfuse', url, shown: shownAddress(url), headers, key: keyOf('langfuse', url, publicKey) };
}

function otlp(settings: Settings, given: string | undefined): Endpoint {
  const whole = given === undefined ? settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT : undefined;
  const base = given ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (whole === undefined && base === undefined) {
    const next = 'Name it with --endpoint http://localhost:4318, or set OTEL_EXPORTER_OTLP_ENDPOINT.';
    throw new ExportError({ what: 'Where to? No endpoint is set', where: 'OTEL_EXPORTER_OTLP_ENDPOINT', next });
  }
  const url =
    whole === undefined
      ? addressOf(base ?? '', (path) => (path.endsWith(OTLP_PATH) ? path : `${path}${OTLP_PATH}`))
      : addressOf(whole, (path) => path || '/');
  const headers = headersIn(settings.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? settings.OTEL_EXPORTER_OTLP_HEADERS ?? '');
  return { dialect: 'otlp', url, shown: shownAddress(url), headers, key: keyOf('otlp', url, '') };
}

function addressOf(text: string, complete: (path: string) => string): string {
  const url = URL.parse(text);
  if (url === null || !isHttp(text))
    throw new ExportError({ what: 'The endpoint is no http address', where: shownAddress(text), next: AS_HTTP });
  if (url.username !== '' || url.password !== '') {
    const where = `${url.protocol}//${url.host}`;
    throw new ExportError({ what: 'The endpoint holds a password', where, next: 'Set it as a header instead.' });
  }
  url.pathname = complete(url.pathname.replace(/\/+$/, ''));
  url.hash = '';
  return url.href;
}

export const AS_HTTP = 'Give it as http://HOST:PORT or https://HOST.';

export function isHttp(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

/** Whether an address that is written down where others may read it holds what may be a key. */
export function mayHoldKey(address: string): boolean {
  return /[?#@]/.test(address);
}

const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** `name=value,name=value`, values percent-encoded, as OpenTelemetry has them. What is no header is told, not sent. */
function headersIn(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    if (pair.trim() === '') continue;
    const [, name, value] = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
    if (name === undefined || value === undefined) {
      const next = 'Write it as name=value,name=value; commas inside a value as %2C.';
      throw new ExportError({ what: 'A header is not name=value', where: 'OTEL_EXPORTER_OTLP_HEADERS', next });
    }
    const sent = decoded(value);
    if (!SENDABLE.test(sent)) {
      const next = 'Line ends, control characters and letters beyond Latin-1 cannot stand in a header.';
      throw new ExportError({ what: `The header ${name} cannot be sent`, where: 'OTEL_EXPORTER_OTLP_HEADERS', next });
    }
    headers[name.toLowerCase()] = sent;
  }
  return headers;
}

/** As it is where it is not percent-encoded. */
export function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function keyOf(dialect: Dialect, url: string, project: string): string {
  const digest = sha256Hex(`${url} ${project}`).slice(0, 12);
  return `${dialect}-${digest}`;
}
