/** Transcripts on disk beside what the archive knows of them: one walk, nothing made of what is as it was. */
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openIndex, setDerived } from '../../../src/archive/index/derived.ts';
import { updateIndex } from '../../../src/archive/index/textindex.ts';
import { compareWithDisk } from '../../../src/archive/search/fresh.ts';
import { hasName, keepWalks, lastWalkOf, stateOf } from '../../../src/archive/search/lastwalk.ts';
import { type Database, get, run } from '../../../src/archive/sqlite.ts';
import { type Archive, changesOf } from '../../../src/archive/store.ts';
import { io, ioSince } from '../../../src/disk/io.ts';
import { findRoots } from '../../../src/disk/roots.ts';
import { tempFolder } from '../../support/files.ts';
import { newArchive, syncRoot } from '../helpers.ts';

/** Names that are sorted otherwise as bytes than as characters, and one with a line break. */
const NAMES = ['a', 'a-b', 'a.b', 'b\nc', 'é', '\ue000', '\u{1f600}', 'z'];

function planted(): string {
  const root = tempFolder();
  for (const name of NAMES) {
    const folder = join(root, 'projects', `-${name}`);
    mkdirSync(join(folder, name, 'subagents'), { recursive: true });
    writeFileSync(join(folder, `${name}.jsonl`), `{"type":"summary","summary":"${name.length}"}\n`);
    writeFileSync(join(folder, name, 'subagents', 'agent-1.jsonl'), '{}\n');
  }
  return root;
}

/** As a sync ends: the index keeps what is known of the transcripts. */
function keptIn(archive: Archive): Database {
  updateIndex(archive);
  setDerived(archive, changesOf(archive.db));
  const index = openIndex(archive);
  onTestFinished(() => index.close());
  return index.db;
}

const later = () => Date.now() + 60_000;
/** `projects`, and of each name its folder, that of its session and that of its agents. */
const FOLDERS = 1 + 3 * NAMES.length;

/** Archived and indexed for so long that the times of its folders tell of what comes. */
function settled(): readonly [Archive, Database, string] {
  const [archive, root] = [newArchive(), planted()];
  syncRoot(archive, root);
  const index = keptIn(archive);
  keepWalks(index, archive.db, later);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 15);
  return [archive, index, root];
}

function compareCounted(archive: Archive, index: Database, root: string) {
  const { roots } = findRoots({ given: [root], env: {}, home: '/nonexistent' });
  const before = { ...io };
  const { count, fresh, pathOf } = compareWithDisk(archive.db, roots, { index, indexed: true });
  const { listings, stats } = ioSince(before);
  return { count, fresh: fresh.map(({ sessionId }) => sessionId), listings, stats, pathOf };
}

function compareKept(archive: Archive, index: Database, root: string, indexed = false) {
  const { roots } = findRoots({ given: [root], env: {}, home: '/nonexistent' });
  const { count, fresh } = compareWithDisk(archive.db, roots, { index, indexed });
  return { count, fresh: fresh.map(({ sessionId }) => sessionId) };
}

function compare(archive: Archive, ...given: string[]) {
  const { roots } = findRoots({ given, env: {}, home: '/nonexistent' });
  const compared = compareWithDisk(archive.db, roots);
  return { ...compared, fresh: compared.fresh.map(({ sessionId }) => sessionId) };
}

test('a name is looked for in a large folder without going through all of it', () => {
  const walked = (count: number) => {
    const names = Array.from({ length: count }, (_, n) => `${String(n).padStart(8, '0')}-${NAMES[n % 8]}.jsonl`);
    return { names, folder: { path: '', stamp: undefined, names: names.join('/'), first: 0 } };
  };
  const parts = ['', 'x', '0', '-', '00000000', 'a.jsonl', '.jsonl', '~', '00000000-a.jsonl/00000001-a-b.jsonl'];
  for (let count = 0; count < 20; count += 1) {
    const { names, folder } = walked(count);
    for (const name of names) expect(hasName(folder, name)).toBe(true);
    for (const part of parts) expect(hasName(folder, part)).toBe(false);
  }
  // To go through all of them for each would take minutes.
  const { names, folder } = walked(64_000);
  expect(names.every((name) => hasName(folder, name))).toBe(true);
});

