/** Folders of which it is known how they listed: read again only where something came, went or was renamed. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { findSessions } from '../../src/disk/find.ts';
import { folderFs, io, ioSince } from '../../src/disk/io.ts';
import { type KeptListing, knownListings, noteListings } from '../../src/disk/listings.ts';
import { tempFolder } from '../support/files.ts';
import { plant } from './helpers.ts';

const FILES = {
  'projects/-a/1.jsonl': '{}\n',
  'projects/-a/1/subagents/agent-x.jsonl': '{}\n',
  'projects/-a/1/subagents/agent-x.meta.json': '{}',
  'projects/-a/2.jsonl': '{}\n',
  'projects/-a/2/tool-results/out.txt': 'out',
  'projects/-b c/3.jsonl': '{}\n',
  'projects/-empty/notes.txt': '',
};
const FOLDERS = 8;

const later = () => Date.now() + 60_000;

function walk(root: string, kept: readonly KeptListing[] | undefined) {
  const listed = kept && knownListings(root, root, kept);
  const config = { path: root, kind: 'config', from: 'option', what: '' } as const;
  const before = { ...io };
  const { files, folders, problems } = findSessions([config], { fs: { ...folderFs, listed } });
  return { found: { files, folders, problems }, listings: ioSince(before).listings };
}

/** As a sync notes it; then until the next change has another time. */
function noted(root: string, now = later): KeptListing[] {
  const listed = noteListings(root, now);
  const config = { path: root, kind: 'config', from: 'option', what: '' } as const;
  findSessions([config], { fs: { ...folderFs, listed }, unknownIn: () => [] });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 15);
  return listed.kept();
}

test('what lists as it did is not listed again, and the same is found', () => {
  const root = tempFolder();
  plant(root, FILES);
  const kept = noted(root);
  expect(kept).toHaveLength(FOLDERS - 1);
  const { found, listings } = walk(root, kept);
  expect(listings).toBe(0);
  expect(found).toEqual(walk(root, undefined).found);
  // Written to, it is found as it is now.
  writeFileSync(join(root, 'projects/-a/1.jsonl'), '{}\n{}\n');
  expect(walk(root, kept)).toMatchObject({ listings: 0, found: { files: [{ bytes: 6 }, {}, {}, {}] } });
});

test('what changed lately, or holds anything but files and folders, is listed each time', () => {
  const root = tempFolder();
  plant(root, FILES);
  const lately = noted(root, Date.now);
  expect(lately.flatMap(({ stamp }) => stamp ?? [])).toEqual([]);
  expect(walk(root, lately).listings).toBe(FOLDERS - 1);
  symlinkSync('1.jsonl', join(root, 'projects/-a/link.jsonl'));
  const kept = noted(root);
  expect(kept.flatMap(({ path, stamp }) => (stamp === undefined ? [path] : []))).toEqual(['projects/-a']);
  expect(walk(root, kept).listings).toBe(1);
  expect(walk(root, kept).found).toEqual(walk(root, undefined).found);
});

test('where times of folders may be late no folder lists as before', () => {
  for (const root of ['/proc', join(tempFolder(), 'none')]) {
    const listed = noteListings(root);
    const folder = join(root, 'sys');
    expect(listed.get(folder)).toBeUndefined();
    listed.set(folder, { at: `${folder}/`, realAt: `${folder}/`, files: [], others: [], links: [] });
    expect(listed.kept()).toEqual([{ path: 'sys', stamp: undefined, files: [], folders: [] }]);
    expect(knownListings(root, root, listed.kept()).get(folder)).toBeUndefined();
  }
});

test('by a link to the root the places are those that lead through it', () => {
  const [root, elsewhere] = [tempFolder(), tempFolder()];
  plant(root, FILES);
  const kept = noted(root);
  symlinkSync(root, join(elsewhere, 'link'));
  const listed = knownListings(join(elsewhere, 'link'), root, kept);
  const listing = listed.get(join(elsewhere, 'link/projects/-a'));
  expect(listing).toMatchObject({
    at: join(elsewhere, 'link/projects/-a/'),
    realAt: join(root, 'projects/-a/'),
    files: ['1.jsonl', '2.jsonl'],
    others: [{ name: '1', path: join(elsewhere, 'link/projects/-a/1'), real: join(root, 'projects/-a/1') }, {}],
  });
});

const place = fc.constantFrom(
  ...Object.keys(FILES),
  'projects/-a/new.jsonl',
  'projects/-new/4.jsonl',
  'projects/top.jsonl',
);
type Change = keyof typeof CHANGES;
const CHANGES = {
  write: (path: string) => plant(dirname(path), { [basename(path)]: '{}\n{}\n{}\n' }),
  remove: (path: string) => rmSync(path),
  removeFolder: (path: string) => rmSync(dirname(path), { recursive: true }),
  folder: (path: string) => mkdirSync(path, { recursive: true }),
  rename: (path: string, to: string) => renameSync(path, to),
  link: (path: string, to: string) => symlinkSync(to, path),
};
const kinds: readonly Change[] = ['write', 'remove', 'removeFolder', 'folder', 'rename', 'link'];
const change = fc.record({ what: fc.constantFrom(...kinds), at: place, to: place });

test('whatever became of the folders, the same is found as by listing them', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 5 }), (changes) => {
      const root = tempFolder();
      onTestFinished(() => rmSync(root, { recursive: true, force: true }));
      plant(root, FILES);
      const kept = noted(root);
      for (const { what, at, to } of changes) attempt(() => CHANGES[what](join(root, at), join(root, to)));
      expect(walk(root, kept).found).toEqual(walk(root, undefined).found);
    }),
    { numRuns: 60 },
  );
});

/** Some are not possible after the others. */
function attempt(call: () => void): void {
  try {
    call();
  } catch {}
}
