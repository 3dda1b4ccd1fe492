import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { writeFileAtomic } from '../../src/disk/durable.ts';
import { DiskError } from '../../src/disk/errors.ts';
import { encode } from '../../src/format/text.ts';
import { tempFolder } from '../support/files.ts';

test('puts a new file in place, for the owner alone, and leaves nothing beside it', () => {
  const folder = join(tempFolder(), 'a/b');
  writeFileAtomic(join(folder, 'f.json'), encode('{}'));
  expect(readdirSync(folder)).toEqual(['f.json']);
  expect(readFileSync(join(folder, 'f.json'), 'utf8')).toBe('{}');
  expect(statSync(join(folder, 'f.json')).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});

test('replaces a file by a new one and keeps its mode, or sets the one given', () => {
  const path = join(tempFolder(), 'f');
  writeFileSync(path, 'old', { mode: 0o640 });
  const { ino } = statSync(path);
  writeFileAtomic(path, encode('new'));
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['new', 0o640]);
  expect(statSync(path).ino).not.toBe(ino);
  writeFileAtomic(path, encode('newer'), { mode: 0o666 });
  expect(statSync(path).mode & 0o777).toBe(0o666);
});

test('takes its content in parts', () => {
  const path = join(tempFolder(), 'f');
  writeFileAtomic(path, [encode('a'), encode(''), encode('b')]);
  expect(readFileSync(path, 'utf8')).toBe('ab');
});

test('a link stays a link to what it pointed to', () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'real'), 'old');
  symlinkSync('real', join(folder, 'link'));
  writeFileAtomic(join(folder, 'link'), encode('new'));
  expect(readFileSync(join(folder, 'real'), 'utf8')).toBe('new');
  expect(readdirSync(folder, { withFileTypes: true }).map((item) => item.isSymbolicLink())).toEqual([true, false]);
});

test('a content that fails half way leaves the old file and no temporary one', () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'f'), 'old');
  function* parts() {
    yield encode('half');
    throw new Error('the content ended');
  }
  expect(() => writeFileAtomic(join(folder, 'f'), parts())).toThrow('the content ended');
  expect(readdirSync(folder)).toEqual(['f']);
  expect(readFileSync(join(folder, 'f'), 'utf8')).toBe('old');
});

test('a folder in the way is an error with what, where, next', () => {
  const folder = tempFolder();
  writeFileAtomic(join(folder, 'd/f'), encode('x'));
  expect(() => writeFileAtomic(join(folder, 'd'), encode('x'))).toThrow(DiskError);
  expect(readdirSync(folder)).toEqual(['d']);
});

test.each(['a', 'a/b', './a/b/c'])('makes a relative folder %s and ends', (folder) => {
  const cwd = tempFolder();
  const module = fileURLToPath(new URL('../../src/disk/durable.ts', import.meta.url));
  const script = `import { makeFolders } from ${JSON.stringify(module)}; makeFolders(${JSON.stringify(folder)}, true);`;
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script], { cwd, timeout: 5000 });
  expect([ran.status, existsSync(join(cwd, folder))]).toEqual([0, true]);
});
