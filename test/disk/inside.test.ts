import { execFileSync } from 'node:child_process';
import { realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/files.ts';
import { plant } from './helpers.ts';

const urlOf = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../src/disk', name)).href);

/** In a process of its own, which stands in a folder of its own; what it prints, as JSON. */
function told(cwd: string, script: string): unknown {
  const code = `import { existsSync, rmdirSync, statSync } from 'node:fs';
    const { inside } = await import(${urlOf('inside.ts')});
    const { folderFs, loneFolderFs } = await import(${urlOf('io.ts')});
    console.log(JSON.stringify(await (async () => { ${script} })()));`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', code];
  return JSON.parse(execFileSync(process.execPath, args, { cwd, encoding: 'utf8' }));
}

test('what is asked from inside a folder needs no path, and afterwards the process stands where it stood', () => {
  const root = realpathSync(tempFolder());
  plant(root, { 'here/x': '', 'far/away/a.jsonl': 'one' });
  const far = JSON.stringify(`${root}/far/away/`);
  const script = `const within = inside(${far}, (prefix) => [prefix, process.cwd(), existsSync(prefix + 'a.jsonl')]);
    let error; try { inside(${far}, () => { throw new Error('told'); }); } catch (each) { error = each.message; }
    return [within, error, process.cwd()];`;
  expect(told(join(root, 'here'), script)).toEqual([['', join(root, 'far/away'), true], 'told', join(root, 'here')]);
});

test('where there is no way in it is asked by whole paths; no way back, where that folder is gone, is no trouble', () => {
  const root = realpathSync(tempFolder());
  plant(root, { 'here/x': '', 'a.jsonl': 'one' });
  const none = JSON.stringify(`${root}/none/`);
  expect(told(join(root, 'here'), `return [inside(${none}, (prefix) => prefix), process.cwd()];`)).toEqual([
    `${root}/none/`,
    join(root, 'here'),
  ]);
  plant(root, { 'gone/.keep': '' });
  const gone = `(await import('node:fs')).rmSync(${JSON.stringify(join(root, 'gone'))}, { recursive: true });
    return inside(${JSON.stringify(`${root}/`)}, (prefix) => prefix);`;
  expect(told(join(root, 'gone'), gone)).toBe('');
});

test('many files of a folder, also one that a link leads to, are told as by their paths', () => {
  const root = realpathSync(tempFolder());
  const names = Array.from({ length: 12 }, (_, each) => `${each}.jsonl`);
  plant(root, Object.fromEntries(names.map((name) => [`far/${name}`, name])));
  symlinkSync('far', join(root, 'linked'));
  const script = `const names = ${JSON.stringify([...names, 'none.jsonl'])};
    const { exactState } = await import(${urlOf('filestate.ts')});
    const states = names.map((name) => exactState(${JSON.stringify(`${root}/far/`)} + name) ?? [1, 1, 1]);
    states[3] = [-1, 0, 0];
    const known = Float64Array.from(states.flat());
    return ['far', 'linked', 'none'].flatMap((folder) => [folderFs, loneFolderFs].map((fs) => fs.unlike(${JSON.stringify(`${root}/`)} + folder + '/', names, known, 0)));`;
  const unlike = ['3.jsonl', 'none.jsonl'];
  const all = [...names, 'none.jsonl'];
  expect(told(root, script)).toEqual([unlike, unlike, unlike, unlike, all, all]);
});
