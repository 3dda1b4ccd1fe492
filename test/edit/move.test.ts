import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { relationOf } from '../../src/edit/merge.ts';
import { move, movedPath } from '../../src/edit/move.ts';
import { readSession } from '../../src/format/session.ts';
import { decode, encode } from '../../src/format/text.ts';
import { sent, writtenBytes } from '../support/edit-properties.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';

describe('L2: the folder a session runs in', () => {
  test.each([
    ['/work/app', '/new/app'],
    ['/work/app/', '/new/app/'],
    ['/work/app/src/x', '/new/app/src/x'],
    ['/work/apple', '/work/apple'],
    ['/work', '/work'],
    ['/elsewhere/work/app', '/elsewhere/work/app'],
  ])('%s → %s', (path, wanted) => expect(movedPath(path, { from: '/work/app', to: '/new/app' })).toBe(wanted));

  test('from Windows to here, and back', () => {
    const windows = { from: 'E:\\app', to: '/home/me/app' };
    expect(movedPath('E:\\app\\src\\x', windows)).toBe('/home/me/app/src/x');
    expect(movedPath('/home/me/app/src', { from: '/home/me/app', to: 'E:\\app' })).toBe('E:\\app\\src');
  });

  test('the root folder', () => {
    expect(movedPath('/src', { from: '/', to: '/app' })).toBe('/app/src');
    expect(movedPath('/', { from: '/', to: '/app' })).toBe('/app');
  });
});

test('E2: every recording: nothing but cwd changes, and a resume sends the same', () => {
  for (const file of transcriptsBelow(`${FIXTURES}recorded`)) {
    const bytes = readFileSync(file);
    const { entries } = readSession(bytes, file);
    const cwd = entries.find(({ head }) => head.cwd !== undefined)?.head.cwd;
    if (cwd === undefined) continue;
    const draft = move(entries, { from: cwd, to: '/somewhere/else' });
    const moved = decode(writtenBytes(draft));
    const back = move(readSession(encode(moved), file).entries, { from: '/somewhere/else', to: cwd });
    expect(decode(writtenBytes(back)).trimEnd(), file).toBe(bytes.toString('utf8').trimEnd());
    expect(moved, file).not.toContain(`"cwd":${JSON.stringify(cwd)}`);
    expect(sent(readSession(encode(moved), file).entries), file).toEqual(sent(entries));
  }
});

describe('L5: one session in two places', () => {
  const lines = (...texts: string[]) => texts.map(encode);
  test.each([
    [['a', 'b'], ['a', 'b'], 'same'],
    [['a'], ['a', 'b'], 'behind'],
    [['a', 'b'], ['a'], 'ahead'],
    [['a', 'c'], ['a', 'b'], 'apart'],
    [['a', 'c'], ['b'], 'apart'],
    [[], ['a'], 'behind'],
  ])('%j and %j: %s', (first, second, wanted) => {
    expect(relationOf(lines(...first), lines(...second))).toBe(wanted);
  });
});
