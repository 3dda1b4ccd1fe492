import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/format/json.ts';
import { createRedactor } from '../../src/redact/redactor.ts';
import { random } from './samples.ts';

const TOKEN = `ghp_${random(36, 'binary')}`;
const bytes = Buffer.from(Array.from({ length: 900 }, (_, i) => (i * 7919 + 13) % 256));
const binary = bytes.toString('base64');
const png = `iVBORw0KGgo${binary}`.slice(0, 1200);
const wrapped = (text: string) => text.replace(/.{76}/g, '$&\n');
const encoded = (text: string) => Buffer.from(text).toString('base64');
const prose = 'Nothing in here is a secret, and it goes on for long enough to be taken for bytes. '.repeat(6);

function redacted(value: Json, options: Parameters<typeof createRedactor>[0] = {}) {
  const redactor = createRedactor(options);
  redactor.learn(value);
  const { value: shown, leftOut, found } = redactor.redact(value);
  return { shown, leftOut: Object.fromEntries(leftOut), kinds: found.map(({ kind }) => kind) };
}

describe('what cannot be looked into is left out and counted', () => {
  test.each<[string, Json, Record<string, number>]>([
    ['an image', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }, { image: 1 }],
    ['a document', { type: 'document', source: { type: 'base64', data: binary } }, { document: 1 }],
    ['what a tool read', { file: { base64: binary, type: 'image/png' } }, { base64: 1 }],
    ['redacted thinking', { type: 'redacted_thinking', data: binary }, { base64: 1 }],
    ['a signature', { type: 'thinking', thinking: 'x', signature: binary }, { signature: 1 }],
    ['a short signature', { signature: 'c2ln' }, { signature: 1 }],
    ['bytes in a text', `it printed ${binary} and ended`, { base64: 1 }],
    ['bytes over many lines', `-----\n${wrapped(binary)}\n-----`, { base64: 1 }],
    ['a data URL', `![x](data:image/png;base64,${png})`, { base64: 1 }],
    ['an encoded text with a secret', `echo ${encoded(`${prose}${TOKEN}`)} | base64 -d`, { base64: 1 }],
    ['an encoded text with a home folder', encoded(`${prose}/home/alice/x`), { base64: 1 }],
    ['encoded twice', encoded(encoded(`${prose}${TOKEN}`)), { base64: 1 }],
  ])('%s', (_, value, leftOut) => {
    const { shown, leftOut: told } = redacted(value);
    expect(told).toEqual(leftOut);
    const text = JSON.stringify(shown);
    for (const piece of [binary.slice(40, 100), png.slice(0, 60), encoded(prose).slice(0, 80)])
      expect(text).not.toContain(piece);
  });

  test.each<[string, Json]>([
    ['an encoded text in which nothing is found', `x ${encoded(prose)} y`],
    [
      'hashes, ids, paths',
      `sha512-${random(86, 'h')}== ${random(64, 'i', '0123456789abcdef')} /${'deep/'.repeat(40)}x.ts`,
    ],
    ['lines of signs', `${'-'.repeat(400)}\n${'/'.repeat(400)}\n${'_'.repeat(300)}`],
    ['a member called data that holds words', { data: 'hello there, nothing special' }],
  ])('stays: %s', (_, value) => {
    expect(redacted(value)).toEqual({ shown: value, leftOut: {}, kinds: [] });
  });

  test('images stay when asked for, if they are images', () => {
    const block = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } });
    expect(redacted(block(png), { images: true })).toMatchObject({ shown: block(png), leftOut: {} });
    expect(redacted(block(encoded(`${prose}${TOKEN}`)), { images: true }).leftOut).toEqual({ image: 1 });
    expect(redacted({ file: { base64: png } }, { images: true }).leftOut).toEqual({});
    expect(redacted({ data: TOKEN.repeat(4) }, { images: true }).leftOut).toEqual({ base64: 1 });
  });

  test('a text that is too long', () => {
    const { shown, leftOut } = redacted({ a: 'x'.repeat(200), b: 'short' }, { longest: 100 });
    expect(shown).toEqual({ a: '[not shown: could not be scanned]', b: 'short' });
    expect(leftOut).toEqual({ text: 1 });
  });
});

test('two passes: what is told late is masked early, also names of people', () => {
  const redactor = createRedactor();
  const early = { text: 'use hunter2xyz as carol@box' };
  for (const value of [early, { command: 'export PGPASSWORD=hunter2xyz' }, { cwd: '/home/carol/x' }])
    redactor.learn(value);
  expect(redactor.redact(early).value).toEqual({ text: 'use [password] as user@box' });
});

test('names of members are masked too', () => {
  const value = { snapshot: { trackedFileBackups: { '/home/alice/a.ts': 1, [TOKEN]: 2 } } };
  expect(JSON.stringify(redacted(value).shown)).toMatch(/"~\/a\.ts":1,"\[github-token:[0-9a-f]{4}\]":2/);
});
