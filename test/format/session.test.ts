import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bytesOf, jsonOf, toEntry, toParsedEntry } from '../../src/format/entry.ts';
import { headKeep, headOf } from '../../src/format/head.ts';
import { isObject, parseJson } from '../../src/format/json.ts';
import { splitLines } from '../../src/format/lines.ts';
import { memorySource, readSession, writeSession } from '../../src/format/session.ts';
import { skeleton } from '../../src/format/skeleton.ts';
import { encode } from '../../src/format/text.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';

const FILES = transcriptsBelow(FIXTURES).map((file) => relative(FIXTURES, file));
const SAMPLE = readFileSync(`${FIXTURES}/resume/par_dag/input.jsonl`);

describe('E2: what is read is written back byte for byte', () => {
  test('any bytes', () => {
    const pieces = fc.oneof(
      fc.uint8Array({ maxLength: 30 }),
      fc.constantFrom('\n', '\r\n', '\0', '\ufeff', '{}', '{"b":1.0,"10":2}', '\u2028').map(encode),
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const bytes = Uint8Array.from(parts.flatMap((part) => [...part]));
        expect(writeSession(readSession(bytes))).toEqual(bytes);
      }),
      { numRuns: 3000 },
    );
  });

  test.each(FILES)('%s', (file) => {
    const bytes = readFileSync(`${FIXTURES}/${file}`);
    expect(Buffer.compare(writeSession(readSession(bytes)), bytes)).toBe(0);
  });
});

describe('E3: the metadata is the same whether scanned or fully parsed', () => {
  test.each(FILES)('%s', (file) => {
    const bytes = readFileSync(`${FIXTURES}/${file}`);
    const source = memorySource(file, bytes);
    for (const raw of splitLines([bytes])) {
      const { entry, json } = toParsedEntry(source, raw.line, raw.bytes);
      expect(toEntry(source, raw.line, raw.bytes)).toEqual(entry);
      // Short lines are parsed; the scan must agree on them all the same.
      const scanned = skeleton(raw.bytes, headKeep());
      if (json === undefined) expect(isObject(scanned)).toBe(false);
      else expect(isObject(scanned) && headOf(scanned)).toEqual(entry.head);
    }
  });
});

