/** Where restored files go, and what becomes of those that cannot go there. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allFiles } from '../../../src/archive/files.ts';
import { restore } from '../../../src/archive/restore/restore.ts';
import { run } from '../../../src/archive/sqlite.ts';
import { type Archive, openArchiveFile } from '../../../src/archive/store.ts';
import { exportArchive } from '../../../src/archive/transfer/export.ts';
import { mergeArchive } from '../../../src/archive/transfer/merge.ts';
import { tempFolder } from '../../support/files.ts';
import {
  contentOf,
  entry,
  FORK,
  newArchive,
  PLACE,
  restoreAll,
  rootOf,
  SESSION,
  sourcesIn,
  syncRoot,
} from '../helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;

function archiveOf(files: Record<string, string>) {
  const root = rootOf(files);
  const archive = newArchive();
  syncRoot(archive, root);
  return { root, archive };
}

function outcomesOf(results: ReturnType<typeof restore>): Record<string, string> {
  return Object.fromEntries(results.map(({ file, outcome }) => [file.name, outcome]));
}

/** As another machine has it, with what somebody wrote into it. */
function importFrom(archive: Archive, files: Record<string, string>, ...changes: string[]): string {
  const other = archiveOf(files);
  const file = join(tempFolder(), 'export.db');
  exportArchive(other.archive, file);
  const changed = newArchive();
  changed.close();
  writeFileSync(changed.path, readFileSync(file));
  const read = openArchiveFile(changed.path);
  read.close();
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const db = new DatabaseSync(changed.path);
  for (const change of changes) db.exec(change);
  db.close();
  const from = openArchiveFile(changed.path);
  mergeArchive(archive, from);
  from.close();
  return other.root;
}

describe('one file that cannot be written does not keep the others', () => {
  test('a name as long as a name may be', () => {
    for (const name of [
      `${'計'.repeat(80)}.md`,
      `${'a'.repeat(252)}.md`,
      `${'é'.repeat(120)}.md`,
      `${'😀'.repeat(60)}.md`,
    ]) {
      const { root, archive } = archiveOf({ [`plans/${name}`]: 'plan', 'plans/zz.md': 'z' });
      const to = tempFolder();
      expect(restoreAll(archive, to).map(({ outcome }) => outcome)).toEqual(['restored', 'restored']);
      expect(contentOf(to)).toEqual(contentOf(root));
    }
  });

  test('a path that was a file and then a folder', () => {
    const place = `${PLACE}/${SESSION}/tool-results/a`;
    const { root, archive } = archiveOf({ [NAME]: entry('a'), [place]: 'file', 'plans/z.md': 'z' });
    rmSync(join(root, place));
    syncRoot(archive, rootOf({ [`${place}/b`]: 'inside' }, root));
    const to = tempFolder();
    const results = restoreAll(archive, to);
    expect(outcomesOf(results)).toEqual({
      'plans/z.md': 'restored',
      [place]: 'restored',
      [`${place}/b`]: 'failed',
      [NAME]: 'restored',
    });
    expect(results.find(({ outcome }) => outcome === 'failed')?.why).toContain('not a folder');
    // The other way round the folder stays.
    expect(outcomesOf(restore(archive, allFiles(archive.db), { force: true }))).toMatchObject({ [place]: 'kept' });
  });

  test('a folder that is no folder, a current version that is not there, a row that is no row', () => {
    const { archive } = archiveOf({
      [NAME]: entry('a'),
      'plans/p.md': 'p',
      'todos/x.json': '[]',
      'history.jsonl': 'h\n',
    });
    run(archive.db, "UPDATE file SET current = 99 WHERE kind = 'history'");
    run(archive.db, "UPDATE version SET size = 'x' WHERE file = (SELECT id FROM file WHERE kind = 'todo')");
    const to = rootOf({ plans: 'in the way' });
    expect(outcomesOf(restoreAll(archive, to))).toEqual({
      'history.jsonl': 'damaged',
      'plans/p.md': 'failed',
      [NAME]: 'restored',
      'todos/x.json': 'damaged',
    });
    run(archive.db, "UPDATE file SET current = NULL WHERE kind = 'history'");
    expect(outcomesOf(restoreAll(archive, tempFolder()))).toMatchObject({ 'history.jsonl': 'damaged' });
  });
});

