import { appendFileSync, copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allFiles } from '../../../src/archive/files.ts';
import { forget } from '../../../src/archive/forget/forget.ts';
import { emptyIndex, INDEX_NAME, openIndex, openIndexForReading } from '../../../src/archive/index/derived.ts';
import { rebuildIndex, updateIndex } from '../../../src/archive/index/textindex.ts';
import { get, run, totalChanges } from '../../../src/archive/sqlite.ts';
import type { Archive } from '../../../src/archive/store.ts';
import { exportArchive } from '../../../src/archive/transfer/export.ts';
import { FIXTURES, tempFolder } from '../../support/files.ts';
import { archiveIn, entry, FORK, newArchive, PLACE, rootOf, SESSION, syncRoot } from '../helpers.ts';
import { inIndex } from '../search/helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;

/** In the index alone: no file on disk is looked at. */
function total(archive: Archive, query: string): number {
  return inIndex(archive, archive.folder, query).total;
}

function filled(files: Record<string, string>) {
  const archive = newArchive();
  const root = rootOf(files);
  syncRoot(archive, root);
  return { archive, root, indexed: updateIndex(archive) };
}

test('only what is new is indexed; nothing new writes nothing', () => {
  const { archive, root, indexed } = filled({ [NAME]: entry('a').repeat(3) + entry('b') });
  expect(indexed.lines).toBe(2);
  const index = openIndex(archive);
  const before = totalChanges(index.db);
  expect(updateIndex(archive)).toEqual({ lines: 0, bytes: 0 });
  expect(totalChanges(index.db)).toBe(before);
  index.close();
  appendFileSync(join(root, NAME), entry('c'));
  syncRoot(archive, root);
  expect(updateIndex(archive).lines).toBe(1);
  expect(total(archive, 'text')).toBe(3);
});

test('words are gathered while the rows beside them are written', () => {
  const { archive } = filled({ [NAME]: Array.from({ length: 100 }, (_, place) => entry(`e${place}`)).join('') });
  const index = openIndex(archive);
  expect(get(index.db, 'SELECT count(*) AS n FROM part')?.n).toBe(100);
  // A statement that may fail in the middle of its rows would have them written out before it: a part of the index each time.
  expect(get(index.db, 'SELECT count(DISTINCT segid) AS n FROM words_idx')?.n).toBe(1);
  index.close();
});

test('parts of the index are merged when there are 64 of them, not before', () => {
  const index = openIndex(newArchive());
  const parts = () => get(index.db, 'SELECT count(DISTINCT segid) AS n FROM words_idx')?.n;
  const add = (from: number, to: number) => {
    // Each statement is a transaction of its own, which leaves a part.
    for (let id = from; id <= to; id += 1)
      run(index.db, 'INSERT INTO words (rowid, body) VALUES (?, ?)', id, `word w${id}`);
  };
  add(1, 60);
  expect(parts()).toBe(60);
  add(61, 70);
  expect(parts()).toBeLessThan(10);
  expect(get(index.db, "SELECT count(*) AS n FROM words WHERE words MATCH 'word'")?.n).toBe(70);
  index.close();
});

test('deleted, damaged, of another layout or another archive: it is made again', () => {
  const { archive } = filled({ [NAME]: entry('a') });
  const path = join(archive.folder, INDEX_NAME);
  const change = (sql: string) => {
    const index = openIndex(archive);
    index.db.exec(sql);
    index.close();
  };
  const spoil: (() => void)[] = [
    () => rmSync(path),
    () => emptyIndex(archive),
    () => writeFileSync(path, 'no database at all '.repeat(1000)),
    () => change('PRAGMA user_version = 99'),
    () => change("UPDATE meta SET value = 'other' WHERE key = 'archive'"),
  ];
  for (const spoilt of spoil) {
    spoilt();
    updateIndex(archive);
    expect(total(archive, 'text')).toBe(1);
  }
  expect(rebuildIndex(archive).lines).toBe(1);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each([
  ['made alongside', { derive: true }],
  ['made afterwards', {}],
])('an older copy of archive.db put back under it: it is made again (%s)', (_, options) => {
  const other = (id: string) => `${PLACE}/${id.repeat(8)}-3333-4333-8333-333333333333.jsonl`;
  const take = (archive: Archive, root: string) => {
    syncRoot(archive, root, options);
    updateIndex(archive);
  };
  const root = rootOf({ [NAME]: entry('a', SESSION, 'zebra') });
  const archive = newArchive();
  take(archive, root);
  const copy = join(tempFolder(), 'copy.db');
  exportArchive(archive, copy);
  rootOf({ [other('b')]: entry('b', 'b', 'giraffe'), [other('c')]: entry('c', 'c', 'walrus') }, root);
  take(archive, root);
  archive.close();
  copyFileSync(copy, archive.path);
  const back = archiveIn(archive.folder);
  expect(openIndexForReading(back)).toBeUndefined();
  for (const id of 'bc') rmSync(join(root, other(id)));
  // As many lines as there were: by their number alone nothing is to be seen.
  rootOf({ [other('d')]: entry('d', 'd', 'okapi'), [other('e')]: entry('e', 'e', 'quokka') }, root);
  take(back, root);
  const totals = ['zebra', 'giraffe', 'walrus', 'okapi', 'quokka'].map((word) => total(back, word));
  expect(totals).toEqual([1, 0, 0, 1, 1]);
});

test('what was forgotten leaves the index too', () => {
  const { archive } = filled({
    [NAME]: entry('a', SESSION, 'xyzzyquux'),
    [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK),
  });
  forget(
    archive,
    allFiles(archive.db).filter(({ session }) => session === SESSION),
    new Date(0),
  );
  updateIndex(archive);
  expect([total(archive, 'xyzzyquux'), total(archive, 'text')]).toEqual([0, 1]);
  expect(readFileSync(join(archive.folder, INDEX_NAME)).includes('xyzzyquux')).toBe(false);
});

test('built in one go or after each sync, the index is the same', () => {
  const root = join(FIXTURES, 'recorded', '2.1.325', 'k-interactive');
  const [once, often] = [newArchive(), newArchive()];
  syncRoot(once, root);
  const copy = rootOf({ [NAME]: '' });
  for (const line of readFileSync(join(FIXTURES, 'probes.jsonl'), 'utf8').split('\n').slice(0, 60)) {
    appendFileSync(join(copy, NAME), `${line}\n`);
    syncRoot(often, copy);
    updateIndex(often);
  }
  syncRoot(once, copy);
  rebuildIndex(once);
  rmSync(copy, { recursive: true });
  syncRoot(often, root);
  updateIndex(often);
  for (const word of ['the', 'user', 'hello', 'file', 'tool']) expect(total(often, word)).toBe(total(once, word));
});
