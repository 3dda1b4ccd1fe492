import { randomBytes } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createPieceReader, createPieceWriter, readPack, writePack } from '../../src/archive/packs.ts';
import { run } from '../../src/archive/sqlite.ts';
import { pushVarint } from '../../src/archive/varint.ts';
import { newArchive } from './helpers.ts';

test.each([1, 127, 1024, 131_072, 1 << 20, (4 << 20) + 3])('a pack of %i bytes that cannot be compressed', (length) => {
  const { db } = newArchive();
  const data = randomBytes(length);
  writePack(db, { first: 1, lengths: [length], data });
  expect(readPack(db, 1).data.equals(data)).toBe(true);
});

test('a pack as it was written before: in parts, without its length', () => {
  const { db } = newArchive();
  const data = Buffer.alloc(300_000, 'what was said before');
  const sql = 'INSERT INTO pack (id, count, raw, lengths, data) VALUES (1, 1, ?, ?, ?)';
  const lengths: number[] = [];
  pushVarint(lengths, data.length);
  run(db, sql, data.length, Buffer.from(lengths), zstdCompressSync(data, { chunkSize: data.length >> 1 }));
  expect(createPieceReader(db).piece(1).equals(data)).toBe(true);
});

test('ids that begin alike are told apart, whichever came before', () => {
  const { db } = newArchive();
  const pieces = createPieceWriter(db);
  const ids = ['abcdefgh', 'abcdefgh-1', 'abcdefgh', 'abcdefg', 'abcdefgi', 'abcdefgh-1'];
  const puts = ids.map((id) => pieces.put(Buffer.from(`{"sessionId":"${id}"}\n`)));
  expect(puts.map(({ param }) => param)).toEqual([
    'abcdefgh',
    'abcdefgh-1',
    'abcdefgh',
    undefined,
    'abcdefgi',
    'abcdefgh-1',
  ]);
  expect(puts.map(({ isNew }) => isNew)).toEqual([true, false, false, true, false, false]);
});
