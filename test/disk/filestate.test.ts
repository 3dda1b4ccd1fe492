import { execFileSync } from 'node:child_process';
import { statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { fileState, filesUnlike, isFile, isFolder, PARTS_OF_MS } from '../../src/disk/filestate.ts';
import { tempFolder } from '../support/files.ts';
import { plant } from './helpers.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../src/disk/filestate.ts')).href;

test('size, time and kind are those of statSync, for the first file and for others', () => {
  const root = tempFolder();
  plant(root, { 'a.jsonl': 'one', 'b.jsonl': '', 'é/c.jsonl': 'three' });
  utimesSync(join(root, 'b.jsonl'), 1, 1_700_000_000.123456);
  symlinkSync('a.jsonl', join(root, 'link'));
  for (const name of ['a.jsonl', 'b.jsonl', 'é/c.jsonl', 'link', 'é', '.']) {
    const path = join(root, name);
    const stat = statSync(path);
    expect(fileState(path)).toMatchObject({ size: stat.size, mtimeMs: stat.mtimeMs, mode: stat.mode });
    expect([isFile(stat), isFolder(stat)]).toEqual([stat.isFile(), stat.isDirectory()]);
  }
});

test('what is not there is told as statSync tells it, also after others', () => {
  const missing = join(tempFolder(), 'none');
  fileState(import.meta.dirname);
  for (const path of [missing, join(import.meta.filename, 'below')]) {
    const error = expect.objectContaining({ syscall: 'stat', path });
    expect(() => fileState(path)).toThrow(error);
  }
});

test('of the files of a folder those are given that are unlike what is known of them, or are not there', () => {
  const root = tempFolder();
  plant(root, { 'a.jsonl': 'one', 'b.jsonl': '', 'é.jsonl': 'three' });
  symlinkSync('a.jsonl', join(root, 'link'));
  const names = ['a.jsonl', 'b.jsonl', 'gone', 'é.jsonl', 'link'];
  const known = names.map((name) => statSync(join(root, name), { throwIfNoEntry: false }));
  const states = {
    sizes: [0, ...known.map((state) => state?.size)],
    times: [0, ...known.map((state) => state && Math.trunc(state.mtimeMs * PARTS_OF_MS))],
  };
  expect(filesUnlike(`${root}/`, names, states, 1)).toEqual(['gone']);
  expect(filesUnlike(`${root}/`, names, states, 0)).toEqual(names);
  utimesSync(join(root, 'b.jsonl'), 1, 1_700_000_000.123456);
  plant(root, { 'é.jsonl': 'three more' });
  expect(filesUnlike(`${root}/`, names, states, 1)).toEqual(['b.jsonl', 'gone', 'é.jsonl']);
});

test('nobody who asks for warnings gets one, and a Node without its binding is asked by statSync', () => {
  const script = `const { fileState } = await import(${JSON.stringify(MODULE)});
    for (const path of ['.', '.']) if (fileState(path).size < 0) process.exit(1);`;
  const run = (flags: string[], code: string) =>
    execFileSync(process.execPath, [...flags, '--input-type=module', '-e', code], { encoding: 'utf8', stdio: 'pipe' });
  expect(run(['--pending-deprecation', '--throw-deprecation'], script)).toBe('');
  expect(run(['--throw-deprecation'], script)).toBe('');
  expect(run([], `process.binding = undefined; ${script}`)).toBe('');
});
