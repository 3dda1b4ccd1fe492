import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readPlainFile } from '../../src/disk/plainfile.ts';
import { tempFolder } from '../support/files.ts';

test('a file is read, also by a link; pipes, devices, folders and what is too large are refused at once', () => {
  const folder = tempFolder();
  const at = (name: string) => join(folder, name);
  writeFileSync(at('file'), 'words');
  symlinkSync('file', at('link'));
  expect([readPlainFile(at('file')), readPlainFile(at('link'))]).toEqual(['words', 'words']);
  execFileSync('mkfifo', [at('pipe')]);
  symlinkSync('/dev/zero', at('zero'));
  mkdirSync(at('folder'));
  for (const name of ['pipe', 'zero', 'folder']) expect(() => readPlainFile(at(name))).toThrow('it is no file');
  writeFileSync(at('large'), '');
  truncateSync(at('large'), 65 * 1024 * 1024);
  expect(() => readPlainFile(at('large'))).toThrow('it is too large');
  expect(() => readPlainFile(at('none'))).toThrow('ENOENT');
});
