import { randomBytes } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createPieceReader, createPieceWriter, readPack, writePack } from '../../../src/archive/pieces/packs.ts';
import { bytesStored, STORED_BELOW, storedFrame } from '../../../src/archive/pieces/stored.ts';
import { pushVarint } from '../../../src/archive/pieces/varint.ts';
import { all, blobOf, get, numberOf, run, transaction } from '../../../src/archive/sqlite.ts';
import { newArchive } from '../helpers.ts';

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

test.each([1, 255, 256, 4096, STORED_BELOW - 1])('%i bytes stored as they are: any zstd reads them', (length) => {
  const data = randomBytes(length);
  expect(zstdDecompressSync(storedFrame(data)).equals(data)).toBe(true);
  expect(bytesStored(storedFrame(data))?.equals(data)).toBe(true);
  expect(bytesStored(zstdCompressSync(data))).toBeUndefined();
  expect(bytesStored(storedFrame(data).subarray(0, -1))).toBeUndefined();
});

test('a file that grows line by line: small packs are taken into larger ones, and those are compressed', () => {
  const { db } = newArchive();
  const lines = Array.from({ length: 400 }, (_, place) =>
    Buffer.from(`{"n":${place},"text":"${'said again '.repeat(20)}"}\n`),
  );
  const put = (line: Buffer) => {
    const pieces = createPieceWriter(db);
    const { id, bytes } = pieces.put(line);
    const kept = Buffer.from(bytes);
    pieces.flush();
    return { id, kept };
  };
  const puts = transaction(db, () => lines.map(put));
  const packs = all(db, 'SELECT raw, length(data) AS size FROM pack');
  const large = packs.filter((row) => numberOf(row, 'raw') >= STORED_BELOW);
  expect(large.length).toBeGreaterThan(0);
  for (const row of large) expect(numberOf(row, 'size')).toBeLessThan(numberOf(row, 'raw') / 4);
  const small = packs.filter((row) => !large.includes(row)).reduce((sum, row) => sum + numberOf(row, 'raw'), 0);
  expect(small).toBeLessThan(2 * STORED_BELOW);
  const reader = createPieceReader(db);
  expect(puts.every(({ id, kept }) => reader.piece(id).equals(kept))).toBe(true);
});

test('the last pack as an archive of before has it, compressed however small, is taken in too', () => {
  const { db } = newArchive();
  const pieces = createPieceWriter(db);
  const { id, bytes } = pieces.put(Buffer.from('{"first":1}\n'));
  const kept = Buffer.from(bytes);
  pieces.flush();
  const own = blobOf(get(db, 'SELECT data FROM pack'), 'data');
  run(db, 'UPDATE pack SET data = ?', zstdCompressSync(zstdDecompressSync(own)));
  const more = createPieceWriter(db);
  more.put(Buffer.from('{"second":2}\n'));
  more.flush();
  expect(all(db, 'SELECT id FROM pack').length).toBe(1);
  expect(createPieceReader(db).piece(id).equals(kept)).toBe(true);
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
