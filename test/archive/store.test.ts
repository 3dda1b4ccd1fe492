import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allFiles } from '../../src/archive/files.ts';
import { archiveFolder } from '../../src/archive/place.ts';
import { restore } from '../../src/archive/restore/restore.ts';
import { all, get, openDatabase, run } from '../../src/archive/sqlite.ts';
import { openArchive, openIfMade } from '../../src/archive/store.ts';
import { verify } from '../../src/archive/verify.ts';
import { tempFolder } from '../support/files.ts';
import { archiveIn, entry, newArchive, PLACE, rootOf, SESSION, syncRoot } from './helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;

describe('where it lies', () => {
  test.each([
    [{ SKEIN_HOME: '/s' }, 'linux', '/s'],
    [{}, 'linux', '/h/.local/share/skein'],
    [{ XDG_DATA_HOME: '/x' }, 'linux', '/x/skein'],
    [{ XDG_DATA_HOME: '' }, 'linux', '/h/.local/share/skein'],
    [{}, 'darwin', '/h/Library/Application Support/skein'],
  ] as const)('%o on %s', (env, platform, folder) => {
    expect(archiveFolder({ env, home: '/h', platform })).toBe(folder);
  });
});

test('only the owner can read it', () => {
  const archive = newArchive();
  syncRoot(archive, rootOf({ [NAME]: entry('a') }));
  expect(statSync(archive.folder).mode & 0o777).toBe(0o700);
  for (const name of ['', '-wal', '-shm']) expect(statSync(archive.path + name).mode & 0o777).toBe(0o600);
});

