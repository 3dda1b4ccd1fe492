/** Transcripts on disk beside what the archive knows of them: one walk, nothing made of what is as it was. */
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openIndex, setDerived } from '../../../src/archive/index/derived.ts';
import { compareWithDisk } from '../../../src/archive/search/fresh.ts';
import { keepListings } from '../../../src/archive/search/listings.ts';
import { statesOf } from '../../../src/archive/search/states.ts';
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
  setDerived(archive, changesOf(archive.db));
  const index = openIndex(archive);
  onTestFinished(() => index.close());
  return index.db;
}

function compareKept(archive: Archive, index: Database, root: string) {
  const { roots } = findRoots({ given: [root], env: {}, home: '/nonexistent' });
  const { count, fresh } = compareWithDisk(archive.db, roots, { index });
  return { count, fresh: fresh.map(({ sessionId }) => sessionId) };
}

function compare(archive: Archive, ...given: string[]) {
  const { roots } = findRoots({ given, env: {}, home: '/nonexistent' });
  const compared = compareWithDisk(archive.db, roots);
  return { ...compared, fresh: compared.fresh.map(({ sessionId }) => sessionId) };
}

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
    const { rowOf } = statesOf(archive.db, 99);
    expect(rowOf('projects/-a/a.jsonl')).toBe(-1);
  });

  test('nothing is made of names that follow each other as they were archived', () => {
    const [archive, root] = [newArchive(), tempFolder()];
    for (const name of ['a', 'b', 'c']) {
      mkdirSync(join(root, 'projects/-p', name, 'subagents'), { recursive: true });
      writeFileSync(join(root, `projects/-p/${name}.jsonl`), '{}\n');
      writeFileSync(join(root, `projects/-p/${name}/subagents/agent-${name}.jsonl`), '{}\n');
    }
    syncRoot(archive, root);
    const states = statesOf(archive.db, 1);
    const within = 'projects/-p/';
    expect(states.nextRows(within, ['a.jsonl'])).toBe(0);
    expect(states.nextRows(`${within}a/subagents/`, ['agent-a.jsonl'])).toBe(1);
    // Another one, the beginning of one, too many, none.
    for (const names of [['c.jsonl'], ['b'], ['b.jsonl', 'c.jsonl'], []])
      expect(states.nextRows(within, names)).toBe(-1);
    expect(states.nextRows(within, ['b.jsonl'])).toBe(2);
    // Asked for one by one, all of them are.
    expect(states.rowOf(`${within}c.jsonl`)).toBe(4);
    expect(states.nextRows(`${within}c/subagents/`, ['agent-c.jsonl'])).toBe(-1);
    expect(states.rowOf(`${within}c/subagents/agent-c.jsonl`)).toBe(5);
    expect(states.rowOf(`${within}a.jsonl`)).toBe(0);
  });

  test('the index keeps what is known of all transcripts, whatever they are called, for as long as the archive does not change', () => {
    const [archive, root] = [newArchive(), planted()];
    syncRoot(archive, root);
    const index = keptIn(archive);
    const kept = "SELECT value FROM meta WHERE key = 'states:1'";
    expect(get(index, kept)?.value).toContain('projects/-b\nc/b\nc.jsonl');
    expect(compareKept(archive, index, root)).toEqual({ count: 16, fresh: [] });
    const { count, sizes, times } = statesOf(archive.db, 1);
    expect(statesOf(archive.db, 1, index)).toMatchObject({ count, sizes, times });
    // It is what is asked: with another name in it, that file would be a new one.
    run(index, "UPDATE meta SET value = replace(value, '-a/a.jsonl', '-a/x.jsonl') WHERE key = 'states:1'");
    expect(compareKept(archive, index, root)).toEqual({ count: 16, fresh: ['a'] });
    writeFileSync(join(root, 'projects', '-a', 'made.jsonl'), '');
    syncRoot(archive, root);
    expect(compareKept(archive, index, root)).toEqual({ count: 17, fresh: [] });
    run(index, "UPDATE meta SET value = '' WHERE key = 'states:1'");
    expect(compareKept(archive, index, root)).toEqual({ count: 17, fresh: [] });
    expect(compareKept(archive, keptIn(archive), root)).toEqual({ count: 17, fresh: [] });
  });

  test('a walk asks for each file once, and lists each folder once', () => {
    const [archive, root] = [newArchive(), planted()];
    syncRoot(archive, root);
    const { roots } = findRoots({ given: [root], env: {}, home: '/nonexistent' });
    const before = { ...io };
    expect(compareWithDisk(archive.db, roots).fresh).toEqual([]);
    expect(ioSince(before)).toMatchObject({ stats: 16, listings: 1 + 3 * NAMES.length });
  });

  test('a folder that lists as it did when the index was made is not listed again', () => {
    const [archive, root] = [newArchive(), planted()];
    syncRoot(archive, root);
    const index = keptIn(archive);
    keepListings(index, archive.db, () => Date.now() + 60_000);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 15);
    const { roots } = findRoots({ given: [root], env: {}, home: '/nonexistent' });
    const listed = () => {
      const before = { ...io };
      const { count, fresh } = compareWithDisk(archive.db, roots, { index });
      return { count, fresh: fresh.map(({ sessionId }) => sessionId), listings: ioSince(before).listings };
    };
    expect(listed()).toEqual({ count: 16, fresh: [], listings: 0 });
    writeFileSync(join(root, 'projects', '-z', 'made.jsonl'), '{}\n');
    writeFileSync(join(root, 'projects', '-a', 'a.jsonl'), '{}\n{}\n{}\n');
    expect(listed()).toEqual({ count: 17, fresh: ['a', 'made'], listings: 1 });
    // What cannot be understood is as nothing.
    for (const damaged of ['', '[[1,2,3,4]]', '{}', '[["projects",[1,2],[],[]],7,null]']) {
      run(index, "UPDATE meta SET value = ? WHERE key = 'listings:1'", damaged);
      expect(compareKept(archive, index, root)).toEqual({ count: 17, fresh: ['a', 'made'] });
    }
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
