import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { endpointOf } from '../../src/export/otlp/endpoint.ts';
import { answerOf } from '../../src/export/otlp/post.ts';
import { sendPatiently, waitBefore } from '../../src/export/otlp/retry.ts';
import {
  secretsIn,
  secretsOf,
  shownAddress,
  withoutAddressKeys,
  withoutSecrets,
} from '../../src/export/otlp/secrets.ts';
import { settingsOf, timeoutOf } from '../../src/export/otlp/settings.ts';
import { waitOf } from '../../src/format/retryafter.ts';
import { tempFolder } from '../support/files.ts';

const KEYS = { LANGFUSE_PUBLIC_KEY: 'pk', LANGFUSE_SECRET_KEY: 'sk' };

describe('where spans go', () => {
  test.each([
    [{}, undefined, 'https://cloud.langfuse.com/api/public/otel/v1/traces'],
    [{ LANGFUSE_HOST: 'http://h:3000/' }, undefined, 'http://h:3000/api/public/otel/v1/traces'],
    [{ LANGFUSE_BASE_URL: 'http://b', LANGFUSE_HOST: 'http://h' }, undefined, 'http://b/api/public/otel/v1/traces'],
    [{ LANGFUSE_BASE_URL: 'http://b' }, 'http://g/sub', 'http://g/sub/api/public/otel/v1/traces'],
    [{}, 'http://g/api/public/otel', 'http://g/api/public/otel/v1/traces'],
    [{}, 'http://g/api/public/otel/v1/traces/', 'http://g/api/public/otel/v1/traces'],
  ])('T1: Langfuse %j %s', (settings, given, url) => {
    const endpoint = endpointOf('langfuse', { ...KEYS, ...settings }, given);
    expect(endpoint.url).toBe(url);
    expect(endpoint.headers).toEqual({
      authorization: `Basic ${Buffer.from('pk:sk').toString('base64')}`,
      'x-langfuse-ingestion-version': '4',
    });
  });

  test.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318' }, undefined, 'http://c:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/v1/traces' }, undefined, 'http://c:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/in' }, undefined, 'http://c/in'],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/in' }, 'http://g', 'http://g/v1/traces'],
  ])('OTLP %j %s', (settings, given, url) => expect(endpointOf('otlp', settings, given).url).toBe(url));

  test('headers are read as OpenTelemetry writes them', () => {
    const settings = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c',
      OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%2Cb, authorization=Bearer x=y,',
    };
    expect(endpointOf('otlp', settings).headers).toEqual({ 'x-key': 'a,b', authorization: 'Bearer x=y' });
    expect(() => endpointOf('otlp', { ...settings, OTEL_EXPORTER_OTLP_HEADERS: 'nonsense' })).toThrow(/not name=value/);
    for (const bad of ['a=%0d%0ab', 'a=%E2%82%AC'])
      expect(() => endpointOf('otlp', { ...settings, OTEL_EXPORTER_OTLP_HEADERS: bad })).toThrow(/cannot be sent/);
  });

  test('a new secret goes on with the state of the old one; another project or address does not', () => {
    const key = endpointOf('langfuse', KEYS).key;
    expect(endpointOf('langfuse', { ...KEYS, LANGFUSE_SECRET_KEY: 'new' }).key).toBe(key);
    expect(endpointOf('langfuse', { ...KEYS, LANGFUSE_PUBLIC_KEY: 'other' }).key).not.toBe(key);
    expect(endpointOf('langfuse', KEYS, 'http://other').key).not.toBe(key);
    expect(key).toMatch(/^langfuse-[0-9a-f]{12}$/);
  });

  test.each([
    ['langfuse', {}, undefined, /LANGFUSE_PUBLIC_KEY is not set/],
    ['langfuse', { LANGFUSE_PUBLIC_KEY: 'pk' }, undefined, /LANGFUSE_SECRET_KEY is not set/],
    ['otlp', {}, undefined, /No endpoint is set/],
    ['otlp', {}, 'ftp://x', /no http address/],
    ['otlp', {}, 'collector', /no http address/],
    ['otlp', {}, 'http://a:b@c', /holds a password/],
  ] as const)('%s %j %s is told', (dialect, settings, given, words) =>
    expect(() => endpointOf(dialect, settings, given)).toThrow(words),
  );

  test('the environment comes before export.json; what is empty counts as not set', () => {
    const home = tempFolder();
    writeFileSync(join(home, 'export.json'), '{"LANGFUSE_PUBLIC_KEY":"file","LANGFUSE_HOST":"http://f","PATH":"/x"}');
    const settings = settingsOf(
      { LANGFUSE_PUBLIC_KEY: 'env', LANGFUSE_HOST: '', OTEL_EXPORTER_OTLP_TIMEOUT: '700' },
      home,
    );
    expect(settings).toMatchObject({ LANGFUSE_PUBLIC_KEY: 'env', LANGFUSE_HOST: 'http://f' });
    expect(settings.PATH).toBeUndefined();
    // As from a file with other line ends.
    expect(settingsOf({ LANGFUSE_SECRET_KEY: 'sk-1\r', LANGFUSE_HOST: ' ' }, home)).toMatchObject({
      LANGFUSE_SECRET_KEY: 'sk-1',
      LANGFUSE_HOST: 'http://f',
    });
    expect(timeoutOf(settings)).toBe(700);
  });
});

