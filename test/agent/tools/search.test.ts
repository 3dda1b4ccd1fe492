/** Glob and Grep, with the ripgrep that is shipped. */
import { utimesSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ripgrep } from '../../../src/agent/tools/files/ripgrep.ts';
import { glob } from '../../../src/agent/tools/glob.ts';
import { grep } from '../../../src/agent/tools/grep.ts';
import { asNumber, at as valueAt } from '../../../src/format/json.ts';
import { fileHost, told, typed } from './filehost.ts';

/** Each a second newer than the one before. */
function withFiles(files: Record<string, string>) {
  const host = fileHost();
  for (const [index, [name, text]] of Object.entries(files).entries()) {
    utimesSync(host.put(name, text), 1_700_000_000 + index, 1_700_000_000 + index);
  }
  return host;
}

const FILES = {
  '.gitignore': 'ignored.txt\nnode_modules/\n',
  '.git/config': 'needle\n',
  'a.txt': 'needle one\nother\nNeedle two\n',
  '.hidden.txt': 'needle\n',
  'ignored.txt': 'needle\n',
  'node_modules/m.txt': 'needle\n',
  'sub/b.ts': 'const a = 1;\nneedle(\n',
  'sub/中文 😀.txt': 'needle\n',
};

describe('Glob', () => {
  test('newest first, hidden and ignored ones too, in the recorded shape', async () => {
    const { run, at } = withFiles(FILES);
    const outcome = await run(glob, { pattern: '**/*.txt' });
    const names = ['sub/中文 😀.txt', 'node_modules/m.txt', 'ignored.txt', '.hidden.txt', 'a.txt'].map(at);
    expect(told(outcome)).toBe(names.join('\n'));
    expect(outcome.result).toEqual({
      filenames: names,
      durationMs: asNumber(valueAt(outcome.result, 'durationMs')),
      numFiles: 5,
      truncated: false,
    });
    expect(typed(glob, outcome)).toMatchObject({ kind: 'glob', numFiles: 5 });
  });

  test('in a folder, by an absolute pattern, above the working directory, inside .git', async () => {
    const { run, at, session } = withFiles(FILES);
    const found = async (input: { pattern: string; path?: string }) => told(await run(glob, input));
    expect(await found({ pattern: '*.ts', path: 'sub' })).toBe(at('sub/b.ts'));
    expect(await found({ pattern: `${at('sub')}/*.ts` })).toBe(at('sub/b.ts'));
    expect(await found({ pattern: at('sub/b.ts') })).toBe(at('sub/b.ts'));
    expect(await found({ pattern: '.git/*' })).toBe(at('.git/config'));
    session.cwd = at('sub');
    expect(await found({ pattern: '../a.*' })).toBe(at('a.txt'));
    expect(glob.path?.({ pattern: `${at('sub')}/*.ts` })).toBe(`${at('sub')}/`);
  });

  test('nothing, no such folder, a pattern that is none', async () => {
    const { run } = withFiles(FILES);
    expect(told(await run(glob, { pattern: '*.zzz' }))).toBe('No file has such a name.');
    expect(told(await run(glob, { pattern: '*', path: 'nope' }))).toMatch(/There is no folder/);
    expect(await run(glob, { pattern: '{a' })).toMatchObject({ isError: true });
  });

  test('100 at most', async () => {
    const { run } = withFiles(Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`f${i}.txt`, ''])));
    const outcome = await run(glob, { pattern: '*.txt' });
    expect(outcome.result).toMatchObject({ numFiles: 100, truncated: true });
    expect(told(outcome)).toMatch(/there are more\. Give a narrower pattern or path\.\)$/);
  });
});

