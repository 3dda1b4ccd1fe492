/** Write, Edit and MultiEdit: what may be changed, and that nothing else is. */
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { edit } from '../../../src/agent/tools/edit.ts';
import { multiEdit } from '../../../src/agent/tools/multiedit.ts';
import { read } from '../../../src/agent/tools/read.ts';
import { write } from '../../../src/agent/tools/write.ts';
import { DiskError } from '../../../src/disk/errors.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import { fileHost, told, typed } from './filehost.ts';

const change = (file: string, from: string, to: string, more: JsonObject = {}) => ({
  file_path: file,
  old_string: from,
  new_string: to,
  ...more,
});

describe('Write', () => {
  test('makes a file with its folders, in the recorded shape', async () => {
    const { run, get, at, backups } = fileHost();
    const outcome = await run(write, { file_path: 'a/b/new.txt', content: 'one\n' });
    expect(get('a/b/new.txt')).toBe('one\n');
    expect(outcome).toEqual({
      content: `Made ${at('a/b/new.txt')}.`,
      result: {
        type: 'create',
        filePath: at('a/b/new.txt'),
        content: 'one\n',
        structuredPatch: [],
        originalFile: null,
        userModified: false,
      },
    });
    expect(typed(write, outcome)).toMatchObject({ kind: 'write', type: 'create', originalFile: null });
    expect(backups).toEqual([`${at('a/b/new.txt')}: none`]);
    expect(statSync(at('a/b/new.txt')).mode & 0o777).toBe(0o666 & ~process.umask());
    // What was just written may be changed.
    expect((await run(edit, change('a/b/new.txt', 'one', 'two'))).isError).toBeUndefined();
  });

  test('replaces one that was read, in the recorded shape', async () => {
    const { run, put, get, at, backups } = fileHost();
    put('old.py', 'def f():\n    return 100\n\ndef g():\n    return 2\n');
    await run(read, { file_path: 'old.py' });
    const outcome = await run(write, { file_path: 'old.py', content: 'overwritten = True\n' });
    expect(get('old.py')).toBe('overwritten = True\n');
    expect(outcome.result).toEqual({
      type: 'update',
      filePath: at('old.py'),
      content: 'overwritten = True\n',
      structuredPatch: [
        {
          oldStart: 1,
          oldLines: 5,
          newStart: 1,
          newLines: 1,
          lines: ['-def f():', '-    return 100', '-', '-def g():', '-    return 2', '+overwritten = True'],
        },
      ],
      originalFile: 'def f():\n    return 100\n\ndef g():\n    return 2\n',
      userModified: false,
    });
    expect(backups).toHaveLength(1);
  });

  test('keeps the encoding, the byte-order mark and the line ends of the file', async () => {
    const { run, put, bytes } = fileHost();
    put('crlf.txt', '\ufeffa\r\nb\r\n');
    put('wide.txt', Buffer.from('\ufeffa\n', 'utf16le'));
    for (const name of ['crlf.txt', 'wide.txt']) {
      await run(read, { file_path: name });
      await run(write, { file_path: name, content: 'x\né\n' });
    }
    expect(bytes('crlf.txt').toString('utf8')).toBe('\ufeffx\r\né\r\n');
    expect(bytes('wide.txt').toString('utf16le')).toBe('\ufeffx\né\n');
  });
});

