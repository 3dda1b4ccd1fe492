import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { versionOf } from '../../../src/archive/files.ts';
import { archivedSource } from '../../../src/archive/pieces/read.ts';
import { splitLines } from '../../../src/format/lines.ts';
import { readEntries } from '../../../src/format/session.ts';
import { outlineOf } from '../../../src/graph/outline.ts';
import { FIXTURES, transcriptsBelow } from '../../support/files.ts';
import {
  currentOf,
  entry,
  FORK,
  faultsOf,
  fileNamed,
  newArchive,
  PLACE,
  rootOf,
  SESSION,
  statesOf,
  syncRoot,
} from '../helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;

describe('bytes of every kind', () => {
  const cases: Record<string, Buffer> = {
    empty: Buffer.alloc(0),
    'one newline': Buffer.from('\n'),
    CRLF: Buffer.from('{"a":1}\r\n{"b":2}\r\n'),
    NUL: Buffer.concat([Buffer.alloc(70_000), Buffer.from('\n'), Buffer.alloc(5)]),
    'invalid UTF-8': Buffer.from([0xff, 0xfe, 10, 0xc3, 0x28, 10, 0xed, 0xa0, 0x80]),
    BOM: Buffer.from('\ufeff{"a":1}\n'),
    'a line of 10 MB': Buffer.concat([Buffer.from('{"x":"'), Buffer.alloc(10_000_000, 'é'), Buffer.from('"}\nend')]),
    'no newline at all': Buffer.alloc(9_000_000, 'ab'),
    'blank lines': Buffer.from('\n\n\n   \n\n'),
    'the id cut off': Buffer.from(`{"sessionId":"${SESSION}`),
  };
  test.each(Object.entries(cases))('%s', (_, bytes) => {
    const root = rootOf({ [NAME]: bytes, [`${PLACE}/${SESSION}/tool-results/x.bin`]: bytes });
    const archive = newArchive();
    syncRoot(archive, root);
    expect(currentOf(archive, NAME).equals(bytes)).toBe(true);
    expect(currentOf(archive, 'x.bin').equals(bytes)).toBe(true);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('a file of many steps, then appended', () => {
    const root = rootOf({ [NAME]: '' });
    const block = Buffer.from(
      Array.from({ length: 2000 }, (_, n) => entry(`${n}`, SESSION, 'x'.repeat(900 + n))).join(''),
    );
    for (let n = 0; n < 20; n += 1) appendFileSync(join(root, NAME), block);
    const archive = newArchive();
    syncRoot(archive, root);
    appendFileSync(join(root, NAME), entry('z'));
    syncRoot(archive, root, { full: true });
    expect(statSync(join(root, NAME)).size).toBeGreaterThan(64 << 20);
    expect(statesOf(archive, NAME)).toHaveLength(1);
    expect(currentOf(archive, NAME).equals(readFileSync(join(root, NAME)))).toBe(true);
    expect(faultsOf(archive)).toEqual([]);
  });
});

describe('an archived file as a source', () => {
  function sourceOf(bytes: Buffer) {
    const archive = newArchive();
    syncRoot(archive, rootOf({ [NAME]: bytes }));
    return archivedSource(archive.db, versionOf(archive.db, fileNamed(archive, NAME).current ?? 0), NAME);
  }

  test('any range, in any order', () => {
    const lines = Array.from({ length: 40 }, (_, n) => entry(`${n}`, n % 3 === 0 ? FORK : SESSION, 'x'.repeat(n * 7)));
    const bytes = Buffer.from(`${lines.join('')}{"torn`);
    const source = sourceOf(bytes);
    const offset = fc.integer({ min: 0, max: bytes.length + 50 });
    fc.assert(
      fc.property(offset, offset, (a, b) => {
        const [start, end] = [Math.min(a, b), Math.max(a, b)];
        expect(Buffer.from(source.read(start, end)).equals(bytes.subarray(start, end))).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(sourceOf(Buffer.alloc(0)).read(0, 10)).toHaveLength(0);
  });

  test('a recorded session gives the same outline as its file', () => {
    for (const file of transcriptsBelow(join(FIXTURES, 'recorded', '2.1.325')).slice(0, 12)) {
      const bytes = readFileSync(file);
      const source = sourceOf(bytes);
      const archived = readEntries(source, splitLines([source.read(0, bytes.length)]));
      const onDisk = readEntries({ name: file, read: (start, end) => bytes.subarray(start, end) }, splitLines([bytes]));
      expect(outlineOf(archived)).toEqual(outlineOf(onDisk));
    }
  });
});
