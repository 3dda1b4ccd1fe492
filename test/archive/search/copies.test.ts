/** A line that many files hold: which of them is named, and how many are looked for. */
import { expect, test, vi } from 'vitest';
import { openIndexForReading } from '../../../src/archive/index/derived.ts';
import { createLoader, type LoaderPlaces } from '../../../src/archive/search/archived.ts';
import { findIndexed } from '../../../src/archive/search/indexed.ts';
import { entry, PLACE, SESSION } from '../helpers.ts';
import { NOW, requestOf, searchable } from './helpers.ts';

const COPIES = 30;
const nameOf = (copy: number) => `${PLACE}/${String(copy).padStart(8, '0')}-0000-4000-8000-000000000000.jsonl`;

/** Reads some of three lines that all copies hold; of the files that are asked for, so many are gone. */
function readSome(read: number, gone: number) {
  const text = ['a', 'b', 'c'].map((uuid) => entry(uuid, SESSION, `ocelot ${uuid}`)).join('');
  const names = Array.from({ length: COPIES }, (_, copy) => nameOf(copy));
  const { archive } = searchable(Object.fromEntries(names.map((name) => [name, text])));
  const index = openIndexForReading(archive);
  if (index === undefined) throw new Error('there is no index');
  const { query } = requestOf('ocelot');
  const { rows } = findIndexed(index.db, { query, sort: 'rank', now: NOW.getTime() }, 100);
  index.close();
  const asked: string[] = [];
  const prepare = vi.spyOn(archive.db, 'prepare');
  const places: LoaderPlaces = {
    pathOf({ name }) {
      asked.push(name);
      return asked.length > gone ? '/nowhere/else.jsonl' : undefined;
    },
    isLost: () => false,
    nowOf: () => undefined,
    // As if one were written in the ways of the others.
    othersOf: () => rows.slice(read),
    fits: () => true,
  };
  const load = createLoader(archive.db, { wanted: undefined }, places, rows.slice(0, read));
  const found = rows.slice(0, read).map((row) => load(row)?.text.slice(0, -1));
  expect(found).toEqual(Array.from({ length: read }, () => 'ocelot '));
  return { asked, statements: prepare.mock.calls.filter(([sql]) => sql.includes('wanted (piece)')) };
}

test('H1: of many copies the first that is still there is looked for, once for all that it holds', () => {
  expect(readSome(3, 0).asked).toHaveLength(1);
  expect(readSome(3, 7).asked).toHaveLength(8);
  expect(readSome(3, COPIES).asked).toHaveLength(COPIES);
});

test('who holds what is written in other ways is asked with one statement, however many these are', () => {
  expect(readSome(1, COPIES).statements).toHaveLength(1);
});
