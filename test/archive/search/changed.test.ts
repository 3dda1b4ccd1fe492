import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setDerived } from '../../../src/archive/index/derived.ts';
import { updateIndex } from '../../../src/archive/index/textindex.ts';
import { searchIndex } from '../../../src/archive/search/search.ts';
import { changesOf } from '../../../src/archive/store.ts';
import { io, ioSince } from '../../../src/disk/io.ts';
import { archiveIn, entry, FORK, PLACE, rootOf, SESSION, syncRoot } from '../helpers.ts';
import { inFiles, inIndex, onDisk, requestOf, searchable } from './helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const OTHER = `${PLACE}/${FORK}.jsonl`;

function archived() {
  return searchable({ [NAME]: entry('a') + entry('b'), [OTHER]: entry('c', FORK) });
}

describe('the index is never silently behind', () => {
  test('what was appended since is read beside it; the rest is not', () => {
    const { archive, root } = archived();
    appendFileSync(join(root, NAME), entry('d', SESSION, 'newword text'));
    const before = { ...io };
    expect(inIndex(archive, root, 'newword').total).toBe(1);
    expect(ioSince(before).bytesRead).toBeLessThan(readFileSync(join(root, NAME)).length * 3);
    const { total, scanned, engine } = inIndex(archive, root, 'text');
    expect([total, scanned, engine]).toEqual([4, 1, 'index']);
    expect(total).toBe(inFiles(root, 'text').total);
  });

  test('what is new is found, what was deleted is still found', () => {
    const { archive, root } = archived();
    writeFileSync(join(root, `${PLACE}/33333333-3333-4333-8333-333333333333.jsonl`), entry('e'));
    rmSync(join(root, OTHER));
    const { hits } = inIndex(archive, root, 'text');
    expect(hits.map(({ uuid }) => uuid).sort()).toEqual(['a', 'b', 'c', 'e']);
  });

  test('what was rewritten is found in both states', () => {
    const { archive, root } = archived();
    writeFileSync(join(root, NAME), entry('a') + entry('x', SESSION, 'rewritten'));
    expect(inIndex(archive, root, 'rewritten').total).toBe(1);
    syncRoot(archive, root);
    updateIndex(archive);
    expect(['rewritten', '"text of b"'].map((text) => inIndex(archive, root, text).total)).toEqual([1, 1]);
  });

  test('E12: an entry that was written anew is shown as it is now, where it still fits, else as it was', () => {
    const uuid = '1a2b3c4d-0000-4000-8000-000000000001';
    const { archive, root } = searchable({ [NAME]: entry(uuid, SESSION, 'wombat quokka') + entry('b') });
    writeFileSync(join(root, NAME), entry(uuid, SESSION, 'wombat numbat') + entry('b'));
    const found = (text: string) => inIndex(archive, root, text).hits.map((hit) => [hit.snippet, hit.version]);
    const expected = { wombat: ['wombat numbat', undefined], numbat: ['wombat numbat', undefined] };
    const check = () => {
      for (const [word, hit] of Object.entries(expected)) expect([word, found(word)]).toEqual([word, [hit]]);
      expect(found('quokka')).toEqual([['wombat quokka', 1]]);
    };
    check();
    syncRoot(archive, root);
    updateIndex(archive);
    check();
  });

  test('an index that lacks archived lines is not used', () => {
    const { archive, root } = archived();
    appendFileSync(join(root, NAME), entry('d', SESSION, 'newword'));
    syncRoot(archive, root);
    expect(searchIndex(archive, onDisk(root), requestOf('newword'))).toBeUndefined();
    updateIndex(archive);
    expect(inIndex(archive, root, 'newword')).toMatchObject({ total: 1, scanned: 0 });
  });

  test('what the hook archived since is read beside it, as long as it stands on disk', () => {
    const { archive, root } = archived();
    setDerived(archive, changesOf(archive.db));
    const hooked = (...lines: string[]) => {
      appendFileSync(join(root, NAME), lines.join(''));
      syncRoot(archive, root);
    };
    const both = (text: string) => {
      const { total, scanned, hits } = inIndex(archive, root, text);
      expect(total).toBe(inFiles(root, text).total);
      return [total, scanned, hits.map(({ uuid }) => uuid).sort()];
    };
    hooked(entry('d', SESSION, 'newword text'));
    expect(both('newword')).toEqual([1, 1, ['d']]);
    expect(both('text')).toEqual([4, 1, ['a', 'b', 'c', 'd']]);
    // Once more, and then more than is archived, in part.
    hooked(entry('e', SESSION, 'newword'));
    appendFileSync(join(root, NAME), entry('f', SESSION, 'newword') + entry('g', SESSION, 'newword').trimEnd());
    expect(both('newword')).toEqual([4, 1, ['d', 'e', 'f', 'g']]);
    // A new session, and one that is gone since but was indexed.
    rootOf({ [`${PLACE}/33333333-3333-4333-8333-333333333333.jsonl`]: entry('h', SESSION, 'newword') }, root);
    syncRoot(archive, root);
    rmSync(join(root, OTHER));
    expect(inIndex(archive, root, 'newword')).toMatchObject({ total: 5, scanned: 2 });
    expect(inIndex(archive, root, 'text').hits.map(({ uuid }) => uuid)).toContain('c');
    updateIndex(archive);
    setDerived(archive, changesOf(archive.db));
    expect(inIndex(archive, root, 'newword')).toMatchObject({ total: 5, scanned: 0 });
  });

  test.each<[what: string, change: (file: string) => void]>([
    ['gone', (file) => rmSync(file)],
    ['shorter', (file) => writeFileSync(file, entry('a'))],
    ['other', (file) => writeFileSync(file, entry('a') + entry('b') + entry('d', SESSION, 'oldword') + entry('y'))],
  ])('what the hook archived since, and is %s since then, is not passed over', (_, change) => {
    const { archive, root } = archived();
    setDerived(archive, changesOf(archive.db));
    appendFileSync(join(root, NAME), entry('d', SESSION, 'newword'));
    syncRoot(archive, root);
    change(join(root, NAME));
    expect(searchIndex(archive, onDisk(root), requestOf('newword'))).toBeUndefined();
    // It is no part of what is asked for.
    expect(inIndex(archive, root, `session:${FORK} text`).total).toBe(1);
    updateIndex(archive);
    expect(inIndex(archive, root, 'newword').total).toBe(1);
  });

  test('without what was known when it was made, an index that is behind is not used', () => {
    const { archive, root } = archived();
    setDerived(archive, changesOf(archive.db));
    appendFileSync(join(root, NAME), entry('d', SESSION, 'newword'));
    syncRoot(archive, root);
    setDerived(archive, changesOf(archive.db));
    expect(searchIndex(archive, onDisk(root), requestOf('newword'))).toBeUndefined();
  });

  test('a part of the text and a regular expression are looked for in the files', () => {
    const { archive, root } = archived();
    for (const text of ['~ext', '/te.t/']) {
      expect(searchIndex(archive, onDisk(root), requestOf(text))).toBeUndefined();
      expect(inFiles(root, text).total).toBe(3);
    }
  });
});

