import { expect, test } from 'vitest';
import { createBatches } from '../../src/team/read/batches.ts';
import { createContents } from '../../src/team/read/contents.ts';
import type { TeamFile } from '../../src/team/read/files.ts';
import type { Asked } from '../../src/team/read/thread.ts';

function fileOf(name: string, bytes: number): TeamFile {
  const rest = { slug: '-a', project: '/a', mtimeMs: 0, updated: 0, lines: 1, chat: '', title: '', version: 1 };
  return { session: name, name, kind: 'session', bytes, isFull: true, isVaried: false, ...rest };
}

/** A team whose files are these texts, and what was asked of it. */
function teamOf(texts: Map<string, string>) {
  const asked: string[][] = [];
  const lines = (files: readonly Asked[]) => {
    asked.push(files.map(({ name }) => name));
    return files.map(({ name }) => {
      const kind = 'bytes' as const;
      return { kind, bytes: new Uint8Array(Buffer.from(texts.get(name) ?? '')) };
    });
  };
  const files = new Map([...texts].map(([name, text]) => [name, fileOf(name, text.length)]));
  const mounts = createContents({ lines }).mount(files);
  const read = (name: string, start = 0, end = 1 << 30) => {
    const mounted = mounts.get(name);
    return Buffer.from(mounted?.open().read(start, Math.min(end, mounted.bytes)) ?? []).toString();
  };
  return { asked, read };
}

test('what follows is fetched along, the more the more is read, and nothing twice', () => {
  const names = Array.from({ length: 40 }, (_each, place) => `f${String(place).padStart(2, '0')}`);
  const { asked, read } = teamOf(new Map(names.map((name) => [name, `text of ${name}`])));
  for (const name of names) expect(read(name)).toBe(`text of ${name}`);
  for (const name of names) expect(read(name, 0, 4)).toBe('text');
  expect(asked.map((each) => each.length)).toEqual([1, 2, 4, 8, 16, 9]);
  expect(asked.flat()).toEqual(names);
});

test('large ones are fetched alone, and fetched again when they had to make room', () => {
  const big = 'x'.repeat(15 << 20);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const { asked, read } = teamOf(new Map(names.map((name) => [name, name + big])));
  for (const name of names) expect(read(name, 0, 1)).toBe(name);
  expect(read('f', 0, 1)).toBe('f');
  expect(read('a', 0, 1)).toBe('a');
  expect(asked).toEqual([['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['a']]);
});

test('one that grew meanwhile is read on as it was; one that was changed is not mixed up', () => {
  const big = 'x'.repeat(15 << 20);
  const texts = new Map(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, name + big]));
  const { read } = teamOf(texts);
  const readAll = () => {
    for (const name of ['b', 'c', 'd', 'e', 'f']) read(name, 0, 1);
  };
  expect(read('a').length).toBe(big.length + 1);
  readAll();
  texts.set('a', `a${big} and more`);
  expect(read('a').length).toBe(big.length + 1);
  readAll();
  texts.set('a', `A${big} and more`);
  expect(() => read('a')).toThrow('it was pushed again while it was read');
});

test('things are asked for in groups that grow, each once, whatever the order', () => {
  const keys = Array.from({ length: 100 }, (_each, place) => place);
  const fetches: number[] = [];
  const batches = createBatches(keys, (some) => {
    fetches.push(some.length);
    return new Map(some.filter((key) => key % 2 === 0).map((key) => [key, `v${key}`]));
  });
  for (const key of keys.toReversed()) expect(batches.get(key)).toBe(key % 2 === 0 ? `v${key}` : undefined);
  expect(batches.get(1000)).toBeUndefined();
  expect(fetches).toEqual([1, 4, 16, 64, 15]);
});
