import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { folderNames, KIND } from '../../src/disk/foldernames.ts';
import { tempFolder } from '../support/files.ts';
import { plant } from './helpers.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../src/disk/foldernames.ts')).href;

function planted(): string {
  const root = tempFolder();
  plant(root, { 'a.jsonl': 'one', 'é\u{1f600}.jsonl': '', 'folder/c.jsonl': '', 'b\nc': '' });
  mkdirSync(join(root, 'empty'));
  symlinkSync('a.jsonl', join(root, 'link'));
  symlinkSync('folder', join(root, 'folderlink'));
  symlinkSync('none', join(root, 'dangling'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  return root;
}

test('names and kinds are those of readdirSync, for the first folder and for others', () => {
  const root = planted();
  for (const folder of [root, root, join(root, 'folder'), join(root, 'empty'), join(root, 'folderlink'), root]) {
    const { names, kinds } = folderNames(folder);
    const entries = readdirSync(folder, { withFileTypes: true });
    expect(names).toEqual(entries.map(({ name }) => name));
    expect(kinds.map((kind) => kind === KIND.file)).toEqual(entries.map((entry) => entry.isFile()));
    expect(kinds.map((kind) => kind === KIND.folder)).toEqual(entries.map((entry) => entry.isDirectory()));
    expect(kinds.map((kind) => kind === KIND.link)).toEqual(entries.map((entry) => entry.isSymbolicLink()));
  }
});

test('what is no folder is told as readdirSync tells it, also after others', () => {
  const missing = join(tempFolder(), 'none');
  folderNames(planted());
  for (const [path, code] of [
    [missing, 'ENOENT'],
    [import.meta.filename, 'ENOTDIR'],
  ] as const) {
    expect(() => folderNames(path)).toThrow(expect.objectContaining({ syscall: 'scandir', path, code }));
  }
});

test('nobody who asks for warnings gets one, and a Node without its binding is asked by readdirSync', () => {
  const script = `const { folderNames } = await import(${JSON.stringify(MODULE)});
    for (const path of ['.', '.']) if (!folderNames(path).names.includes('a.jsonl')) process.exit(1);`;
  const cwd = planted();
  const run = (flags: string[], code: string) =>
    execFileSync(process.execPath, [...flags, '--input-type=module', '-e', code], {
      cwd,
      encoding: 'utf8',
      stdio: 'pipe',
    });
  expect(run(['--pending-deprecation', '--throw-deprecation'], script)).toBe('');
  expect(run(['--throw-deprecation'], script)).toBe('');
  expect(run([], `process.binding = undefined; ${script}`)).toBe('');
  // One that numbers kinds otherwise, and one that does not know them.
  const other = (answer: string) => `const fs = process.binding('fs'); const real = fs.readdir;
    process.binding = () => ({ ...fs, readdir: (...args) => { const [names, kinds] = real(...args); return ${answer}; } });`;
  const kinds = `${script}
    const { KIND } = await import(${JSON.stringify(MODULE)});
    const { names, kinds } = folderNames('.');
    if (kinds[names.indexOf('a.jsonl')] !== KIND.file) process.exit(1);`;
  expect(run([], `${other('[names, kinds.map((kind) => kind + 1)]')} ${kinds}`)).toBe('');
  expect(run([], `${other('[names, kinds.map(() => 0)]')} ${kinds}`)).toBe('');
  expect(run([], `${other('undefined')} ${kinds}`)).toBe('');
});
