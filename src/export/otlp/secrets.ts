/** What must not be told of an endpoint, in every form in which a server may say it back: its headers and what stands in its address. */
import type { Endpoint } from './endpoint.ts';

/** Shorter ones may stand in any text. */
const SHORTEST = 6;

export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = new Set(secrets.flatMap((each) => [each, encodeURIComponent(each.toWellFormed())]));
  // The longest first: one may be part of another.
  const ordered = [...forms].filter(({ length }) => length >= SHORTEST).toSorted((a, b) => b.length - a.length);
  return ordered.reduce((rest, each) => rest.replaceAll(each, '***'), text);
}

export function secretsOf({ url, headers }: Endpoint): string[] {
  const asked = url.includes('?') ? [...new URL(url).searchParams.values()] : [];
  return [...Object.values(headers).flatMap(secretsIn), ...asked];
}

/** The value of a header: also without its scheme, and what Basic hides. */
export function secretsIn(value: string): string[] {
  const [, scheme = '', credentials = value] = /^(\w+) +(.+)$/.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [value, credentials];
  const pair = Buffer.from(credentials, 'base64').toString('utf8');
  return [value, credentials, pair, ...pair.split(':')];
}

/** An address without user, password and query; `text` need not be one. */
export function shownAddress(text: string): string {
  // Most have none of them, and to make the patterns takes longer than to ask.
  if (!/[@?#]/.test(text)) return text;
  return text.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, '$1***@').replace(/[?#].*/s, (rest) => `${rest[0]}***`);
}

/** The same for addresses in a longer text, such as a command line. */
export function withoutAddressKeys(text: string): string {
  if (!text.includes('@') && !text.includes('://')) return text;
  return text.replace(/\bhttps?:\/\/[^\s'"]+|[^\s'"/@]+:[^\s'"/@]+@[^\s'"]+/gi, shownAddress);
}