describe("another machine's files", () => {
  test('go only below a folder that was named', () => {
    const { root, archive } = archiveOf({ 'plans/x.md': 'mine' });
    const theirs = importFrom(archive, { 'plans/x.md': 'theirs' }, `UPDATE root SET path = '${root}'`);
    for (const options of [{}, { force: true }]) {
      const results = restore(archive, allFiles(archive.db), options);
      expect(results.map(({ outcome }) => outcome).sort()).toEqual(['foreign', 'same']);
      expect(readFileSync(join(root, 'plans/x.md'), 'utf8')).toBe('mine');
    }
    rmSync(join(root, 'plans/x.md'));
    restore(archive, allFiles(archive.db));
    expect(readFileSync(join(root, 'plans/x.md'), 'utf8')).toBe('mine');
    const to = tempFolder();
    expect(restoreAll(archive, to).map(({ outcome }) => outcome)).toEqual(['restored', 'restored']);
    expect([...contentOf(to).values()].map(({ bytes }) => bytes).sort()).toEqual(['mine', 'theirs']);
    expect(existsSync(theirs)).toBe(true);
  });

  test('also when an empty archive took them for its own, until a sync has read them here', () => {
    const archive = newArchive();
    const victim = tempFolder();
    importFrom(archive, { 'plans/x.md': 'theirs', [NAME]: entry('a') }, `UPDATE root SET path = '${victim}'`);
    expect(restore(archive, allFiles(archive.db)).map(({ outcome }) => outcome)).toEqual(['foreign', 'foreign']);
    expect(readdirSync(victim)).toEqual([]);
    syncRoot(archive, rootOf({ [NAME]: entry('a') + entry('b') }, victim));
    rmSync(join(victim, NAME));
    const again = outcomesOf(restore(archive, allFiles(archive.db)));
    expect(again).toEqual({ 'plans/x.md': 'foreign', [NAME]: 'restored' });
  });

  test.each(['../../../up', '/up', '..', '.', 'a/../../../../up', 'x'.repeat(300), ''])(
    'no label leads out of the folder: %s',
    (label) => {
      const { archive } = archiveOf({ [NAME]: entry('a') });
      const label1 = `UPDATE origin SET label = '${label}', key = '../../../${FORK}' WHERE id = 1`;
      importFrom(archive, { 'plans/e.md': 'e' }, label1, "UPDATE root SET path = '../../../../up'");
      const top = tempFolder();
      const to = join(top, 'a/b/c/d');
      expect(restoreAll(archive, to).map(({ outcome }) => outcome)).toEqual(['restored', 'restored']);
      expect([...contentOf(top).keys()].every((path) => path.startsWith('a/b/c/d/'))).toBe(true);
      expect(contentOf(to).size).toBe(2);
    },
  );
});

describe('links below the folder', () => {
  test('are not followed out of it', () => {
    const { archive } = archiveOf({
      [NAME]: entry('a'),
      'plans/x.md': 'x',
      'todos/x.json': '[]',
      'history.jsonl': 'h\n',
    });
    const outside = rootOf({ victim: 'theirs' });
    const to = rootOf({ 'plans/y.md': 'y', 'inner/z': 'z' });
    symlinkSync(outside, join(to, 'projects'));
    symlinkSync(join(outside, 'victim'), join(to, 'history.jsonl'));
    symlinkSync(join(outside, 'nothing'), join(to, 'plans/x.md'));
    symlinkSync(join(to, 'inner'), join(to, 'todos'));
    expect(outcomesOf(restoreAll(archive, to, { force: true }))).toEqual({
      [NAME]: 'refused',
      'plans/x.md': 'refused',
      'todos/x.json': 'restored',
      'history.jsonl': 'refused',
    });
    expect([...contentOf(outside)].map(([name, { bytes }]) => [name, bytes])).toEqual([['victim', 'theirs']]);
  });

  test('the folder itself may be one, and the config folder may have some', () => {
    const { root, archive } = archiveOf({ [NAME]: entry('a') });
    const link = join(tempFolder(), 'link');
    symlinkSync(tempFolder(), link);
    expect(outcomesOf(restoreAll(archive, link))).toEqual({ [NAME]: 'restored' });
    const elsewhere = tempFolder();
    rmSync(join(root, 'projects'), { recursive: true });
    symlinkSync(elsewhere, join(root, 'projects'));
    expect(outcomesOf(restore(archive, allFiles(archive.db)))).toEqual({ [NAME]: 'restored' });
    expect(contentOf(elsewhere).size).toBe(1);
  });
});

test('times before 1970, and parts of a millisecond', () => {
  for (const seconds of ['-5.25', '-86400', '0', '1000.125']) {
    const root = rootOf({ 'plans/p.md': 'p' });
    utimesSync(join(root, 'plans/p.md'), seconds, seconds);
    const archive = newArchive();
    syncRoot(archive, root);
    const to = tempFolder();
    restoreAll(archive, to);
    expect(statSync(join(to, 'plans/p.md')).mtimeMs).toBe(Number(seconds) * 1000);
  }
});

test('what a killed restore left is not archived, and goes with the next restore of that file', () => {
  const { root, archive } = archiveOf({ 'plans/big.bin': 'big', [`${PLACE}/${SESSION}/tool-results/a`]: 'a' });
  const folder = join(root, 'plans');
  rmSync(join(folder, 'big.bin'));
  // No process has such a number.
  const left = ['.big.bin.4194999.abc123.tmp', '.other.md.4194999.abc123.tmp', `.big.bin.${process.ppid}.abc123.tmp`];
  for (const name of [...left, '.big.bin.notes.tmp']) writeFileSync(join(folder, name), 'half');
  writeFileSync(join(dirname(folder), PLACE, SESSION, 'tool-results', '.a.1.x.tmp'), 'half');
  const names = sourcesIn(root).map(({ name }) => name);
  expect(names).toEqual(['plans/.big.bin.notes.tmp', `${PLACE}/${SESSION}/tool-results/a`]);
  mkdirSync(folder, { recursive: true });
  restore(archive, allFiles(archive.db));
  expect(readdirSync(folder).sort()).toEqual(['.big.bin.notes.tmp', ...left.slice(1), 'big.bin'].sort());
});
