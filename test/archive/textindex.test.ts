import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { emptyIndex, INDEX_NAME, openIndex } from '../../src/archive/derived.ts';
import { allFiles } from '../../src/archive/files.ts';
import { forget } from '../../src/archive/forget.ts';
import { placesOfPiece } from '../../src/archive/pieceplaces.ts';
import { totalChanges } from '../../src/archive/sqlite.ts';
import type { Archive } from '../../src/archive/store.ts';
import { spaced } from '../../src/archive/text.ts';
import { findLines, rebuildIndex, updateIndex } from '../../src/archive/textindex.ts';
import { assistant, result, text, thinking, toJsonl, toolUse, user } from '../support/build.ts';
import { FIXTURES } from '../support/files.ts';
import { entry, FORK, newArchive, PLACE, rootOf, SESSION, syncRoot } from './helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;

function find(archive: Archive, query: string, limit?: number) {
  const index = openIndex(archive);
  try {
    return findLines(index, query, limit);
  } finally {
    index.close();
  }
}

function filled(files: Record<string, string>) {
  const archive = newArchive();
  const root = rootOf(files);
  syncRoot(archive, root);
  return { archive, root, indexed: updateIndex(archive) };
}

describe('what is found', () => {
  const lines = toJsonl([
    { ...user('please mend the Login page'), uuid: 'u1', timestamp: '2026-01-02T10:00:00Z' },
    { ...assistant([thinking('a secret thought'), text('Déjà vu')]), uuid: 'u2', timestamp: '2026-01-02T10:00:01Z' },
    { ...assistant([toolUse('t', 'Bash', { command: 'grep -r quokka', nested: { deep: ['wombat'] } })]), uuid: 'u3' },
    { ...result('t', 'outputword and more', { toolUseResult: { stdout: 'onlyclientword' } }), uuid: 'u4' },
    { ...result('t', [{ type: 'text', text: 'arrayword' }]), uuid: 'u5' },
    { ...user('帮我修复登录错误'), uuid: 'u6' },
    { type: 'summary', summary: 'Titleword of the chat', leafUuid: 'u2' },
    { type: 'custom-title', customTitle: 'Namedword' },
  ]);

  test.each([
    ['login', ['u1']],
    ['LOGIN mend', ['u1']],
    ['"mend the login"', ['u1']],
    ['"login mend"', []],
    ['secret', ['u2']],
    ['deja', ['u2']],
    ['quokka', ['u3']],
    ['wombat Bash', ['u3']],
    ['outputword', ['u4']],
    ['onlyclientword', []],
    ['arrayword', ['u5']],
    ['登录', ['u6']],
    ['录登', []],
    ['titleword', [undefined]],
    ['namedword', [undefined]],
    ['unreadableword', [undefined]],
    ['fileword', [undefined]],
    ['NOT AND OR', []],
    ['"', []],
    ['***', []],
    ['', []],
  ])('%s', (query, uuids) => {
    const { archive } = filled({
      [NAME]: `${lines}{"broken unreadableword\n`,
      [`${PLACE}/${SESSION}/tool-results/x.txt`]: 'a fileword\n',
    });
    expect(find(archive, query).lines.map(({ uuid }) => uuid)).toEqual(uuids);
  });
});

test('H1: a copy is found once, whether its bytes agree or not', () => {
  const asArray = entry('a').replace(/"content":"([^"]+)"/, '"content":[{"type":"text","text":"$1"}]');
  const { archive } = filled({
    [NAME]: entry('a', SESSION),
    [`${PLACE}/${FORK}.jsonl`]: entry('a', FORK),
    [`${PLACE}/33333333-3333-4333-8333-333333333333.jsonl`]: asArray,
  });
  const { total, lines } = find(archive, 'text');
  expect([total, lines.length]).toEqual([1, 1]);
  expect(placesOfPiece(archive.db, lines[0]?.piece ?? 0)).toHaveLength(2);
});

test('only what is new is indexed; nothing new writes nothing', () => {
  const { archive, root, indexed } = filled({ [NAME]: entry('a').repeat(3) + entry('b') });
  expect(indexed.lines).toBe(2);
  const index = openIndex(archive);
  const before = totalChanges(index.db);
  expect(updateIndex(archive)).toEqual({ lines: 0, bytes: 0 });
  expect(totalChanges(index.db)).toBe(before);
  index.close();
  appendFileSync(join(root, NAME), entry('c'));
  syncRoot(archive, root);
  expect(updateIndex(archive).lines).toBe(1);
  expect(find(archive, 'text').total).toBe(3);
  expect(find(archive, 'text', 2).lines).toHaveLength(2);
});

test('deleted, damaged, of another layout or another archive: it is made again', () => {
  const { archive } = filled({ [NAME]: entry('a') });
  const path = join(archive.folder, INDEX_NAME);
  const change = (sql: string) => {
    const index = openIndex(archive);
    index.db.exec(sql);
    index.close();
  };
  const spoil: (() => void)[] = [
    () => rmSync(path),
    () => emptyIndex(archive),
    () => writeFileSync(path, 'no database at all '.repeat(1000)),
    () => change('PRAGMA user_version = 9'),
    () => change("UPDATE meta SET value = 'other' WHERE key = 'archive'"),
  ];
  for (const spoilt of spoil) {
    spoilt();
    updateIndex(archive);
    expect(find(archive, 'text').total).toBe(1);
  }
  expect(rebuildIndex(archive).lines).toBe(1);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('what was forgotten leaves the index too', () => {
  const { archive } = filled({
    [NAME]: entry('a', SESSION, 'xyzzyquux'),
    [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK),
  });
  forget(
    archive,
    allFiles(archive.db).filter(({ session }) => session === SESSION),
    new Date(0),
  );
  updateIndex(archive);
  expect([find(archive, 'xyzzyquux').total, find(archive, 'text').total]).toEqual([0, 1]);
  expect(readFileSync(join(archive.folder, INDEX_NAME)).includes('xyzzyquux')).toBe(false);
});

test('built in one go or after each sync, the index is the same', () => {
  const root = join(FIXTURES, 'recorded', '2.1.325', 'k-interactive');
  const [once, often] = [newArchive(), newArchive()];
  syncRoot(once, root);
  const copy = rootOf({ [NAME]: '' });
  for (const line of readFileSync(join(FIXTURES, 'probes.jsonl'), 'utf8').split('\n').slice(0, 60)) {
    appendFileSync(join(copy, NAME), `${line}\n`);
    syncRoot(often, copy);
    updateIndex(often);
  }
  syncRoot(once, copy);
  rebuildIndex(once);
  rmSync(copy, { recursive: true });
  syncRoot(often, root);
  updateIndex(often);
  for (const word of ['the', 'user', 'hello', 'file', 'tool'])
    expect(find(often, word).total).toBe(find(once, word).total);
});

test('each character of scripts without spaces is a word', () => {
  expect(spaced('ab 登录c').split(/\s+/)).toEqual(['ab', '登', '录', 'c']);
  expect(spaced('plain → text 🚀')).toBe('plain → text 🚀');
  expect(spaced('カタ한글').trim().split(/\s+/)).toHaveLength(4);
});
