import { readdirSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createPieceWriter } from '../../../src/archive/pieces/packs.ts';
import { all, type Database, get, numberOf, transaction } from '../../../src/archive/sqlite.ts';
import { verify } from '../../../src/archive/verify.ts';
import { archiveIn, newArchive } from '../helpers.ts';

/** In one transaction; gives the ids of the pieces. */
function put(db: Database, texts: readonly string[]): number[] {
  return transaction(db, () => {
    const pieces = createPieceWriter(db);
    const ids = texts.map((text) => pieces.put(Buffer.from(`${text}\n`)).id);
    pieces.flush();
    return ids;
  });
}

function count(db: Database): number {
  return numberOf(get(db, 'SELECT count(*) AS n FROM piece'), 'n');
}

const many = (name: string, length: number) => Array.from({ length }, (_, place) => `${name} ${place}`);

test('a new archive has an address for each line, and none twice, in one transaction and in the next', () => {
  const archive = newArchive();
  const lines = many('a', 300);
  const ids = lines.map((_, place) => place + 1);
  expect(put(archive.db, [...lines, ...lines])).toEqual([...ids, ...ids]);
  expect(put(archive.db, ['b', ...lines, 'b'])).toEqual([301, ...ids, 301]);
  const rows = all(archive.db, 'SELECT id FROM piece ORDER BY id').map((row) => numberOf(row, 'id'));
  expect(rows).toEqual([...ids, 301]);
  expect(verify(archive).faults).toEqual([]);
});

test('what another process adds between two transactions is not taken again', () => {
  const archive = newArchive();
  put(archive.db, many('a', 100));
  const other = archiveIn(archive.folder);
  const [theirs] = put(other.db, ['theirs']);
  expect(put(archive.db, ['theirs', 'mine'])).toEqual([theirs, 102]);
  expect(count(archive.db)).toBe(102);
});

test('what was undone is taken later, also when another process took as much meanwhile', () => {
  const archive = newArchive();
  put(archive.db, many('a', 10));
  const undone = () =>
    transaction(archive.db, () => {
      const pieces = createPieceWriter(archive.db);
      for (const text of many('b', 5)) pieces.put(Buffer.from(`${text}\n`));
      pieces.flush();
      throw new Error('undone');
    });
  expect(undone).toThrow('undone');
  const theirs = put(archiveIn(archive.folder).db, many('c', 5));
  expect(put(archive.db, [...many('c', 5), ...many('b', 5)])).toEqual([...theirs, 16, 17, 18, 19, 20]);
  expect(count(archive.db)).toBe(20);
});

test.runIf(process.platform === 'linux')('pages are not copied to be undone when addresses are written', () => {
  const { db } = newArchive();
  put(db, many('a', 20_000));
  transaction(db, () => {
    const pieces = createPieceWriter(db);
    // Few among many: each lies on a page of its own.
    for (const text of many('b', 100)) pieces.put(Buffer.from(`${text}\n`));
    pieces.flush();
    expect(temporaryFiles()).toEqual([]);
  });
});

/** Of SQLite, which deletes them as soon as they are open. */
function temporaryFiles(): string[] {
  const links = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return [];
    }
  });
  return links.filter((link) => link.includes('etilqs_'));
}