describe('a file that exists must have been read, and be unchanged since', () => {
  test('not read', async () => {
    const { run, put, get, backups } = fileHost();
    put('a.txt', 'keep\n');
    for (const outcome of [
      await run(write, { file_path: 'a.txt', content: 'x' }),
      await run(edit, change('a.txt', 'keep', 'x')),
      await run(multiEdit, { file_path: 'a.txt', edits: [{ old_string: 'keep', new_string: 'x' }] }),
    ]) {
      expect(outcome.isError).toBe(true);
      expect(told(outcome)).toMatch(/was not read in this session\. Read it first/);
    }
    expect(get('a.txt')).toBe('keep\n');
    expect(backups).toEqual([]);
  });

  test('changed since, with the same size', async () => {
    const { run, put, get, at } = fileHost();
    put('a.txt', 'one\n');
    await run(read, { file_path: 'a.txt' });
    put('a.txt', 'two\n');
    utimesSync(at('a.txt'), new Date(), new Date(Date.now() + 5000));
    expect(told(await run(edit, change('a.txt', 'two', 'x')))).toMatch(/was changed since it was read/);
    expect(get('a.txt')).toBe('two\n');
  });

  test('only touched: its bytes are the same', async () => {
    const { run, put, get, at } = fileHost();
    put('a.txt', 'one\n');
    await run(read, { file_path: 'a.txt', limit: 1 });
    utimesSync(at('a.txt'), new Date(), new Date(Date.now() + 5000));
    expect((await run(edit, change('a.txt', 'one', 'two'))).isError).toBeUndefined();
    expect(get('a.txt')).toBe('two\n');
  });

  test('changed while it is being written: nothing is written', async () => {
    const { run, put, get, session, cwd } = fileHost();
    put('a.txt', 'one\n');
    await run(read, { file_path: 'a.txt' });
    session.backup = () => put('a.txt', 'somebody else\n');
    expect(told(await run(edit, change('a.txt', 'one', 'two')))).toMatch(
      /while it was being written: nothing was written/,
    );
    expect(get('a.txt')).toBe('somebody else\n');
    session.backup = () => put('new.txt', 'somebody else\n');
    expect(told(await run(write, { file_path: 'new.txt', content: 'mine' }))).toMatch(/nothing was written/);
    expect(get('new.txt')).toBe('somebody else\n');
    expect(readdirSync(cwd).sort()).toEqual(['a.txt', 'new.txt']);
  });

  test('read through a link, changed by its own name', async () => {
    const { run, put, at, get } = fileHost();
    put('real.txt', 'one\n');
    symlinkSync('real.txt', at('link.txt'));
    await run(read, { file_path: 'link.txt' });
    await run(edit, change('real.txt', 'one', 'two'));
    expect(get('real.txt')).toBe('two\n');
  });
});

describe('what a file was besides its bytes, it stays', () => {
  test('its mode, its owner', async () => {
    const { run, put, at } = fileHost();
    put('run.sh', 'echo one\n');
    chmodSync(at('run.sh'), 0o4751);
    const uid = process.getuid?.() === 0 ? 12_345 : statSync(at('run.sh')).uid;
    chownSync(at('run.sh'), uid, statSync(at('run.sh')).gid);
    chmodSync(at('run.sh'), 0o751);
    await run(read, { file_path: 'run.sh' });
    await run(edit, change('run.sh', 'one', 'two'));
    expect(statSync(at('run.sh')).mode & 0o7777).toBe(0o751);
    expect(statSync(at('run.sh')).uid).toBe(uid);
  });

  test('a link, also to a file still to be made; a second name', async () => {
    const { run, put, at, get } = fileHost();
    put('real.txt', 'one\n');
    symlinkSync('real.txt', at('link.txt'));
    symlinkSync('later.txt', at('dangling.txt'));
    linkSync(at('real.txt'), at('twin.txt'));
    await run(read, { file_path: 'link.txt' });
    await run(edit, change('link.txt', 'one', 'two'));
    await run(write, { file_path: 'dangling.txt', content: 'made\n' });
    expect(readlinkSync(at('link.txt'))).toBe('real.txt');
    expect([get('real.txt'), get('twin.txt'), get('later.txt')]).toEqual(['two\n', 'two\n', 'made\n']);
    expect(readlinkSync(at('dangling.txt'))).toBe('later.txt');
  });

  test('nothing else is left in the folder', async () => {
    const { run, put, cwd } = fileHost();
    put('a.txt', 'one\n');
    await run(read, { file_path: 'a.txt' });
    await run(edit, change('a.txt', 'one', 'two'));
    expect(readdirSync(cwd)).toEqual(['a.txt']);
  });
});

