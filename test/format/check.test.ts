import { describe, expect, test } from 'vitest';
import { checkLines } from '../../src/format/check.ts';
import type { Place } from '../../src/format/filecheck.ts';
import { splitLines } from '../../src/format/lines.ts';
import { memorySource } from '../../src/format/session.ts';
import { projectSlug } from '../../src/format/slug.ts';

function check(bytes: Uint8Array, place: Place = {}) {
  return checkLines(memorySource('memory', bytes), splitLines([bytes]), { place }).issues;
}

function rules(entries: readonly object[], place?: Place): string[] {
  const bytes = Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  return check(bytes, place).map(({ rule, severity, line }) => `${rule} ${severity} ${line}`);
}

const prompt = (uuid: string, more = {}) => ({
  type: 'user',
  uuid,
  parentUuid: null,
  timestamp: '2026-01-01T00:00:00.000Z',
  message: { role: 'user', content: 'hi' },
  ...more,
});

describe('E1: a byte order mark is three bytes', () => {
  test.each([
    [[0xef, 0xbb, 0xbf], true],
    [[0xef, 0xbb], false],
    [[0xef], false],
  ])('%j', (start, mark) => {
    const issues = check(Buffer.concat([Buffer.from(start), Buffer.from('{"type":"summary"}\n')]));
    expect(issues.some(({ what }) => what.includes('byte order mark'))).toBe(mark);
  });
});

describe('L2: the folder of a session', () => {
  const long = `/work/${'x'.repeat(300)}`;
  test.each([
    ['fits its cwd', '-work-app', ['/work/app'], []],
    ['fits one of them', '-work-app', ['/tmp', '/work/app'], []],
    ['fits none of them', '-work-app', ['/tmp', '/work/other'], ['L2 info 1']],
    ['is shortened', projectSlug(long), [long], []],
    ['is not shortened, by older versions', `-work-${'x'.repeat(300)}`, [long], []],
    ['has no cwd to fit', '-work-app', [], []],
    ['is not a project folder', undefined, ['/tmp'], []],
  ])('%s', (_, slug, folders, expected) => {
    const entries = folders.map((cwd) => ({ type: 'summary', cwd }));
    expect(rules(entries, { sessionId: 's', slug })).toEqual(expected);
  });
});

describe('H4: the first session id', () => {
  test('is the name of the file', () => {
    expect(rules([prompt('a', { sessionId: 's' })], { sessionId: 's' })).toEqual([]);
    expect(rules([{ type: 'summary' }, prompt('a', { sessionId: 'other' })], { sessionId: 's' })).toEqual([
      'H4 info 2',
    ]);
    expect(rules([prompt('a', { sessionId: 'other' })])).toEqual([]);
  });
});

describe('W3: what the client does not offer', () => {
  const side = prompt('a', { isSidechain: true });
  test('sessions of sub-agents alone', () => {
    expect(rules([{ type: 'summary' }, side], { sessionId: 's' })).toEqual(['W3 info 2']);
    expect(rules([side, prompt('b', { parentUuid: 'a' })], { sessionId: 's' })).toEqual([]);
    expect(rules([side])).toEqual([]);
  });
  test('sessions of scripts, told once', () => {
    const entrypoint = 'sdk-cli';
    const entries = [prompt('a', { entrypoint }), prompt('b', { parentUuid: 'a', entrypoint })];
    expect(rules(entries, { sessionId: 's' })).toEqual(['W3 info 1']);
  });
});

test('C1: a compact boundary has no parent', () => {
  const boundary = (parentUuid: string | null) => ({
    ...prompt('b', { parentUuid }),
    type: 'system',
    subtype: 'compact_boundary',
  });
  expect(rules([prompt('a'), boundary('a')])).toEqual(['C1 info 2']);
  expect(rules([prompt('a'), boundary(null)])).toEqual([]);
});
