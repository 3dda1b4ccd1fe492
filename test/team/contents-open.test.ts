/** Sessions too large for memory lie in files of their own: few of these stay open, however many sessions are read. */
import { fstatSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createContents } from '../../src/team/read/contents.ts';
import type { TeamFile } from '../../src/team/read/files.ts';
import type { Asked } from '../../src/team/read/thread.ts';
import { tempFolder } from '../support/files.ts';

function fileOf(name: string): TeamFile {
  const rest = { slug: '-a', project: '/a', mtimeMs: 0, updated: 0, lines: 1, chat: '', title: '', version: 1 };
  return { session: name, name, kind: 'session', bytes: 20 << 20, isFull: true, isVaried: false, ...rest };
}

/** A team whose sessions all come as open files. */
function teamOf(textOf: (name: string) => string) {
  const folder = tempFolder();
  const given: { readonly fd: number; readonly inode: bigint }[] = [];
  const lines = (files: readonly Asked[]) =>
    files.map(({ name }) => {
      const path = join(folder, `${given.length}`);
      writeFileSync(path, textOf(name));
      const fd = openSync(path, 'r+');
      const { ino: inode, size } = fstatSync(fd, { bigint: true });
      unlinkSync(path);
      given.push({ fd, inode });
      return { kind: 'file' as const, fd, size: Number(size), path: undefined };
    });
  const isOpen = ({ fd, inode }: { fd: number; inode: bigint }) => {
    try {
      return fstatSync(fd, { bigint: true }).ino === inode;
    } catch {
      return false;
    }
  };
  const opened = () => new Set(given.filter(isOpen).map(({ fd }) => fd)).size;
  return { contents: createContents({ lines }), given, opened };
}

const NAMES = Array.from({ length: 60 }, (_each, place) => `s${String(place).padStart(2, '0')}`);

test('few descriptors stay open, and one that was closed is fetched again for whoever still reads it', () => {
  const { contents, given, opened } = teamOf((name) => `the text of ${name}`);
  const mounts = contents.mount(new Map(NAMES.map((name) => [name, fileOf(name)])));
  const readers = NAMES.map((name) => ({ name, bytes: mounts.get(name)?.open() }));
  expect(given.length).toBe(60);
  expect(opened()).toBe(8);
  const [first, second] = readers;
  expect(Buffer.from(first?.bytes?.read(4, 100) ?? []).toString()).toBe('text of s00');
  expect(given.length).toBe(61);
  const buffer = Buffer.alloc(100);
  expect(buffer.toString('utf8', 0, second?.bytes?.fill(buffer, 12))).toBe('s01');
  // Those that were read last are at hand.
  for (const { name, bytes } of readers.slice(-6))
    expect(Buffer.from(bytes?.read(0, 100) ?? []).toString()).toBe(`the text of ${name}`);
  expect(given.length).toBe(62);
  expect(opened()).toBe(8);
});

test('one that grew meanwhile is read on as it was; one that was changed is not mixed up', () => {
  const texts = new Map(NAMES.map((name) => [name, `the text of ${name}`]));
  const { contents } = teamOf((name) => texts.get(name) ?? '');
  const mounts = contents.mount(new Map(NAMES.map((name) => [name, fileOf(name)])));
  const bytes = mounts.get('s00')?.open();
  const readOthers = () => {
    for (const name of NAMES.slice(1, 20)) mounts.get(name)?.open();
  };
  readOthers();
  texts.set('s00', 'the text of s00 and more');
  const buffer = Buffer.alloc(100);
  expect(buffer.toString('utf8', 0, bytes?.fill(buffer, 4))).toBe('text of s00');
  expect(bytes?.fill(buffer, 15)).toBe(0);
  readOthers();
  texts.set('s00', 'another text of s00');
  expect(() => bytes?.read(0, 3)).toThrow('it was pushed again while it was read');
});

test('mounted anew, the file of the old one is closed', () => {
  const { contents, opened } = teamOf((name) => name);
  for (let time = 0; time < 5; time += 1)
    contents
      .mount(new Map([['a', fileOf('a')]]))
      .get('a')
      ?.open();
  expect(opened()).toBe(1);
});
