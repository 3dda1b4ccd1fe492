import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { appendLines } from '../../src/disk/append.ts';
import { DiskError } from '../../src/disk/errors.ts';
import { io, ioSince } from '../../src/disk/io.ts';
import { readSessionOf } from '../../src/disk/read.ts';
import { at, parseJson } from '../../src/format/json.ts';
import { encode } from '../../src/format/text.ts';
import { tempFolder } from '../support/files.ts';
import { child, line, lines, systemError } from './helpers.ts';

function file(content?: string): string {
  const path = join(tempFolder(), 's.jsonl');
  if (content !== undefined) writeFileSync(path, content);
  return path;
}

function failure(call: () => unknown): DiskError {
  try {
    call();
  } catch (error) {
    if (error instanceof DiskError) return error;
    throw error;
  }
  throw new Error('did not fail');
}

/** Writes at most `bytes` in each call; after `calls` of them it fails. */
function faultyWrite(bytes: number, calls = Infinity, meanwhile: () => void = () => {}) {
  let left = calls;
  return (fd: number, part: Uint8Array) => {
    if (left === 0) throw systemError('ENOSPC');
    left -= 1;
    const written = writeSync(fd, part, 0, Math.min(bytes, part.length));
    if (left === 0) meanwhile();
    return written;
  };
}