describe('what is archived as it is', () => {
  test('is known by any name, in one walk that opens nothing', () => {
    const [archive, root] = [newArchive(), planted()];
    syncRoot(archive, root);
    const before = { ...io };
    expect(compare(archive, root)).toMatchObject({ count: 16, fresh: [], problems: [] });
    expect(ioSince(before)).toMatchObject({ opens: 0, reads: 0 });
    for (const name of NAMES) {
      const place = `projects/-${name}/${name}.jsonl`;
      expect(compare(archive, root).pathOf({ root, name: place })).toBe(join(root, place));
    }
  });

  test('what was written, touched, replaced, renamed or made since is fresh, what was deleted is not missed', () => {
    const [archive, root] = [newArchive(), planted()];
    syncRoot(archive, root);
    const at = (name: string) => join(root, 'projects', `-${name}`, `${name}.jsonl`);
    writeFileSync(at('a'), '{"type":"summary","summary":"more"}\n{}\n');
    utimesSync(at('é'), 1_700_000_000, 1_700_000_000);
    const { atime, mtimeMs } = statSync(at('z'));
    writeFileSync(at('z'), '{}\n');
    utimesSync(at('z'), atime, mtimeMs / 1000);
    renameSync(at('a.b'), join(root, 'projects', '-a.b', 'renamed.jsonl'));
    writeFileSync(join(root, 'projects', '-a', 'made.jsonl'), '');
    rmSync(at('a-b'));
    const { count, fresh, pathOf } = compare(archive, root);
    expect([count, fresh]).toEqual([16, ['renamed', 'a', 'made', 'z', 'é']]);
    expect(pathOf({ root, name: 'projects/-a/a.jsonl' })).toBeUndefined();
    expect(pathOf({ root, name: 'projects/-a-b/a-b.jsonl' })).toBeUndefined();
    expect(pathOf({ root, name: 'projects/-\ue000/\ue000.jsonl' })).toBe(at('\ue000'));
  });

  test('is known by links to the root and to a project, and by a part of it', () => {
    const [archive, root, elsewhere] = [newArchive(), planted(), tempFolder()];
    symlinkSync(root, join(elsewhere, 'link'));
    renameSync(join(root, 'projects', '-a'), join(elsewhere, 'moved'));
    symlinkSync(join(elsewhere, 'moved'), join(root, 'projects', '-a'));
    syncRoot(archive, root);
    const linked = compare(archive, join(elsewhere, 'link'));
    expect(linked).toMatchObject({ count: 16, fresh: [] });
    expect(linked.pathOf({ root, name: 'projects/-a/a.jsonl' })).toBe(join(elsewhere, 'link/projects/-a/a.jsonl'));
    expect(compare(archive, join(root, 'projects', '-é'))).toMatchObject({ count: 2, fresh: [] });
    expect(compare(archive, join(root, 'projects', '-é', 'é.jsonl'), root)).toMatchObject({ count: 16, fresh: [] });
  });

  test('of another root, or of none, nothing is known', () => {
    const [archive, root, other] = [newArchive(), planted(), planted()];
    syncRoot(archive, root);
    expect(compare(archive, other).fresh).toHaveLength(16);
    expect(compare(archive, root, other).fresh).toHaveLength(16);
    expect(stateOf(archive.db, 99, 'projects/-a/a.jsonl')).toBeUndefined();
  });

  test('the index keeps the last walk, whatever transcripts are called', () => {
    const [archive, root] = [newArchive(), planted()];
    syncRoot(archive, root);
    const index = keptIn(archive);
    expect(lastWalkOf(index, 1)?.folders.map(({ names }) => names)).toContain('b\nc.jsonl');
    expect(compareKept(archive, index, root)).toEqual({ count: 16, fresh: [] });
    // It is what is asked: with another size in it, that file would be a new one.
    const { folders = [], states = new Float64Array() } = lastWalkOf(index, 1) ?? {};
    const first = folders.find(({ names }) => names !== '')?.names.replace('.jsonl', '');
    run(index, 'UPDATE walk SET states = ?', new Uint8Array(states.map((each, at) => (at === 0 ? 7 : each)).buffer));
    expect(compareKept(archive, index, root, true)).toEqual({ count: 16, fresh: [first] });
    expect(compareKept(archive, index, root)).toEqual({ count: 16, fresh: [] });
    writeFileSync(join(root, 'projects', '-a', 'made.jsonl'), '');
    syncRoot(archive, root);
    expect(compareKept(archive, index, root, true)).toEqual({ count: 17, fresh: [first, 'made'].sort() });
    expect(compareKept(archive, index, root)).toEqual({ count: 17, fresh: [] });
    run(index, 'DELETE FROM walk');
    expect(compareKept(archive, index, root)).toEqual({ count: 17, fresh: [] });
    expect(compareKept(archive, keptIn(archive), root)).toEqual({ count: 17, fresh: [] });
  });

  test('what was archived after the index was made is told from what the index knows', () => {
    const [archive, index, root] = settled();
    writeFileSync(join(root, 'projects', '-a', 'a.jsonl'), '{}\n{}\n{}\n');
    writeFileSync(join(root, 'projects', '-z', 'made.jsonl'), '{"type":"summary","summary":"made"}\n');
    syncRoot(archive, root);
    const { roots } = findRoots({ given: [root], env: {}, home: '/nonexistent' });
    const fresh = (indexed: boolean) =>
      compareWithDisk(archive.db, roots, { index, indexed }).fresh.map(({ sessionId }) => sessionId);
    expect(fresh(false)).toEqual([]);
    expect(fresh(true)).toEqual(['a', 'made']);
    // Nothing is kept of a moment at which the index had not all.
    keepWalks(index, archive.db, later);
    expect(lastWalkOf(index, 1)).toBeUndefined();
    expect(fresh(true)).toEqual([]);
  });

  test('a walk asks for each file once, and lists each folder once', () => {
    const [archive, root] = [newArchive(), planted()];
    syncRoot(archive, root);
    const { roots } = findRoots({ given: [root], env: {}, home: '/nonexistent' });
    const before = { ...io };
    expect(compareWithDisk(archive.db, roots).fresh).toEqual([]);
    expect(ioSince(before)).toMatchObject({ stats: 16, listings: 1 + 3 * NAMES.length });
  });

  test('where nothing came or went no folder is listed, and each file is asked for once, also where some changed', () => {
    const [archive, index, root] = settled();
    const { pathOf, ...told } = compareCounted(archive, index, root);
    // Each folder and each file, and the one that changed once more for what it is now.
    expect(told).toEqual({ count: 16, fresh: [], listings: 0, stats: FOLDERS + 16 });
    for (const name of NAMES) {
      const place = `projects/-${name}/${name}.jsonl`;
      expect(pathOf({ root, name: place })).toBe(join(root, place));
      // Parts of names, and names of other folders.
      for (const none of [`projects/-${name}/${name}.json`, 'projects/-a/b.jsonl', `x/${place}`, `${name}.jsonl`])
        expect(pathOf({ root, name: none })).toBeUndefined();
      expect(pathOf({ root: `${root}x`, name: place })).toBeUndefined();
    }
    writeFileSync(join(root, 'projects', '-a', 'a.jsonl'), '{}\n{}\n{}\n');
    const changed = compareCounted(archive, index, root);
    expect(changed).toMatchObject({ count: 16, fresh: ['a'], listings: 0, stats: 2 * FOLDERS + 16 + 1 });
    expect(changed.pathOf({ root, name: 'projects/-a/a.jsonl' })).toBeUndefined();
    expect(changed.pathOf({ root, name: 'projects/-z/z.jsonl' })).toBe(join(root, 'projects/-z/z.jsonl'));
  });

  test('only a folder in which something came, went or was renamed is listed again', () => {
    const [archive, index, root] = settled();
    writeFileSync(join(root, 'projects', '-z', 'made.jsonl'), '{}\n');
    writeFileSync(join(root, 'projects', '-a', 'a.jsonl'), '{}\n{}\n{}\n');
    expect(compareCounted(archive, index, root)).toMatchObject({ count: 17, fresh: ['a', 'made'], listings: 1 });
    // What cannot be understood is as nothing.
    for (const damaged of ['', '[[1,2,3,4]]', '{}', '[["projects",[1,2],0],7,null]'])
      for (const column of ['folders', 'besides']) {
        const { value } = get(index, `SELECT ${column} AS value FROM walk`) ?? {};
        run(index, `UPDATE walk SET ${column} = ?`, damaged);
        expect(compareKept(archive, index, root)).toEqual({ count: 17, fresh: ['a', 'made'] });
        run(index, `UPDATE walk SET ${column} = ?`, value ?? '');
      }
  });

  test('a name is found among those of its folder, and no part of one', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'b', '-', '.', '\u00e9', '\ue000', '\u{1f600}'),
      maxLength: 4,
    });
    const some = fc.array(
      name.filter((each) => each !== ''),
      { maxLength: 9 },
    );
    fc.assert(
      fc.property(some, name, (all, other) => {
        const sorted = [...new Set(all)].sort();
        const folder = { path: 'projects/-a', stamp: undefined, names: sorted.join('/'), first: 0 };
        for (const each of [...sorted, other, `${other}a`]) expect(hasName(folder, each)).toBe(sorted.includes(each));
      }),
    );
  });

  test('a root in which there was nothing yet is looked at each time', () => {
    const [archive, root] = [newArchive(), planted()];
    renameSync(join(root, 'projects'), join(root, 'away'));
    syncRoot(archive, root);
    const index = keptIn(archive);
    keepWalks(index, archive.db, later);
    expect(compareKept(archive, index, root)).toEqual({ count: 0, fresh: [] });
    renameSync(join(root, 'away'), join(root, 'projects'));
    expect(compareKept(archive, index, root).count).toBe(16);
  });

  test('what was not archived, is trouble or was written while the index was made is never taken for known', () => {
    const [archive, root] = [newArchive(), planted()];
    syncRoot(archive, root);
    writeFileSync(join(root, 'projects', '-a', 'made.jsonl'), '{}\n');
    writeFileSync(join(root, 'projects', '-z', 'z.jsonl'), '{}\n{}\n{}\n');
    mkdirSync(join(root, 'projects', '-a', 'folder.jsonl'));
    const index = keptIn(archive);
    keepWalks(index, archive.db, later);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 15);
    const { roots } = findRoots({ given: [root], env: {}, home: '/nonexistent' });
    for (let again = 0; again < 2; again += 1) {
      const { count, fresh, problems } = compareWithDisk(archive.db, roots, { index });
      expect({ count, fresh: fresh.map(({ sessionId }) => sessionId) }).toEqual({ count: 17, fresh: ['made', 'z'] });
      expect(problems).toMatchObject([{ kind: 'not-a-file' }]);
    }
  });

  test('a state that was put back, times and all, is not taken for what was archived since', () => {
    const [archive, index, root] = settled();
    const file = join(root, 'projects', '-a', 'a.jsonl');
    const kept = join(tempFolder(), 'kept.jsonl');
    renameSync(file, kept);
    writeFileSync(file, '{"type":"summary","summary":"another"}\n');
    syncRoot(archive, root);
    renameSync(kept, file);
    expect(compareKept(archive, index, root)).toEqual({ count: 16, fresh: ['a'] });
    // The index has not seen more than the walk.
    expect(compareKept(archive, index, root, true)).toEqual({ count: 16, fresh: [] });
    updateIndex(archive);
    expect(compareKept(archive, index, root, true)).toEqual({ count: 16, fresh: ['a'] });
  });

  test('times are told apart as finely as the disk does', () => {
    const [archive, root] = [newArchive(), planted()];
    const file = join(root, 'projects', '-a', 'a.jsonl');
    utimesSync(file, 1_800_000_000.1234, 1_800_000_000.1234);
    syncRoot(archive, root);
    expect(compare(archive, root).fresh).toEqual([]);
    utimesSync(file, 1_800_000_000.12341, 1_800_000_000.12341);
    expect(compare(archive, root).fresh).toEqual(['a']);
  });
});