describe('Edit', () => {
  test('in the recorded shape', async () => {
    const { run, put, at } = fileHost();
    put('old.py', 'def f():\n    return 1\n\ndef g():\n    return 2\n');
    await run(read, { file_path: 'old.py' });
    const outcome = await run(edit, change('old.py', 'return 1', 'return 100', { replace_all: false }));
    expect(outcome.result).toEqual({
      filePath: at('old.py'),
      oldString: 'return 1',
      newString: 'return 100',
      originalFile: 'def f():\n    return 1\n\ndef g():\n    return 2\n',
      structuredPatch: [
        {
          oldStart: 1,
          oldLines: 5,
          newStart: 1,
          newLines: 5,
          lines: [' def f():', '-    return 1', '+    return 100', ' ', ' def g():', '     return 2'],
        },
      ],
      userModified: false,
      replaceAll: false,
    });
    expect(typed(edit, outcome)).toMatchObject({ kind: 'edit', userModified: false });
  });

  test('an empty old_string makes a file, fills an empty one, and replaces none', async () => {
    const { run, put, get } = fileHost();
    put('empty.txt', '');
    put('full.txt', 'x');
    for (const name of ['empty.txt', 'full.txt']) await run(read, { file_path: name });
    const made = await run(edit, change('made.txt', '', 'fresh\n'));
    expect(made.result).toMatchObject({
      originalFile: '',
      structuredPatch: [{ oldStart: 1, oldLines: 0, newStart: 1, newLines: 1, lines: ['+fresh'] }],
    });
    await run(edit, change('empty.txt', '', 'fill\n'));
    expect([get('made.txt'), get('empty.txt')]).toEqual(['fresh\n', 'fill\n']);
    expect(told(await run(edit, change('full.txt', '', 'y')))).toMatch(/exists and is not empty/);
  });

  test.each<[string, string, string, string, RegExp]>([
    ['the same', 'a\n', 'a', 'a', /are the same/],
    ['not there', 'a\n', 'zzz', 'y', /is not in the file.*character for character/],
    ['several', 'l1\nl2\nl3', 'l', 'L', /stands at 3 places/],
    ['several that overlap', 'aaa\n', 'aa', 'b', /stands at 2 places/],
    [
      'other white space',
      'if (x) {\n\treturn 1\n}\n',
      'if (x) {\n  return 1\n}',
      'y',
      /at line 1 differs only in white space/,
    ],
    [
      'other quotation marks',
      'a\nsay “hi”\n',
      'say "hi"',
      'y',
      /at line 2 differs only in white space or quotation marks/,
    ],
    ['other case', 'a\nHello World\n', 'hello world', 'y', /at line 2 differs only in upper and lower case/],
    ['line numbers', 'one\ntwo\n', '1\tone\n2\ttwo', 'y', /Leave out the line numbers/],
  ])('%s: nothing is changed, and why is told', async (_, text, from, to, expected) => {
    const { run, put, get, backups } = fileHost();
    put('a.txt', text);
    await run(read, { file_path: 'a.txt' });
    const outcome = await run(edit, change('a.txt', from, to));
    expect(outcome.isError).toBe(true);
    expect(told(outcome)).toMatch(expected);
    expect(get('a.txt')).toBe(text);
    expect(backups).toEqual([]);
  });

  test('every place with replace_all; the new text is put in as it is', async () => {
    const { run, put, get } = fileHost();
    put('a.txt', 'x 中 x 😀 x');
    await run(read, { file_path: 'a.txt' });
    const outcome = await run(edit, change('a.txt', 'x', '$&$1x', { replace_all: true }));
    expect(told(outcome)).toMatch(/at 3 places/);
    expect(get('a.txt')).toBe('$&$1x 中 $&$1x 😀 $&$1x');
  });

  test('CRLF and LF side by side: each line keeps its own', async () => {
    const { run, put, get } = fileHost();
    put('mixed.txt', 'a\r\nb\nc\r\nd\r\n');
    await run(read, { file_path: 'mixed.txt' });
    await run(edit, change('mixed.txt', 'c\nd', 'C\nD\nE'));
    await run(edit, change('mixed.txt', 'b', 'B\nB2'));
    expect(get('mixed.txt')).toBe('a\r\nB\r\nB2\nC\r\nD\r\nE\r\n');
  });

  test('no file, a folder, a path through a file, a binary file, a place nobody may write to', async () => {
    const { run, put, at } = fileHost();
    mkdirSync(at('dir'));
    put('a.txt', 'x');
    put('b.dat', Buffer.from([1, 0, 2]));
    const say = async (outcome: ReturnType<typeof run>) => told(await outcome);
    expect(await say(run(edit, change('nothing.txt', 'a', 'b')))).toMatch(/There is no file/);
    expect(await say(run(edit, change('dir', 'a', 'b')))).toMatch(/is a folder/);
    expect(await say(run(write, { file_path: 'a.txt/b', content: 'x' }))).toMatch(
      /A part of the path is a file|EEXIST/,
    );
    expect(await say(run(write, { file_path: 'b.dat', content: 'x' }))).toMatch(/was not read/);
    const refused = await run(write, { file_path: '/proc/nobody/may', content: 'x' });
    expect(refused.isError).toBe(true);
  });

  test('a full disk: the file is as it was', async () => {
    const { run, put, get, session } = fileHost();
    put('a.txt', 'one\n');
    await run(read, { file_path: 'a.txt' });
    session.backup = () => {
      throw new DiskError({
        what: 'full',
        where: 'x',
        next: '',
        cause: Object.assign(new Error('x'), { code: 'ENOSPC' }),
      });
    };
    expect(told(await run(edit, change('a.txt', 'one', 'two')))).toMatch(/The disk is full; nothing was changed/);
    expect(get('a.txt')).toBe('one\n');
  });
});

