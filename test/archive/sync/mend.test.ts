/** What is stored is damaged: found, not handed on, and put right where a good copy comes. */
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allFiles } from '../../../src/archive/files.ts';
import { readPack, writePack } from '../../../src/archive/pieces/packs.ts';
import { scrub } from '../../../src/archive/scrub/scrub.ts';
import { secretMasker } from '../../../src/archive/scrub/secrets.ts';
import { all, numberOf, run } from '../../../src/archive/sqlite.ts';
import { type Archive, openArchiveFile } from '../../../src/archive/store.ts';
import { exportArchive } from '../../../src/archive/transfer/export.ts';
import { mergeArchive } from '../../../src/archive/transfer/merge.ts';
import { tempFolder } from '../../support/files.ts';
import {
  contentOf,
  currentOf,
  entry,
  FORK,
  faultsOf,
  newArchive,
  PLACE,
  restoreAll,
  rootOf,
  SESSION,
  statesOf,
  syncRoot,
} from '../helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const COPY = `${PLACE}/${FORK}.jsonl`;
const lines = (...uuids: string[]) => uuids.map((uuid) => entry(uuid)).join('');

/** Another letter in the text of a line: what the archive stores can be read, and is wrong. */
function flip(archive: Archive, uuid: string): void {
  for (const row of all(archive.db, 'SELECT id FROM pack')) {
    const pack = readPack(archive.db, numberOf(row, 'id'));
    const at = pack.data.indexOf(`text of ${uuid}`);
    if (at < 0) continue;
    pack.data[at] = (pack.data[at] ?? 0) ^ 1;
    writePack(archive.db, pack);
    return;
  }
  throw new Error(`${uuid} is not stored`);
}

const unreadable = (archive: Archive) => run(archive.db, "UPDATE pack SET data = x'0011'");

function exported(archive: Archive): string {
  const file = join(tempFolder(), 'export.db');
  exportArchive(archive, file);
  return file;
}

function importInto(archive: Archive, file: string) {
  const other = openArchiveFile(file);
  try {
    return mergeArchive(archive, other);
  } finally {
    other.close();
  }
}

describe('an import of a damaged archive', () => {
  test('takes what lies before a line that is not what was archived, and all else', () => {
    const other = newArchive();
    syncRoot(other, rootOf({ [NAME]: lines('a', 'b', 'c'), [COPY]: entry('x', FORK), 'plans/p.md': 'plan' }));
    flip(other, 'b');
    const own = newArchive();
    const merged = importInto(own, exported(other));
    expect(merged).toMatchObject({ added: 3, known: 0, problems: [{ kind: 'unreadable' }] });
    expect(merged.problems[0]?.where).toContain(NAME);
    expect(currentOf(own, NAME).toString()).toBe(lines('a'));
    expect(currentOf(own, COPY).toString()).toBe(entry('x', FORK));
    expect(faultsOf(own)).toEqual([]);
  });

  test('the whole comes with a good one later', () => {
    const other = newArchive();
    syncRoot(other, rootOf({ [NAME]: lines('a', 'b', 'c') }));
    const good = exported(other);
    flip(other, 'b');
    const own = newArchive();
    const bad = exported(other);
    importInto(own, bad);
    // What is here needs no second version.
    expect(importInto(own, bad)).toMatchObject({ added: 0, problems: [{}] });
    expect(importInto(own, good)).toMatchObject({ added: 1, problems: [] });
    expect(importInto(own, bad)).toMatchObject({ added: 0, known: 1, problems: [] });
    expect(statesOf(own, NAME).map(String)).toEqual([lines('a', 'b', 'c')]);
    expect(faultsOf(own)).toEqual([]);
  });

  test.each([
    ['the value that was cut out', "UPDATE param SET value = 'somebody-else'"],
    ['the torn end', "UPDATE version SET tail = x'41' WHERE length(tail) > 0"],
    ['the first line', 'UPDATE run SET first = first + 1, count = count - 1 WHERE count > 2'],
  ])('a version whose lines are sound and which is not is left out: %s', (_, change) => {
    const other = newArchive();
    syncRoot(other, rootOf({ [NAME]: `${lines('a', 'b', 'c')}{"torn`, 'plans/p.md': 'plan' }));
    other.db.exec(change);
    const own = newArchive();
    const merged = importInto(own, exported(other));
    expect(merged).toMatchObject({ added: 1, known: 0, problems: [{ next: expect.stringContaining('left out') }] });
    expect(allFiles(own.db).map(({ name }) => name)).toEqual(['plans/p.md']);
    expect(faultsOf(own)).toEqual([]);
  });
});

