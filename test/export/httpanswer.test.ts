import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAnswerReader } from '../../src/export/otlp/httpanswer.ts';

const LONGEST = 1000;

/** Each part as it comes, then the end of the connection. */
function read(parts: readonly string[]) {
  const reader = createAnswerReader(LONGEST);
  for (const part of parts) {
    const answer = reader.take(part);
    if (answer !== undefined) return answer;
  }
  return reader.end();
}

const told = (parts: readonly string[], name = 'x-own') => {
  const { status, header, bytes } = read(parts);
  return [status, header(name), bytes.toString('latin1')];
};

describe('an answer of HTTP/1.1', () => {
  const ANSWERS: readonly (readonly [string, string, readonly unknown[]])[] = [
    ['with a length', 'HTTP/1.1 200 OK\r\nX-Own:  a b \r\nContent-Length: 4\r\n\r\nß{}!', [200, 'a b', 'ß{}!']],
    ['with nothing in it', 'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n', [202, null, '']],
    ['without a body', 'HTTP/1.1 204 No Content\r\nx-own: yes\r\n\r\n', [204, 'yes', '']],
    ['until the end', 'HTTP/1.0 500\r\n\r\nall of it', [500, null, 'all of it']],
    ['in chunks', chunked('b\r\n{"a":"\r\n0"}\r\n1;x=y\r\n!\r\n0\r\n\r\n'), [200, null, '{"a":"\r\n0"}!']],
    ['with trailers', chunked('A\r\n0123456789\r\n0\r\nx-own: late\r\n\r\n'), [200, null, '0123456789']],
    ['announced', `HTTP/1.1 100 Continue\r\nx-own: no\r\n\r\n${chunked('0\r\n\r\n')}`, [200, null, '']],
    ['with bare line ends', 'HTTP/1.1 400 Bad\nx-own: yes\nx-own: no\ncontent-length: 2\n\nno', [400, 'yes', 'no']],
    [
      'cut where it is long',
      chunked(`${'258\r\n'.concat('x'.repeat(600), '\r\n').repeat(4)}0\r\n\r\n`),
      [200, null, 'x'.repeat(LONGEST)],
    ],
  ];

  test.each(ANSWERS)('%s', (_, text, expected) => expect(told([text])).toEqual(expected));

  test('however its bytes come', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ANSWERS), fc.array(fc.nat(), { maxLength: 20 }), ([, text, expected], cuts) => {
        const places = [...new Set([0, ...cuts.map((cut) => cut % text.length)])].sort((a, b) => a - b);
        expect(told(places.map((place, index) => text.slice(place, places[index + 1])))).toEqual(expected);
      }),
    );
  });

  test('what is broken off, and what is none', () => {
    expect(() => read([])).toThrow('socket hang up');
    const half = ['HTTP/1.1 200', 'HTTP/1.1 200 OK\r\n', 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nab'];
    const halfChunks = ['3', '3\r\nab', '3\r\nabc\r\n', '0\r\n'].map(chunked);
    for (const text of [...half, ...halfChunks]) expect(() => read([text])).toThrow('broken off');
    for (const text of ['SSH-2.0-x\r\n', 'HTTP/2 200\r\n', '\r\n'])
      expect(() => read([text])).toThrow('not one of HTTP');
    for (const text of ['HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', chunked('z\r\n')]) {
      expect(() => read([text])).toThrow('no length');
    }
    expect(() => read(['HTTP/1.1 200 OK\r\n', ...Array(700).fill(`a: ${'b'.repeat(100)}\r\n`)])).toThrow('too much');
    expect(() => read(Array(5000).fill('HTTP/1.1 100 Continue\r\n\r\n'))).toThrow('too much');
  });

  test('nothing else is thrown, whatever comes', () => {
    const some = fc.constantFrom(
      'HTTP/1.1 200 OK\r\n',
      'transfer-encoding: chunked\r\n',
      'content-length: 1\r\n',
      '\r\n',
      '1',
      ':',
    );
    const anything = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)) });
    fc.assert(
      fc.property(fc.array(fc.oneof(some, anything)), (parts) => {
        try {
          expect(read(parts).status).toBeGreaterThanOrEqual(200);
        } catch (error) {
          expect(String(error)).toMatch(/socket hang up|the answer/);
        }
      }),
    );
  });
});

function chunked(body: string): string {
  return `HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n${body}`;
}