describe('what is not ours is refused and not touched', () => {
  test.each([
    ['newer', 'PRAGMA user_version = 99', /made by a newer Skein/],
    ['older', 'PRAGMA user_version = 0', /made by an older Skein/],
    ['of another program', 'PRAGMA application_id = 7', /not Skein's archive/],
  ])('an archive %s', (_, change, message) => {
    const archive = newArchive();
    archive.db.exec(change);
    archive.close();
    const before = readFileSync(archive.path);
    expect(() => openArchive(archive.folder, { create: true })).toThrow(message);
    expect(readFileSync(archive.path).equals(before)).toBe(true);
  });

  test.each([
    ['newer', 'PRAGMA user_version = 99', /made by a newer Skein/],
    ['of another program', 'PRAGMA application_id = 7', /not Skein's archive/],
  ])('nor its mode, its journal, or what lies beside it: an archive %s', (_, change, message) => {
    const archive = newArchive();
    archive.db.exec(change);
    archive.close();
    for (const journal of [false, true]) {
      if (journal) {
        // As a process leaves it that was killed: what it wrote last is in the journal alone.
        const copy = tempFolder();
        const writer = openDatabase(archive.path);
        writer.exec('CREATE TABLE more (a)');
        for (const end of ['', '-wal']) copyFileSync(archive.path + end, join(copy, `archive.db${end}`));
        writer.close();
        for (const end of ['', '-wal']) copyFileSync(join(copy, `archive.db${end}`), archive.path + end);
      }
      chmodSync(archive.path, 0o644);
      const names = () => readdirSync(archive.folder).filter((name) => !name.endsWith('-shm'));
      const state = () => names().map((name) => [name, readFileSync(join(archive.folder, name)).toString('base64')]);
      const before = state();
      expect(before).toHaveLength(journal ? 2 : 1);
      expect(() => openArchive(archive.folder, { create: true })).toThrow(message);
      expect(state()).toEqual(before);
      expect(statSync(archive.path).mode & 0o777).toBe(0o644);
    }
  });

  test('a folder in its place', () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'archive.db'));
    for (const options of [{ create: true }, { reads: true }])
      expect(() => openArchive(folder, options)).toThrow(/a folder is in its place/);
    expect(() => openIfMade(folder)).toThrow(/a folder is in its place/);
  });

  test('a layout that is in the journal alone counts', () => {
    const archive = newArchive();
    const copy = tempFolder();
    archive.db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA user_version = 99');
    for (const end of ['', '-wal']) copyFileSync(archive.path + end, join(copy, `archive.db${end}`));
    const before = readFileSync(join(copy, 'archive.db-wal'));
    expect(() => openArchive(copy)).toThrow(/made by a newer Skein/);
    expect(readFileSync(join(copy, 'archive.db-wal')).equals(before)).toBe(true);
  });

  test("a program's plain database", () => {
    const folder = tempFolder();
    const db = openDatabase(join(folder, 'archive.db'));
    db.exec('CREATE TABLE notes (text)');
    db.close();
    chmodSync(join(folder, 'archive.db'), 0o644);
    expect(() => openArchive(folder, { create: true })).toThrow(/not Skein's archive/);
    expect(statSync(join(folder, 'archive.db')).mode & 0o777).toBe(0o644);
  });

  test('a file that is no database', () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'archive.db'), 'notes of mine\n'.repeat(100));
    expect(() => openArchive(folder, { create: true })).toThrow(/not an archive/);
    expect(readFileSync(join(folder, 'archive.db'), 'utf8')).toBe('notes of mine\n'.repeat(100));
  });

  test('nothing is made by looking', () => {
    const folder = join(tempFolder(), 'none');
    expect(openArchive(folder)).toBeUndefined();
    expect(statSync(folder, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('verify finds', () => {
  function filled() {
    const archive = newArchive();
    syncRoot(archive, rootOf({ [NAME]: entry('a') + entry('b'), 'plans/p.md': 'plan' }));
    return archive;
  }
  const faults = (change: string) => {
    const archive = filled();
    archive.db.exec(change);
    return verify(archive).faults.map(({ where, what }) => `${where}: ${what}`);
  };

  test('nothing in a whole one', () => expect(faults('SELECT 1')).toEqual([]));

  test.each([
    ['a pack that is gone', 'DELETE FROM pack', /it is not there/],
    ['bytes of a pack that changed', "UPDATE pack SET data = x'00'", /pack 1/],
    ['a wrong length', "UPDATE pack SET lengths = x'0101'", /pack 1/],
    ['an address that is gone', 'DELETE FROM piece WHERE id = 1', /does? not fit its address|addresses for/],
    ['a run that is gone', 'DELETE FROM run WHERE version = 1', /not those that were archived/],
    ['another parameter', "UPDATE param SET value = 'somebody-else'", /not those that were archived/],
    ['another tail', "UPDATE version SET tail = x'41'", /not those that were archived/],
    ['a number of lines that cannot be', 'UPDATE pack SET count = 4000000000000', /pack 1/],
    ['many lines that are not there', 'UPDATE pack SET count = 400000000', /pack 1/],
    ['a run without end', 'UPDATE run SET count = 900000000000', /it is not there/],
    ['a size that is none', "UPDATE version SET size = 'x' WHERE id = 1", /where a number should be/],
    ['a current version that is gone', 'UPDATE file SET current = 77', /current version is not there/],
  ])('%s', (_, change, message) => expect(faults(change).join('\n')).toMatch(message));

  test('a byte flipped in the file', () => {
    const archive = filled();
    const data = get(archive.db, 'SELECT data FROM pack')?.data;
    archive.close();
    const bytes = readFileSync(archive.path);
    const at = data instanceof Uint8Array ? bytes.indexOf(data) : -1;
    expect(at).toBeGreaterThan(0);
    bytes[at + 30] = (bytes[at + 30] ?? 0) ^ 1;
    writeFileSync(archive.path, bytes);
    expect(verify(archiveIn(archive.folder)).faults).not.toEqual([]);
  });
});

describe('restoring', () => {
  test('never replaces what differs, unless told to', () => {
    const root = rootOf({ [NAME]: entry('a') });
    const archive = newArchive();
    utimesSync(join(root, NAME), 1000, 1000);
    syncRoot(archive, root);
    const outcome = (options = {}) => restore(archive, allFiles(archive.db), options).map((each) => each.outcome);
    expect(outcome()).toEqual(['same']);
    writeFileSync(join(root, NAME), entry('newer'));
    expect(outcome()).toEqual(['kept']);
    expect(readFileSync(join(root, NAME), 'utf8')).toBe(entry('newer'));
    expect(outcome({ force: true, keepTimes: true })).toEqual(['restored']);
    expect(readFileSync(join(root, NAME), 'utf8')).toBe(entry('a'));
    expect(statSync(join(root, NAME)).mtimeMs).toBe(1_000_000);
  });

  test('a transcript that goes on where it was is kept, and told as that', () => {
    const root = rootOf({ [NAME]: entry('a'), 'plans/p.md': 'a' });
    const archive = newArchive();
    syncRoot(archive, root);
    writeFileSync(join(root, NAME), entry('a') + entry('b'));
    writeFileSync(join(root, 'plans/p.md'), 'ab');
    const told = () =>
      restore(archive, allFiles(archive.db)).map(({ file, outcome, why }) => [file.name, outcome, why]);
    const plan = ['plans/p.md', 'kept', undefined];
    expect(told()).toEqual([plan, [NAME, 'kept', 'what is there has all of it, and goes on']]);
    writeFileSync(join(root, NAME), entry('b') + entry('a'));
    expect(told()).toEqual([plan, [NAME, 'kept', undefined]]);
  });

  test('any version, and files of two roots side by side', () => {
    const [one, two] = [rootOf({ [NAME]: entry('a') }), rootOf({ [NAME]: entry('b') })];
    const archive = newArchive();
    for (const root of [one, two]) syncRoot(archive, root);
    writeFileSync(join(one, NAME), entry('rewritten'));
    syncRoot(archive, one);
    const to = tempFolder();
    const files = restore(archive, allFiles(archive.db), { to, version: 1 });
    expect(files.map(({ path }) => readFileSync(path, 'utf8')).sort()).toEqual([entry('a'), entry('b')]);
    expect(
      restore(archive, allFiles(archive.db), { to, version: 2 })
        .map(({ outcome }) => outcome)
        .sort(),
    ).toEqual(['kept', 'missing']);
  });

  test('damaged bytes are not written', () => {
    const archive = newArchive();
    syncRoot(archive, rootOf({ [NAME]: entry('a'), 'plans/p.md': 'plan' }));
    run(archive.db, "UPDATE param SET value = 'somebody-else'");
    const to = tempFolder();
    const results = restore(archive, allFiles(archive.db), { to });
    expect(results.map(({ outcome }) => outcome)).toEqual(['restored', 'damaged']);
    expect(statSync(join(to, NAME), { throwIfNoEntry: false })).toBeUndefined();
  });
});

test('no table refers to what is not there', () => {
  const archive = newArchive();
  syncRoot(archive, rootOf({ [NAME]: entry('a') }));
  expect(all(archive.db, 'PRAGMA foreign_key_check')).toEqual([]);
});