describe('a damaged archive is put right', () => {
  const damages: [string, (archive: Archive) => void][] = [
    ['a line that changed', (archive) => flip(archive, 'b')],
    ['packs that cannot be read', unreadable],
    ['packs that are gone', (archive) => run(archive.db, 'DELETE FROM pack')],
    ['a number of lines that is wrong', (archive) => run(archive.db, 'UPDATE pack SET count = 4000000000000')],
    ['runs that are gone', (archive) => run(archive.db, 'DELETE FROM run')],
    ['another torn end', (archive) => run(archive.db, "UPDATE version SET tail = x'41'")],
  ];
  function filled() {
    const root = rootOf({ [NAME]: `${lines('a', 'b', 'c')}{"torn`, 'plans/p.md': 'plan' });
    const archive = newArchive();
    syncRoot(archive, root);
    return { root, archive };
  }

  test.each(damages)('by a full sync: %s', (_, damage) => {
    const { root, archive } = filled();
    damage(archive);
    expect(faultsOf(archive)).not.toEqual([]);
    const report = syncRoot(archive, root, { full: true });
    expect(report.outcomes).toMatchObject({ unchanged: 2, rewritten: 0 });
    expect(report.mended).toBeGreaterThan(0);
    expect(faultsOf(archive)).toEqual([]);
    const to = tempFolder();
    restoreAll(archive, to);
    expect(contentOf(to)).toEqual(contentOf(root));
    expect(syncRoot(archive, root, { full: true }).mended).toBe(0);
  });

  test.each(damages)('by an import: %s', (_, damage) => {
    const { archive } = filled();
    const good = exported(archive);
    damage(archive);
    const merged = importInto(archive, good);
    expect(merged).toMatchObject({ added: 0, known: 2, problems: [] });
    expect(merged.mended).toBeGreaterThan(0);
    expect(faultsOf(archive)).toEqual([]);
    expect(currentOf(archive, NAME).toString()).toBe(`${lines('a', 'b', 'c')}{"torn`);
  });

  test('a file that grew is mended and goes on', () => {
    const { root, archive } = filled();
    unreadable(archive);
    appendFileSync(join(root, NAME), ' line"}\n');
    expect(syncRoot(archive, root, { full: true })).toMatchObject({ outcomes: { appended: 1 }, mended: 2 });
    expect(faultsOf(archive)).toEqual([]);
  });

  test('a new copy that is taken by a full sync is whole, and so is what it is a copy of', () => {
    const { root, archive } = filled();
    flip(archive, 'b');
    rmSync(join(root, NAME));
    rootOf({ [COPY]: entry('a', FORK) + entry('b', FORK) }, root);
    expect(syncRoot(archive, root, { full: true }).outcomes).toMatchObject({ added: 1 });
    expect(faultsOf(archive)).toEqual([]);
    expect(currentOf(archive, NAME).toString()).toBe(`${lines('a', 'b', 'c')}{"torn`);
  });

  test('what is sound in a pack stays when a line of it is put right; what is still on disk comes back of one that is lost', () => {
    const { root, archive } = filled();
    const before = currentOf(archive, NAME).toString();
    rmSync(join(root, NAME));
    rootOf({ [COPY]: entry('b', FORK) }, root);
    flip(archive, 'b');
    syncRoot(archive, root, { full: true });
    expect(currentOf(archive, NAME).toString()).toBe(before);
    unreadable(archive);
    syncRoot(archive, root, { full: true });
    expect(currentOf(archive, COPY).toString()).toBe(entry('b', FORK));
    expect(currentOf(archive, 'plans/p.md').toString()).toBe('plan');
    expect(faultsOf(archive)).not.toEqual([]);
  });

  test('an address that leads to another line does not cost that line', () => {
    const { root, archive } = filled();
    const wrong = 'UPDATE piece SET id = (SELECT max(id) FROM piece) WHERE id = (SELECT min(id) FROM piece)';
    run(archive.db, wrong);
    rootOf({ [COPY]: entry('a', FORK) + entry('b', FORK) + entry('c', FORK) }, root);
    syncRoot(archive, root, { full: true });
    for (const [name, content] of [...contentOf(root)]) {
      expect([name, currentOf(archive, name).toString()]).toEqual([name, content.bytes]);
    }
  });

  test('what was scrubbed does not come back', async () => {
    const secret = `ghp_${'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY'.padEnd(36, 'z9')}`;
    const root = rootOf({ [NAME]: entry('a', SESSION, secret) + entry('b') });
    const archive = newArchive();
    syncRoot(archive, root);
    await scrub(archive, allFiles(archive.db), secretMasker(), new Date(0));
    flip(archive, 'b');
    expect(syncRoot(archive, root, { full: true })).toMatchObject({ outcomes: { unchanged: 1 }, mended: 1 });
    expect(faultsOf(archive)).toEqual([]);
    unreadable(archive);
    syncRoot(archive, root, { full: true });
    const readable = all(archive.db, "SELECT id FROM pack WHERE data <> x'0011'");
    expect(readable).not.toEqual([]);
    for (const row of readable) {
      expect(readPack(archive.db, numberOf(row, 'id')).data.toString()).not.toContain(secret);
    }
  });

  test.each(['77', 'NULL'])('a current version that is not there (%s) is found again by a sync', (current) => {
    const { root, archive } = filled();
    run(archive.db, `UPDATE file SET current = ${current}`);
    syncRoot(archive, root);
    expect(faultsOf(archive)).toEqual([]);
    expect(statesOf(archive, NAME)).toHaveLength(1);
  });

  test('a sync goes on beside a pack that cannot be read', () => {
    const { root, archive } = filled();
    unreadable(archive);
    // As much as is in the last pack, so that the two would be joined.
    rootOf({ [COPY]: entry('new', FORK, 'x'.repeat(2000)) }, root);
    expect(syncRoot(archive, root).outcomes).toMatchObject({ added: 1 });
    expect(currentOf(archive, COPY).toString()).toBe(entry('new', FORK, 'x'.repeat(2000)));
  });
});