describe('appendLines', () => {
  test('W4: whole lines, one write, after what is there', () => {
    const path = file(lines('a'));
    const before = { ...io };
    const added = appendLines(path, [line('b'), encode(line('c'))]);
    expect(ioSince(before)).toMatchObject({ writes: 1, bytesWritten: added.bytes, bytesRead: 1 });
    expect(added).toMatchObject({ created: false, mended: false });
    expect(readFileSync(path, 'utf8')).toBe(lines('a', 'b', 'c'));
  });

  test('W4: bytes are written as they are given', () => {
    const path = file();
    const odd = '{"b":1.0,"10":2,"s":"\\u00e9\u2028\\/","b":3}';
    appendLines(path, [odd]);
    expect(readFileSync(path, 'utf8')).toBe(`${odd}\n`);
  });

  test('a new file and its folders are for the owner alone', () => {
    const path = join(tempFolder(), 'projects/-p/s.jsonl');
    expect(appendLines(path, [line('a')], { fsync: true })).toMatchObject({ created: true });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(appendLines(path, [line('b')], { fsync: true })).toMatchObject({ created: false });
    expect(readFileSync(path, 'utf8')).toBe(lines('a', 'b'));
  });

  test('the mode of a file that exists stays', () => {
    const path = file(lines('a'));
    const { mode } = statSync(path);
    appendLines(path, [line('b')]);
    expect(statSync(path).mode).toBe(mode);
  });

  test('E1: a torn last line gets its end first', () => {
    const path = file(`${lines('a')}{"type":"us`);
    expect(appendLines(path, [line('b')])).toMatchObject({ mended: true });
    const { entries } = readSessionOf(path);
    expect(entries.map(({ kind, head }) => [kind, head.uuid])).toEqual([
      ['user', 'a'],
      ['unreadable', undefined],
      ['user', 'b'],
    ]);
    expect(appendLines(path, [line('c')])).toMatchObject({ mended: false });
  });

  test('an empty file, a link to a file, a link to a file not yet there', () => {
    const path = file('');
    appendLines(path, [line('a')]);
    symlinkSync('s.jsonl', `${path}.link`);
    appendLines(`${path}.link`, [line('b')]);
    expect(readFileSync(path, 'utf8')).toBe(lines('a', 'b'));
    symlinkSync('later.jsonl', `${path}.later`);
    appendLines(`${path}.later`, [line('c')]);
    expect(readFileSync(join(path, '../later.jsonl'), 'utf8')).toBe(lines('c'));
  });

  test('no lines: nothing is touched', () => {
    const path = join(tempFolder(), 'new/s.jsonl');
    expect(appendLines(path, [])).toEqual({ bytes: 0, created: false, mended: false });
    expect(existsSync(join(path, '..'))).toBe(false);
  });

  test.each([
    ['{"a":1}\n', 'line end'],
    ['{"a":\n1}', 'line end'],
    ['[1]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    ['{"a":', 'not a JSON object'],
    ['', 'not a JSON object'],
    ['{} {}', 'not a JSON object'],
  ])('E1: refuses %j and writes none of the lines', (bad, why) => {
    const path = file(lines('a'));
    const error = failure(() => appendLines(path, [line('b'), bad]));
    expect(error.what).toContain('line 2');
    expect(error.what).toContain(why);
    expect(readFileSync(path, 'utf8')).toBe(lines('a'));
  });

  test('a folder in the way and a path through a file are errors with what, where, next', () => {
    const path = file(lines('a'));
    mkdirSync(`${path}.d`);
    expect(failure(() => appendLines(`${path}.d`, [line('b')]))).toMatchObject({ code: 'EISDIR', where: `${path}.d` });
    expect(failure(() => appendLines(join(path, 'x/s.jsonl'), [line('b')])).code).toMatch(/ENOTDIR|EEXIST/);
    expect(failure(() => appendLines('/dev/null', [line('b')])).what).toContain('not a file');
  });
});

// Only Linux has a /proc.
test.skipIf(process.platform !== 'linux')('a place where no folder can be made is told, not tried for ever', () => {
  expect(failure(() => appendLines('/proc/nowhere/a/s.jsonl', [line('a')])).code).toBe('ENOENT');
});

describe('appendLines at a size', () => {
  test('W4: only where the file ends there', () => {
    const path = file(lines('a'));
    const at = lines('a').length;
    expect(appendLines(path, [line('b')], { at })).toMatchObject({ bytes: lines('b').length });
    expect(appendLines(path, [line('c')], { at })).toMatchObject({ bytes: 0, late: true });
    expect(readFileSync(path, 'utf8')).toBe(lines('a', 'b'));
    expect(appendLines(`${path}.new`, [line('b')], { at: 0 })).toMatchObject({ created: true });
  });

  test('W4: another program that is quicker by an instant goes first; ours are taken back', () => {
    const path = file(`${lines('a')}torn`);
    const write = (fd: number, part: Uint8Array) => {
      appendFileSync(path, lines('other'));
      return writeSync(fd, part);
    };
    expect(appendLines(path, [line('b')], { at: statSync(path).size, write })).toMatchObject({ late: true });
    expect(readFileSync(path, 'utf8')).toBe(`${lines('a')}torn${lines('other')}`);
  });

  test('W4: one that comes an instant later does not matter', () => {
    const path = file(lines('a'));
    const write = (fd: number, part: Uint8Array) => {
      const written = writeSync(fd, part);
      appendFileSync(path, lines('other'));
      return written;
    };
    expect(appendLines(path, [line('b')], { at: statSync(path).size, write }).late).toBeUndefined();
    expect(readFileSync(path, 'utf8')).toBe(lines('a', 'b', 'other'));
  });
});

describe('appendLines when the disk fails', () => {
  test('W4: short writes are completed', () => {
    const path = file(`${lines('a')}torn`);
    appendLines(path, [line('b'), line('c')], { write: faultyWrite(7) });
    expect(readFileSync(path, 'utf8')).toBe(`${lines('a')}torn\n${lines('b', 'c')}`);
  });

  test.each([0, 1, 3])('W4: a disk full after %i short writes leaves the file as it was', (calls) => {
    const path = file(`${lines('a')}torn`);
    const error = failure(() => appendLines(path, [line('b'), line('c')], { write: faultyWrite(40, calls) }));
    expect(error).toMatchObject({ code: 'ENOSPC', where: path });
    expect(error.what).toContain('disk is full');
    expect(error.next).toContain('Nothing was written');
    expect(readFileSync(path, 'utf8')).toBe(`${lines('a')}torn`);
  });

  test('W4: what another program appended meanwhile is never cut off', () => {
    const path = file(lines('a'));
    const write = faultyWrite(10, 1, () => appendFileSync(path, lines('other')));
    const error = failure(() => appendLines(path, [line('b')], { write }));
    expect(error.next).toContain('10 bytes');
    expect(readFileSync(path, 'utf8')).toBe(lines('a') + line('b').slice(0, 10) + lines('other'));
  });

  test('W4: a short write is not completed behind what another program appended', () => {
    const path = file(lines('a'));
    let wrote = 0;
    const write = (fd: number, part: Uint8Array) => {
      wrote += 1;
      const written = writeSync(fd, part, 0, 10);
      appendFileSync(path, lines('other'));
      return written;
    };
    expect(failure(() => appendLines(path, [line('b')], { write })).what).toContain('another program');
    expect(wrote).toBe(1);
    expect(readFileSync(path, 'utf8')).toBe(lines('a') + line('b').slice(0, 10) + lines('other'));
  });

  test('W4: a system that takes no bytes does not hang us', () => {
    const path = file(lines('a'));
    failure(() => appendLines(path, [line('b')], { write: () => 0 }));
    expect(readFileSync(path, 'utf8')).toBe(lines('a'));
  });

  // Windows has neither bash nor size limits.
  test.skipIf(process.platform === 'win32')('W4: a real size limit leaves whole lines only', () => {
    const path = file();
    const command = `trap '' XFSZ; ulimit -f 8; exec "$0" "$@"`;
    const args = ['-c', command, process.execPath, child('append'), path, 'p', '1000', '3', '200'];
    const { stdout, stderr } = spawnSync('bash', args, { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(at(parseJson(stdout), 'code')).toBe('EFBIG');
    expectWholeBatches(path, 3);
  });

  // Only root may mount a disk to fill.
  test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
    'W4: a disk that is really full leaves whole lines only',
    ({ skip }) => {
      const folder = tempFolder();
      if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]).status !== 0) skip();
      onTestFinished(() => {
        spawnSync('umount', [folder]);
      });
      const path = join(folder, 's.jsonl');
      const args = [child('append'), path, 'p', '100000', '7', '3000'];
      const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      expect(at(parseJson(stdout), 'code')).toBe('ENOSPC');
      expectWholeBatches(path, 7);
    },
  );

  function expectWholeBatches(path: string, batch: number): void {
    const { entries } = readSessionOf(path);
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.length % batch).toBe(0);
    expect(entries.map((entry) => entry.head.uuid)).toEqual(entries.map((_, index) => `p-${index}`));
    expect(entries.every((entry) => entry.line.terminated)).toBe(true);
  }
});

test('W4: lines of two processes never mix, and each keeps its order', async () => {
  const path = file();
  const names = ['p', 'q', 'r'];
  const writers = names.map((name) => spawn(process.execPath, [child('append'), path, name, '900', '3', '9000']));
  await Promise.all(writers.map((writer) => once(writer, 'exit')));
  // A writer stopped in the middle of its write can make another see a torn line, and leave a blank one.
  const entries = readSessionOf(path).entries.filter((entry) => entry.kind !== 'blank');
  expect(entries.every((entry) => entry.kind === 'user')).toBe(true);
  for (const name of names) {
    const own = entries.map((entry) => entry.head.uuid).filter((uuid) => uuid?.startsWith(name));
    expect(own).toEqual(Array.from({ length: 900 }, (_, index) => `${name}-${index}`));
  }
});
