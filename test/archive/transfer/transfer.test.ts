import { appendFileSync, linkSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allFiles } from '../../../src/archive/files.ts';
import { forget } from '../../../src/archive/forget/forget.ts';
import { keptIn } from '../../../src/archive/status.ts';
import { type Archive, openArchiveFile } from '../../../src/archive/store.ts';
import { exportArchive } from '../../../src/archive/transfer/export.ts';
import { mergeArchive } from '../../../src/archive/transfer/merge.ts';
import { tempFolder } from '../../support/files.ts';
import {
  archiveIn,
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

const lines = (...uuids: string[]) => uuids.map((uuid) => entry(uuid)).join('');
const NAME = `${PLACE}/${SESSION}.jsonl`;

describe('moving to another machine', () => {
  test('everything comes along, and the next sync knows it', () => {
    const root = rootOf({
      [NAME]: `${lines('a', 'b')}{"torn`,
      'plans/p.md': 'p',
      [`${PLACE}/${FORK}.jsonl`]: entry('a', FORK),
    });
    const archive = newArchive();
    syncRoot(archive, root);
    const file = exported(archive);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const moved = newArchive();
    expect(importInto(moved, file)).toMatchObject({ files: 3, added: 3, known: 0 });
    expect(faultsOf(moved)).toEqual([]);
    expect(syncRoot(moved, root).outcomes).toMatchObject({ unchanged: 3 });
    const to = tempFolder();
    restoreAll(moved, to);
    expect(contentOf(to)).toEqual(contentOf(root));
    expect(importInto(moved, file)).toMatchObject({ added: 0, known: 3, bytes: 0 });
  });

  test('a copy that went on there lengthens ours, a shorter one adds nothing', () => {
    const root = rootOf({ [NAME]: lines('a') });
    const [here, there] = [newArchive(), newArchive()];
    syncRoot(here, root);
    importInto(there, exported(here));
    appendFileSync(join(root, NAME), entry('b'));
    syncRoot(there, root);
    expect(importInto(there, exported(here))).toMatchObject({ added: 0, known: 1 });
    expect(importInto(here, exported(there))).toMatchObject({ added: 1, known: 0 });
    expect(statesOf(here, NAME).map(String)).toEqual([lines('a', 'b')]);
    expect(faultsOf(here)).toEqual([]);
  });
});

describe('merging two machines', () => {
  test('a union, nothing twice, whichever way round and however often', () => {
    const roots = [
      rootOf({ [NAME]: lines('a', 'b'), 'history.jsonl': 'one\n' }),
      rootOf({ [NAME]: lines('a', 'b', 'c'), 'history.jsonl': 'two\n', [`${PLACE}/${FORK}.jsonl`]: entry('a', FORK) }),
    ];
    const [one, two] = [newArchive(), newArchive()];
    syncRoot(one, roots[0] ?? '');
    syncRoot(two, roots[1] ?? '');
    const exports = [exported(one), exported(two)];
    const before = keptIn(one);
    expect(importInto(one, exports[1] ?? '')).toMatchObject({ files: 3, added: 3 });
    expect(importInto(two, exports[0] ?? '')).toMatchObject({ files: 2, added: 2 });
    for (const archive of [one, two]) {
      expect(keptIn(archive)).toMatchObject({ files: 5, versions: 5, machines: 2 });
      expect(faultsOf(archive)).toEqual([]);
    }
    // Lines both had are stored once: only c and the other history are new.
    expect(keptIn(one).storedBytes - before.storedBytes).toBeLessThan(entry('c').length + 'two\n'.length + 10);
    expect(keptIn(one).storedBytes).toBe(keptIn(two).storedBytes);
    for (const file of exports) expect(importInto(one, file)).toMatchObject({ added: 0, bytes: 0 });
    expect(syncRoot(one, roots[0] ?? '').outcomes).toMatchObject({ unchanged: 2 });
    const to = tempFolder();
    expect(restoreAll(one, to).every(({ outcome }) => outcome === 'restored')).toBe(true);
    expect(contentOf(to).size).toBe(5);
  });

  test('two states of one file with the same size and time are two', () => {
    const root = rootOf({ [NAME]: lines('a') });
    utimesSync(join(root, NAME), 5, 5);
    const [here, there] = [newArchive(), newArchive()];
    syncRoot(here, root);
    importInto(there, exported(here));
    rootOf({ [NAME]: lines('b') }, root);
    utimesSync(join(root, NAME), 5, 5);
    syncRoot(there, root, { full: true });
    expect(importInto(here, exported(there))).toMatchObject({ added: 1, known: 1 });
    expect(statesOf(here, NAME).map(String)).toEqual([lines('a'), lines('b')]);
    expect(currentOf(here, NAME).toString()).toBe(lines('a'));
  });

  test.each([
    ['a plan that was written anew', 'plans/plan.md', ['one\ntwo\n', 'three\n']],
    ['a plan that was cut', 'plans/plan.md', ['one\ntwo\n', 'one\n']],
    ['a session that was written anew', NAME, [lines('a', 'b'), lines('c')]],
    ['a session that was cut', NAME, [lines('a', 'b'), lines('a')]],
    ['a session that is as it was', NAME, [lines('a'), lines('b'), lines('a')]],
  ])('%s since the last import is what its machine saw last', (_, name, states) => {
    const root = rootOf({});
    const [here, there] = [newArchive(), newArchive()];
    syncRoot(here, rootOf({ 'history.jsonl': 'one\n' }));
    const exports = states.map((state, at) => {
      rootOf({ [name]: state }, root);
      utimesSync(join(root, name), at + 1, at + 1);
      syncRoot(there, root);
      const file = exported(there);
      importInto(here, file);
      expect(currentOf(here, name).toString()).toBe(state);
      return file;
    });
    // An older export says nothing new.
    for (const file of exports) expect(importInto(here, file)).toMatchObject({ added: 0 });
    expect(currentOf(here, name).toString()).toBe(states.at(-1));
    expect(statesOf(here, name)).toEqual(statesOf(there, name));
    expect(faultsOf(here)).toEqual([]);
  });

  test('what was forgotten here is not taken in again; what is here is not forgotten by others', () => {
    const root = rootOf({ [NAME]: lines('a'), [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK) });
    const [here, there] = [newArchive(), newArchive()];
    syncRoot(here, root);
    const whole = exported(here);
    importInto(there, whole);
    forget(
      here,
      allFiles(here.db).filter(({ session }) => session === SESSION),
      new Date(0),
    );
    expect(importInto(here, whole)).toMatchObject({ forgotten: 1, added: 0 });
    expect(importInto(there, exported(here))).toMatchObject({ added: 0 });
    expect(keptIn(there)).toMatchObject({ sessions: 2, tombstones: 0 });
    const third = newArchive();
    importInto(third, exported(here));
    expect(keptIn(third)).toMatchObject({ sessions: 1, tombstones: 1 });
    expect(syncRoot(third, root).forgotten).toBe(1);
  });
});

describe("an export does not take the place of the archive's own files", () => {
  const ends = ['', '-wal', '-shm', '-journal'];
  test.each(['archive.db', 'index.db'].flatMap((name) => ends.map((end) => name + end)))('%s', (name) => {
    const archive = newArchive();
    syncRoot(archive, rootOf({ [NAME]: lines('a') }));
    const link = join(tempFolder(), 'link');
    symlinkSync(archive.folder, link);
    for (const folder of [archive.folder, link])
      expect(() => exportArchive(archive, join(folder, name))).toThrow(/file of the archive itself/);
    expect(readdirSync(archive.folder).filter((each) => each.endsWith('.tmp'))).toEqual([]);
    syncRoot(archive, rootOf({ [NAME]: lines('b') }));
    expect(faultsOf(archive)).toEqual([]);
  });

  test('nor where a link leads to them, or from them', () => {
    const moved = newArchive();
    moved.close();
    const folder = tempFolder();
    symlinkSync(moved.path, join(folder, 'archive.db'));
    const archive = archiveIn(folder);
    syncRoot(archive, rootOf({ [NAME]: lines('a') }));
    linkSync(moved.path, join(folder, 'other.db'));
    for (const to of [moved.path, `${moved.path}-wal`, join(folder, 'archive.db'), join(folder, 'other.db')])
      expect(() => exportArchive(archive, to)).toThrow(/file of the archive itself/);
    exportArchive(archive, join(folder, 'export.db'));
    expect(statSync(join(folder, 'export.db')).isFile()).toBe(true);
  });
});

test('an export is a whole archive of its own, also while the source is gone', () => {
  const root = rootOf({ [NAME]: lines('a') });
  const archive = newArchive();
  syncRoot(archive, root);
  const file = exported(archive);
  archive.close();
  rmSync(archive.folder, { recursive: true });
  const other = openArchiveFile(file);
  expect(currentOf(other, NAME).toString()).toBe(lines('a'));
  expect(faultsOf(other)).toEqual([]);
  other.close();
});