describe('Grep', () => {
  test('files, newest first; ignored ones and .git are left out', async () => {
    const { run } = withFiles(FILES);
    const outcome = await run(grep, { pattern: 'needle' });
    const filenames = ['sub/中文 😀.txt', 'sub/b.ts', '.hidden.txt', 'a.txt'];
    expect(told(outcome)).toBe(`4 files:\n${filenames.join('\n')}`);
    expect(outcome.result).toEqual({ mode: 'files_with_matches', filenames, numFiles: 4 });
    expect(typed(grep, outcome)).toMatchObject({ kind: 'grep', mode: 'files_with_matches' });
  });

  test('lines, with numbers, with those around them', async () => {
    const { run } = withFiles(FILES);
    const content = { output_mode: 'content' };
    const outcome = await run(grep, { pattern: 'needle', path: 'a.txt', ...content });
    expect(outcome.result).toEqual({
      mode: 'content',
      numFiles: 0,
      filenames: [],
      content: 'a.txt:1:needle one',
      numLines: 1,
    });
    const text = async (input: object) =>
      told(await run(grep, { pattern: 'needle', path: 'a.txt', ...content, ...input }));
    expect(await text({ '-i': true, '-n': false })).toBe('a.txt:needle one\na.txt:Needle two');
    expect(await text({ '-A': 1 })).toBe('a.txt:1:needle one\na.txt-2-other');
    expect(await text({ pattern: 'other', '-C': 1 })).toBe('a.txt-1-needle one\na.txt:2:other\na.txt-3-Needle two');
    expect(await text({ pattern: 'one.other', multiline: true })).toBe('a.txt:1:needle one\na.txt:2:other');
    expect(await text({ pattern: '-- no option' })).toBe('Nothing was found.');
  });

  test('counts; globs and types; what is ignored when it is named', async () => {
    const { run } = withFiles(FILES);
    const count = await run(grep, { pattern: 'needle', output_mode: 'count', path: 'a.txt', '-i': true });
    expect(told(count)).toBe('a.txt:2\n\n2 matches in 1 file.');
    expect(count.result).toEqual({ mode: 'count', numFiles: 1, filenames: [], content: 'a.txt:2', numMatches: 2 });
    const files = async (input: object) => typed(grep, await run(grep, { pattern: 'needle', ...input }));
    expect(await files({ type: 'ts' })).toMatchObject({ filenames: ['sub/b.ts'] });
    expect(await files({ glob: '*.{ts,js}' })).toMatchObject({ filenames: ['sub/b.ts'] });
    expect(await files({ glob: '!*.txt, !*.ts' })).toMatchObject({ filenames: [] });
    expect(await files({ path: 'ignored.txt' })).toMatchObject({ filenames: ['ignored.txt'] });
    expect(await files({ path: '.git' })).toMatchObject({ filenames: ['.git/config'] });
  });

  test('a part of many, and how to go on', async () => {
    const { run } = withFiles({ 'many.txt': Array.from({ length: 1000 }, (_, i) => `line ${i + 1}`).join('\n') });
    const content = { pattern: 'line', output_mode: 'content' };
    const page = await run(grep, { ...content, head_limit: 3, offset: 1 });
    expect(told(page)).toBe(
      'many.txt:2:line 2\nmany.txt:3:line 3\nmany.txt:4:line 4\n\n(From 2 to 4; go on with offset 4.)',
    );
    expect(page.result).toMatchObject({ numLines: 3, appliedLimit: 3, appliedOffset: 1 });
    expect((await run(grep, content)).result).toMatchObject({ numLines: 250, appliedLimit: 250 });
    expect((await run(grep, { ...content, head_limit: 0 })).result).toMatchObject({ numLines: 1000 });
    expect(told(await run(grep, { ...content, offset: 998 }))).toMatch(/\(From 999 to 1000; the last ones\.\)$/);
  });

  test('no more than may be sent, long lines cut', async () => {
    const { run, session } = withFiles({ 'wide.txt': `${'needle '.repeat(300)}\n`.repeat(400) });
    const outcome = await run(grep, { pattern: 'needle', output_mode: 'content', head_limit: 0 });
    expect(told(outcome).length).toBeLessThan(session.limits.outputChars + 200);
    expect(told(outcome)).toMatch(/as many as fit; go on with offset \d+\.\)$/);
    expect(told(outcome).split('\n')[0]?.length).toBeLessThan(600);
  });

  test('a bad pattern, a type nobody knows, no such place, wrong input', async () => {
    const { run } = withFiles(FILES);
    expect(told(await run(grep, { pattern: '(' }))).toMatch(/could not be made\. regex parse error.*unclosed group/s);
    expect(told(await run(grep, { pattern: 'a', type: 'nonsense' }))).toMatch(/unrecognized file type: nonsense/);
    expect(told(await run(grep, { pattern: 'a', path: 'nope' }))).toMatch(/There is no file or folder/);
    expect(grep.refuse({ pattern: 'a', output_mode: 'x' })).toMatch(/output_mode/);
  });
});

describe('ripgrep itself', () => {
  test('is ended by an interrupt and by its time', async () => {
    const { cwd, host, abort } = withFiles({ 'a.txt': 'x\n'.repeat(100) });
    const slow = { args: ['x', '/dev/zero'], cwd, most: 10, end: '\n' as const };
    expect(await ripgrep({ ...slow, signal: host.signal, timeoutMs: 100 })).toMatchObject({ stopped: 'late' });
    const interrupted = ripgrep({ ...slow, signal: host.signal });
    setTimeout(abort, 50);
    await expect(interrupted).rejects.toThrow('The search was interrupted.');
  });

  test('is ended when there is enough', async () => {
    const { cwd, host } = withFiles({ 'a.txt': 'x\n'.repeat(100_000) });
    const { records, stopped } = await ripgrep({ args: ['x', '.'], cwd, signal: host.signal, most: 10, end: '\n' });
    expect([records.length, stopped]).toEqual([10, 'enough']);
  });
});