describe('E1: damage costs only the line it hits', () => {
  const intact = readSession(SAMPLE).entries;

  test('cutting the file anywhere keeps every whole line before the cut', () => {
    fc.assert(
      fc.property(fc.nat({ max: SAMPLE.length }), (cut) => {
        const entries = readSession(SAMPLE.subarray(0, cut)).entries;
        const whole = intact.filter((entry) => entry.line.end <= cut);
        expect(entries.slice(0, whole.length).map((entry) => entry.head)).toEqual(whole.map((entry) => entry.head));
        expect(entries.length).toBeLessThanOrEqual(whole.length + 1);
      }),
    );
  });

  test('a flipped bit changes at most its line, or joins or splits lines at it', () => {
    fc.assert(
      fc.property(fc.nat({ max: SAMPLE.length - 1 }), fc.nat({ max: 7 }), (where, bit) => {
        const bytes = Uint8Array.from(SAMPLE);
        bytes[where] = (bytes[where] ?? 0) ^ (1 << bit);
        const after = new Map(readSession(bytes).entries.map((entry) => [entry.line.start, entry]));
        for (const entry of intact) {
          if (where >= entry.line.start - 1 && where <= entry.line.end) continue;
          expect(after.get(entry.line.start)?.head).toEqual(entry.head);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('replacing one entry leaves the bytes of all others', () => {
    fc.assert(
      fc.property(fc.nat({ max: intact.length - 1 }), fc.jsonValue(), (index, value) => {
        const line = encode(JSON.stringify({ type: 'new', value }));
        const source = memorySource('new', line);
        const entry = toEntry(source, { number: 1, start: 0, end: line.length, terminated: true }, line);
        const session = readSession(SAMPLE);
        const entries = session.entries.with(index, entry);
        const again = readSession(writeSession({ ...session, entries })).entries;
        expect(again.map((each) => Buffer.from(bytesOf(each)).toString('hex'))).toEqual(
          entries.map((each) => Buffer.from(bytesOf(each)).toString('hex')),
        );
      }),
      { numRuns: 50 },
    );
  });
});

describe('odd files', () => {
  const read = (text: string | Uint8Array) => readSession(typeof text === 'string' ? encode(text) : text).entries;

  test('L6: an empty file has no entries', () => expect(read('')).toEqual([]));

  test('E1: a byte order mark is kept and does not hide the first entry', () => {
    const [first] = read('\ufeff{"type":"user","uuid":"a"}\n');
    expect(first?.kind).toBe('user');
    expect(first && jsonOf(first)?.uuid).toBe('a');
  });

  test('E1: CRLF, blank lines and trailing space are data, the entries are read', () => {
    expect(read('{"type":"user"}\r\n\r\n  \n{"type":"summary"} \n').map((entry) => entry.kind)).toEqual([
      'user',
      'blank',
      'blank',
      'summary',
    ]);
  });

  test('E1: U+2028 does not end a line', () => expect(read('{"type":"user","x":"a\u2028b"}\n')).toHaveLength(1));

  test('E1: unreadable lines are kept with where and why', () => {
    const entries = read('{"type":"us\n\0\0\0\n[1]\nhello\n{"type":"user"}');
    expect(entries.map((entry) => [entry.line.number, entry.line.start, entry.problem])).toEqual([
      [1, 0, 'invalid or cut-off JSON'],
      [2, 12, 'contains NUL bytes'],
      [3, 16, 'JSON, but not an object'],
      [4, 20, 'not JSON'],
      [5, 26, undefined],
    ]);
    expect(entries.at(-1)?.line.terminated).toBe(false);
  });

  test('E1: invalid UTF-8 is read with replacement characters and kept as it was', () => {
    const bytes = Uint8Array.from([...encode('{"type":"user","cwd":"'), 0xff, 0xc3, ...encode('"}\n')]);
    const [entry] = read(bytes);
    expect(entry?.head.cwd).toBe('\ufffd\ufffd');
    expect(writeSession(readSession(bytes))).toEqual(bytes);
  });

  test('E1: a line of 10 MB', () => {
    const [entry] = read(`{"type":"user","uuid":"u","message":{"content":"${'x'.repeat(10_000_000)}"}}\n`);
    expect(entry?.head.uuid).toBe('u');
  });

  test('E3: an unknown type is data; E15: a missing type takes the role', () => {
    const kinds = read('{"type":"brand-new"}\n{"message":{"role":"assistant"}}\n{"x":1}\n').map((entry) => entry.kind);
    expect(kinds).toEqual(['unknown', 'assistant', 'unknown']);
  });

  test('E15: time and content of reduced transcripts', () => {
    const [entry] = read(
      '{"type":"user","content":[{"type":"tool_result","tool_use_id":"t1"}],"message":{"timestamp":"2025-01-15T10:00:00Z"}}\n',
    );
    expect(entry?.head).toMatchObject({
      timestamp: '2025-01-15T10:00:00Z',
      contentForm: 'array',
      blocks: [{ toolUseId: 't1' }],
    });
  });
});

describe('E1: a line that nests too deeply to be walked', () => {
  const line = (depth: number) => `{"type":"user","uuid":"a","x":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const kindsOf = (text: string) => {
    const source = memorySource('x', encode(text));
    return [...splitLines([encode(text)])].flatMap(({ line: place, bytes }) =>
      [toEntry, (...all: Parameters<typeof toEntry>) => toParsedEntry(...all).entry].map((read) => {
        const { kind, problem } = read(source, place, bytes);
        return [kind, problem];
      }),
    );
  };

  test('is unreadable, however long it is, and kept as it is', () => {
    for (const depth of [1001, 5000, 200_000]) {
      expect(kindsOf(line(depth))).toEqual([
        ['unreadable', 'nested too deeply'],
        ['unreadable', 'nested too deeply'],
      ]);
      const bytes = encode(`${line(depth)}\n`);
      expect(Buffer.compare(writeSession(readSession(bytes)), bytes)).toBe(0);
    }
    expect(kindsOf(line(900))).toEqual([
      ['user', undefined],
      ['user', undefined],
    ]);
    expect(parseJson('['.repeat(200_000) + ']'.repeat(200_000))).toBeUndefined();
  });
});
