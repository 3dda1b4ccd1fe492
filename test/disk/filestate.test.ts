import { execFileSync } from 'node:child_process';
import { statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import {
  exactState,
  fileState,
  filesUnlike,
  isFile,
  isFolder,
  PARTS_OF_MS,
  partsOf,
} from '../../src/disk/filestate.ts';
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
  const states = names.map((name) => exactState(join(root, name)));
  expect(states[2]).toBeUndefined();
  const known = Float64Array.from([0, 0, 0, ...states.flatMap((state) => state ?? [Number.NaN, 0, 0])]);
  expect(filesUnlike(`${root}/`, names, known, 1)).toEqual(['gone']);
  expect(filesUnlike(`${root}/`, names, known, 0)).toEqual(names);
  // As far as is known.
  expect(filesUnlike(`${root}/`, names, known.slice(0, -3), 1)).toEqual(['gone', 'link']);
  utimesSync(join(root, 'b.jsonl'), 1, 1_700_000_000.123456);
  plant(root, { 'é.jsonl': 'three more' });
  expect(filesUnlike(`${root}/`, names, known, 1)).toEqual(['b.jsonl', 'gone', 'é.jsonl']);
});

test('what is known of a file exactly is what statSync tells, to the nanosecond, with and without the binding', () => {
  const root = tempFolder();
  plant(root, { 'a.jsonl': 'one', 'b.jsonl': 'other' });
  const path = join(root, 'a.jsonl');
  for (const seconds of [1_800_000_000.123_456, 1.5, 0]) {
    utimesSync(path, 1, seconds);
    const { size, mtimeNs, mtimeMs } = statSync(path, { bigint: true });
    const [bytes, whole, parts] = exactState(path) ?? [];
    expect([bytes, BigInt(whole ?? 0) * 1_000_000_000n + BigInt(parts ?? 0)]).toEqual([Number(size), mtimeNs]);
    expect(partsOf([0, whole ?? 0, parts ?? 0])).toBe(Math.trunc(statSync(path).mtimeMs * PARTS_OF_MS));
    expect(Number(mtimeMs)).toBe(Math.trunc(seconds * 1000));
  }
  const known = [exactState(path), exactState(join(root, 'b.jsonl'))].flat();
  const script = `process.binding = undefined;
    const { exactState, filesUnlike } = await import(${JSON.stringify(MODULE)});
    const known = Float64Array.from(${JSON.stringify(known)});
    console.log(JSON.stringify([exactState('a.jsonl'), exactState('none'), filesUnlike('', ['a.jsonl', 'b.jsonl', 'none'], known, 0)]));`;
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8', cwd: root });
  expect(JSON.parse(told)).toEqual([exactState(path), null, ['none']]);
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