describe('MultiEdit', () => {
  test('one after the other, in the recorded shape', async () => {
    const { run, put, get, at, backups } = fileHost();
    put('a.txt', 'one\ntwo\n');
    await run(read, { file_path: 'a.txt' });
    const edits = [
      { old_string: 'one', new_string: '1' },
      { old_string: '1\ntwo', new_string: '1\n2' },
    ];
    const outcome = await run(multiEdit, { file_path: 'a.txt', edits });
    expect(get('a.txt')).toBe('1\n2\n');
    expect(outcome.result).toMatchObject({
      filePath: at('a.txt'),
      edits: edits.map((each) => ({ ...each, replace_all: false })),
      originalFileContents: 'one\ntwo\n',
      userModified: false,
    });
    expect(typed(multiEdit, outcome)).toMatchObject({ kind: 'edit', originalFile: 'one\ntwo\n' });
    expect(backups).toHaveLength(1);
  });

  test('all or nothing', async () => {
    const { run, put, get, backups } = fileHost();
    put('a.txt', 'one\n');
    await run(read, { file_path: 'a.txt' });
    const edits = [
      { old_string: 'one', new_string: '1' },
      { old_string: 'two', new_string: '2' },
    ];
    expect(told(await run(multiEdit, { file_path: 'a.txt', edits }))).toMatch(
      /^Edit 2 of 2 does not fit, so none was made: /,
    );
    expect([get('a.txt'), backups]).toEqual(['one\n', []]);
  });

  test('makes a file when the first begins with nothing', async () => {
    const { run, get } = fileHost();
    const edits = [
      { old_string: '', new_string: 'one two\n' },
      { old_string: 'two', new_string: '2' },
    ];
    await run(multiEdit, { file_path: 'new.txt', edits });
    expect(get('new.txt')).toBe('one 2\n');
    expect(told(await run(multiEdit, { file_path: 'new.txt', edits }))).toMatch(
      /an empty old_string only makes new files/,
    );
  });
});