test('pages follow each other without gaps, by rank and by date', () => {
  const lines = Array.from({ length: 25 }, (_, n) =>
    entry(`u${n}`).replace('"uuid"', `"timestamp":"2026-01-01T00:00:${String(n).padStart(2, '0')}Z","uuid"`),
  );
  const { archive, root } = searchable({ [NAME]: lines.slice(0, 20).join('') });
  appendFileSync(join(root, NAME), lines.slice(20).join(''));
  for (const sort of ['rank', 'date'] as const) {
    const pages = [0, 7, 14, 21].map((offset) => inIndex(archive, root, 'text', { offset, limit: 7, sort }));
    expect(pages.map(({ total, hits }) => [total, hits.length])).toEqual([
      [25, 7],
      [25, 7],
      [25, 7],
      [25, 4],
    ]);
    const uuids = pages.flatMap(({ hits }) => hits.map(({ uuid }) => uuid));
    expect(new Set(uuids).size).toBe(25);
    if (sort === 'date') expect(uuids).toEqual(lines.map((_, n) => `u${24 - n}`));
  }
});

describe('while another process archives', () => {
  /** Something happens when a search comes to look at the disk. */
  function diskWith(root: string, happens: () => void) {
    const disk = onDisk(root);
    let isOver = false;
    return {
      get roots() {
        if (!isOver) happens();
        isOver = true;
        return disk.roots;
      },
    };
  }

  test.each(['not yet indexed', 'indexed'])('what was archived since the search began is found, %s', (then) => {
    const { archive, root } = archived();
    const other = archiveIn(archive.folder);
    appendFileSync(join(root, NAME), entry('d', SESSION, 'newword text'));
    const disk = diskWith(root, () => {
      syncRoot(other, root);
      if (then === 'indexed') updateIndex(other);
    });
    const found = searchIndex(archive, disk, requestOf('text'));
    expect(found?.hits.map(({ uuid }) => uuid).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(found?.total).toBe(4);
  });

  test('an index that is ahead of the archive as it was looked at first is asked all the same', () => {
    const { archive, root } = archived();
    const other = archiveIn(archive.folder);
    appendFileSync(join(root, NAME), entry('d', SESSION, 'newword text'));
    let looks = 0;
    const watched = {
      ...archive,
      get folder() {
        looks += 1;
        if (looks === 1) {
          syncRoot(other, root);
          updateIndex(other);
        }
        return archive.folder;
      },
    };
    expect(searchIndex(watched, onDisk(root), requestOf('text'))).toMatchObject({ total: 4, scanned: 0 });
  });
});
