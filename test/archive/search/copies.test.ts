/** A line that many files hold: which of them is named, and how many are looked for. */
import { expect, test } from 'vitest';
import { openIndexForReading } from '../../../src/archive/index/derived.ts';
import { createLoader, type LoaderPlaces } from '../../../src/archive/search/archived.ts';
import { findIndexed } from '../../../src/archive/search/indexed.ts';
import { entry, PLACE, SESSION } from '../helpers.ts';
import { NOW, requestOf, searchable } from './helpers.ts';

const COPIES = 30;
const nameOf = (copy: number) => `${PLACE}/${String(copy).padStart(8, '0')}-0000-4000-8000-000000000000.jsonl`;

/** Which names are asked for where they lie, when each line that was found is read; those up to one are gone. */
function askedOf(gone: number): string[] {
  const text = ['a', 'b', 'c'].map((uuid) => entry(uuid, SESSION, `ocelot ${uuid}`)).join('');
  const names = Array.from({ length: COPIES }, (_, copy) => nameOf(copy));
  const { archive } = searchable(Object.fromEntries(names.map((name) => [name, text])));
  const index = openIndexForReading(archive);
  if (index === undefined) throw new Error('there is no index');
  const { query } = requestOf('ocelot');
  const { rows } = findIndexed(index.db, { query, sort: 'rank', now: NOW.getTime() }, 100);
  const asked: string[] = [];
  const places: LoaderPlaces = {
    pathOf({ name }) {
      asked.push(name);
      return asked.length > gone ? '/nowhere/else.jsonl' : undefined;
    },
    isLost: () => false,
    nowOf: () => undefined,
    othersOf: () => [],
    fits: () => true,
  };
  const load = createLoader(archive.db, { wanted: undefined }, places, rows);
  const found = rows.map((row) => load(row)?.text);
  index.close();
  expect(found.toSorted()).toEqual(['ocelot a', 'ocelot b', 'ocelot c']);
  return asked;
}

test('H1: of many copies the first that is still there is looked for, once for all that it holds', () => {
  expect(askedOf(0)).toHaveLength(1);
  expect(askedOf(7)).toHaveLength(8);
  expect(askedOf(COPIES)).toHaveLength(COPIES);
});