describe('what must not be told', () => {
  test('a header in every form, the longest first', () => {
    const basic = btoa('pk-public:sk-secret');
    const secrets = [...secretsIn('Bearer top secret'), ...secretsIn(`Basic ${basic}`)];
    const said = `Bearer top secret, top secret, top%20secret, ${basic}, pk-public:sk-secret, sk-secret`;
    expect(withoutSecrets(said, secrets)).toBe('***, ***, ***, ***, ***, ***');
  });

  test.each([
    ['http://h/v1?api_key=x', 'http://h/v1?***'],
    ['https://u:p@h/v1', 'https://***@h/v1'],
    ['u:p@h:1', '***@h:1'],
    ['http://h:4318/v1/traces', 'http://h:4318/v1/traces'],
  ])('%s is shown as %s, also inside a text', (address, shown) => {
    expect(shownAddress(address)).toBe(shown);
    expect(withoutAddressKeys(`run --otlp '${address}' --x`)).toBe(`run --otlp '${shown}' --x`);
  });

  test('an address that the environment gives is shown without its query, and used with it', () => {
    const settings = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/in?key=abcdefgh' };
    expect(endpointOf('otlp', settings)).toMatchObject({ url: 'http://c/in?key=abcdefgh', shown: 'http://c/in?***' });
    expect(secretsOf(endpointOf('otlp', settings))).toContain('abcdefgh');
  });
});

describe('what an answer means', () => {
  const answer = (status: number, text: string, headers: Record<string, string> = {}) =>
    answerOf({ status, text, header: (name) => headers[name] ?? null }, 0);
  test.each([
    [200, '{}', { type: 'accepted' }],
    [204, '', { type: 'accepted' }],
    [200, '{"partialSuccess":{}}', { type: 'accepted' }],
    [
      200,
      '{"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}}',
      { type: 'partial', rejected: 3, words: 'no' },
    ],
    [200, '{"partialSuccess":{"rejectedSpans":0,"errorMessage":"use  v2"}}', { type: 'accepted', warning: 'use v2' }],
    [400, '{"message":"bad id"}', { type: 'refused', status: 400, words: 'status 400: bad id' }],
    [401, '', { type: 'refused', status: 401, words: 'status 401' }],
    [307, '', { type: 'refused', status: 307, words: 'status 307' }],
    [408, '', { type: 'busy', status: 408, words: 'status 408' }],
    [503, 'try later', { type: 'busy', status: 503, words: 'status 503: try later' }],
    [200, ' <!doctype html><p>Log in</p>', { type: 'busy', words: expect.stringContaining('a web page') }],
  ])('%d %s', (status, body, meant) => expect(answer(status, body)).toMatchObject(meant));

  test('what says that it is a page is one; what says that it is protobuf is none, whatever it begins with', () => {
    expect(answer(200, 'Log in', { 'content-type': 'text/html; charset=utf-8' })).toMatchObject({ type: 'busy' });
    expect(answer(200, '<\u0001', { 'content-type': 'application/x-protobuf' })).toEqual({ type: 'accepted' });
  });

  test('Retry-After in seconds or as a date', () => {
    expect(answer(429, '', { 'retry-after': '7' })).toMatchObject({ type: 'busy', afterMs: 7000 });
    const now = Date.UTC(2026, 0, 1);
    expect(waitOf(new Date(now + 90_000).toUTCString(), now)).toBe(90_000);
    expect(waitOf(new Date(now - 90_000).toUTCString(), now)).toBe(0);
    expect(waitOf('soon', now)).toBeUndefined();
  });
});

describe('patience', () => {
  test('waits grow, by chance between half and whole, up to a bound; Retry-After counts where it is longer', () => {
    const waits = (random: number) => [1, 2, 3, 9].map((done) => waitBefore(done, undefined, { random: () => random }));
    expect(waits(0)).toEqual([250, 500, 1000, 15_000]);
    expect(waits(1)).toEqual([500, 1000, 2000, 30_000]);
    expect(waitBefore(1, 4000, {})).toBe(4000);
    expect(waitBefore(1, 120_000, {})).toBeUndefined();
    expect(waitBefore(1, 120_000, { longestAfterMs: 120_000 })).toBe(120_000);
  });

  test('nothing is waited for beyond the deadline, and not more often than said', async () => {
    const waited: number[] = [];
    let now = 0;
    const clock = {
      now: () => now,
      wait: async (ms: number) => {
        waited.push(ms);
        now += ms;
      },
      random: () => 1,
    };
    let sent = 0;
    const busy = async () => {
      sent += 1;
      return { type: 'busy', words: 'no', status: 503 } as const;
    };
    await sendPatiently(busy, '', { ...clock, tries: 3 });
    expect([sent, waited]).toEqual([3, [500, 1000]]);
    const told: number[] = [];
    const asking = async () => ({ type: 'busy', words: 'no', status: 429, afterMs: 60_000 }) as const;
    const patience = { ...clock, longestAfterMs: 90_000, onWait: (ms: number) => told.push(ms) };
    await sendPatiently(asking, '', { ...patience, tries: 2 });
    expect([waited.splice(2), told]).toEqual([[60_000], [60_000]]);
    await sendPatiently(busy, '', { ...clock, deadline: now + 2000, tries: 9 });
    expect(waited.slice(2)).toEqual([500, 1000]);
  });
});
