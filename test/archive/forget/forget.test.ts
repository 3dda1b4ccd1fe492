import { randomBytes } from 'node:crypto';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allFiles } from '../../../src/archive/files.ts';
import { forget } from '../../../src/archive/forget/forget.ts';
import {
  allTombstones,
  chooseTombstones,
  liftTombstones,
  tombstonesOf,
} from '../../../src/archive/forget/tombstones.ts';
import { piecesOf, toPack } from '../../../src/archive/pieces/packs.ts';
import { chooseFiles } from '../../../src/archive/select.ts';
import { all, run } from '../../../src/archive/sqlite.ts';
import type { Archive } from '../../../src/archive/store.ts';
import { mergeArchive } from '../../../src/archive/transfer/merge.ts';
import { chosenSurely } from '../../../src/cli/archive/choose.ts';
import { currentOf, entry, FORK, faultsOf, newArchive, PLACE, rootOf, SESSION, syncRoot } from '../helpers.ts';

/** Does not shrink when compressed: it stands in the file as it is. */
const SECRET = randomBytes(300).toString('base64');
const NOW = new Date('2026-01-02T03:04:05Z');

function onDisk(archive: Archive, text: string): boolean {
  const files = readdirSync(archive.folder).map((name) => readFileSync(join(archive.folder, name)));
  const packs = all(archive.db, 'SELECT id, count, raw, lengths, data FROM pack').flatMap((row) => [
    ...piecesOf(toPack(row)),
  ]);
  return [...files, ...packs.map(({ bytes }) => bytes)].some((bytes) => bytes.includes(text));
}

test('forgotten bytes leave the file; what others share stays; it is not archived again', () => {
  const shared = Array.from({ length: 50 }, (_, n) => `${n}`);
  const other = shared.map((uuid) => entry(uuid, FORK)).join('');
  const root = rootOf({
    [`${PLACE}/${SESSION}.jsonl`]: shared.map((uuid) => entry(uuid)).join('') + entry('own', SESSION, SECRET),
    [`${PLACE}/${SESSION}/tool-results/x.txt`]: `${SECRET}2`,
    [`${PLACE}/${SESSION}/subagents/agent-a1.jsonl`]: `${entry('sub')}{"torn":"${SECRET}3`,
    [`${PLACE}/agent-b2.jsonl`]: entry('old layout', SESSION, `${SECRET}4`),
    [`file-history/${SESSION}/f@v1`]: `${SECRET}5`,
    [`${PLACE}/${FORK}.jsonl`]: other,
  });
  const archive = newArchive();
  syncRoot(archive, root);
  expect(onDisk(archive, SECRET)).toBe(true);

  const { files } = chooseFiles(archive.db, SESSION.slice(0, 6));
  expect(files).toHaveLength(5);
  expect(forget(archive, files, NOW)).toMatchObject({ files: 5 });
  expect(onDisk(archive, SECRET)).toBe(false);
  expect(onDisk(archive, 'text of sub')).toBe(false);
  expect(faultsOf(archive)).toEqual([]);
  expect(currentOf(archive, `${FORK}.jsonl`).toString()).toBe(other);

  expect(syncRoot(archive, root)).toMatchObject({ forgotten: 5, outcomes: { unchanged: 1, added: 0 } });
  expect(allFiles(archive.db)).toHaveLength(1);
  expect(tombstonesOf(archive.db)).toContain(`session:${SESSION}`);
});

test('new lines after a forget get ids of their own', () => {
  const root = rootOf({ [`${PLACE}/${SESSION}.jsonl`]: entry('a') });
  const archive = newArchive();
  syncRoot(archive, root);
  forget(archive, allFiles(archive.db), NOW);
  rootOf({ [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK) }, root);
  syncRoot(archive, root);
  expect(all(archive.db, 'SELECT id FROM pack').map((row) => row.id)).toEqual([2]);
  expect(currentOf(archive, `${FORK}.jsonl`).toString()).toBe(entry('b', FORK));
  expect(faultsOf(archive)).toEqual([]);
});

test('a file that belongs to no session', () => {
  const root = rootOf({ [`${PLACE}/${SESSION}.jsonl`]: entry('a'), 'history.jsonl': `${SECRET}\n`, 'plans/p.md': 'p' });
  const archive = newArchive();
  syncRoot(archive, root);
  const { files } = chooseFiles(archive.db, 'history.jsonl');
  forget(archive, files, NOW);
  expect(onDisk(archive, SECRET)).toBe(false);
  expect(syncRoot(archive, root).forgotten).toBe(1);
  expect(allFiles(archive.db).map(({ name }) => name)).toEqual(['plans/p.md', `${PLACE}/${SESSION}.jsonl`]);
});

test('a tombstone is lifted: what is still on disk is archived again, with all that belongs to it', () => {
  const files = {
    [`${PLACE}/${SESSION}.jsonl`]: entry('a'),
    [`${PLACE}/agent-b2.jsonl`]: entry('old layout'),
    [`${PLACE}/${SESSION}/subagents/agent-a1.jsonl`]: entry('sub'),
    [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK),
    [`${PLACE}/agent-c3.jsonl`]: entry('other', FORK),
  };
  const root = rootOf(files);
  const archive = newArchive();
  syncRoot(archive, root);
  forget(archive, allFiles(archive.db), NOW);
  expect(chooseTombstones(archive.db, 'nothing')).toEqual([]);
  const chosen = chooseTombstones(archive.db, SESSION.slice(0, 5));
  expect(chosen).toEqual([{ what: `session:${SESSION}`, at: NOW.toISOString() }]);
  liftTombstones(archive.db, chosen);
  syncRoot(archive, root);
  expect(allFiles(archive.db).map(({ name }) => name)).toEqual(
    Object.keys(files)
      .filter((name) => !name.includes(FORK) && !name.includes('c3'))
      .sort(),
  );
  liftTombstones(archive.db, allTombstones(archive.db));
  syncRoot(archive, root);
  expect(allFiles(archive.db)).toHaveLength(5);
});

test('a file of no session is chosen by the end of its path', () => {
  const archive = newArchive();
  const root = rootOf({ 'history.jsonl': 'x\n', 'plans/p.md': 'p' });
  syncRoot(archive, root);
  forget(archive, allFiles(archive.db), NOW);
  liftTombstones(archive.db, chooseTombstones(archive.db, 'p.md'));
  syncRoot(archive, root);
  expect(allFiles(archive.db).map(({ name }) => name)).toEqual(['plans/p.md']);
});

test('whatever is forgotten, all else stays whole', () => {
  const ids = Array.from({ length: 6 }, (_, n) => `${n}aaaaaaa-1111-4111-8111-111111111111`);
  const session = fc.array(fc.constantFrom(...'abcdefghijklm'), { maxLength: 8 });
  fc.assert(
    fc.property(fc.tuple(session, session, session, session, session, session), fc.subarray(ids), (contents, gone) => {
      const files = contents.map((uuids, n) => [
        `${PLACE}/${ids[n]}.jsonl`,
        uuids.map((uuid) => entry(uuid, ids[n])).join(''),
      ]);
      const root = rootOf(Object.fromEntries(files));
      const archive = newArchive();
      syncRoot(archive, root);
      for (const id of gone) forget(archive, chooseFiles(archive.db, id).files, NOW);
      expect(faultsOf(archive)).toEqual([]);
      for (const [name = '', text] of files) {
        if (!gone.some((id) => name.includes(id))) expect(currentOf(archive, name).toString()).toBe(text);
      }
      const left = contents.flatMap((uuids, n) => (gone.includes(ids[n] ?? '') ? [] : uuids));
      expect(all(archive.db, 'SELECT id FROM piece')).toHaveLength(new Set(left).size);
      archive.close();
    }),
    { numRuns: 40 },
  );
});

describe('one file of a session, by its path', () => {
  const files = {
    [`${PLACE}/${SESSION}.jsonl`]: entry('a'),
    [`${PLACE}/${SESSION}/tool-results/x.txt`]: SECRET,
    [`${PLACE}/${SESSION}/subagents/agent-q1.jsonl`]: entry('sub'),
  };

  test.each(['tool-results/x.txt', 'agent-q1.jsonl'])('%s is gone; the session goes on being archived', (path) => {
    const root = rootOf(files);
    const archive = newArchive();
    syncRoot(archive, root);
    const chosen = chooseFiles(archive.db, path);
    expect(chosen).toMatchObject({ sessions: [], files: [{ name: expect.stringContaining(path) }] });
    forget(archive, chosen.files, NOW, chosen.sessions);
    appendFileSync(join(root, `${PLACE}/${SESSION}.jsonl`), entry('b'));
    appendFileSync(join(root, `${PLACE}/${SESSION}/${path.includes('/') ? path : `subagents/${path}`}`), 'more');
    expect(syncRoot(archive, root)).toMatchObject({ forgotten: 1, outcomes: { appended: 1, added: 0 } });
    expect(currentOf(archive, `${SESSION}.jsonl`).toString()).toBe(entry('a') + entry('b'));
  });

  test('of the same name elsewhere it stays, here and on another machine', () => {
    const [root, elsewhere] = [rootOf({ 'history.jsonl': 'one\n' }), rootOf({ 'history.jsonl': 'two\n' })];
    const archive = newArchive();
    for (const each of [root, elsewhere]) syncRoot(archive, each);
    const chosen = chooseFiles(archive.db, `${root}/history.jsonl`);
    forget(archive, chosen.files, NOW, chosen.sessions);
    for (const each of [root, elsewhere]) appendFileSync(join(each, 'history.jsonl'), 'more\n');
    expect(syncRoot(archive, root)).toMatchObject({ forgotten: 1, outcomes: { appended: 0 } });
    expect(syncRoot(archive, elsewhere)).toMatchObject({ forgotten: 0, outcomes: { appended: 1 } });

    const other = newArchive();
    syncRoot(other, rootOf({ 'plans/p.md': 'p' }));
    mergeArchive(other, archive);
    expect(syncRoot(other, root)).toMatchObject({ forgotten: 0, outcomes: { added: 1 } });
  });
});

test('an agent with an empty session id does not stand for all that belongs to none', () => {
  const root = rootOf({ [`${PLACE}/agent-e1.jsonl`]: entry('a', ''), 'plans/p.md': 'p' });
  const archive = newArchive();
  syncRoot(archive, root);
  const chosen = chooseFiles(archive.db, 'agent-e1.jsonl');
  forget(archive, chosen.files, NOW, chosen.sessions);
  writeFileSync(join(root, 'plans/p.md'), 'a new plan');
  expect(syncRoot(archive, root)).toMatchObject({ forgotten: 1, outcomes: { rewritten: 1 } });
});

test('what stands beside an agent of an older client goes with its session', () => {
  const archive = newArchive();
  const names = [`${PLACE}/${SESSION}.jsonl`, `${PLACE}/agent-b2.jsonl`, `${PLACE}/agent-b2.meta.json`];
  syncRoot(archive, rootOf({ [names[0] ?? '']: entry('a'), [names[1] ?? '']: entry('b'), [names[2] ?? '']: '{}' }));
  expect(chooseFiles(archive.db, SESSION).files.map(({ name }) => name)).toEqual(names);
});

test('a project by the end of its name is not another one that ends alike', () => {
  const archive = newArchive();
  const other = '99999999-1111-4111-8111-111111111111';
  syncRoot(
    archive,
    rootOf({
      [`projects/-w-app/${SESSION}.jsonl`]: entry('a'),
      [`projects/-w-my-app/${other}.jsonl`]: entry('b', other),
    }),
  );
  expect(chooseFiles(archive.db, 'project:/w/app').sessions).toEqual([SESSION]);
  expect(() => chosenSurely(archive, 'project:app')).toThrow('fits 2 projects');
  expect(chosenSurely(archive, 'project:my-app').sessions).toEqual([other]);
});

test('what is damaged can be forgotten', () => {
  const root = rootOf({ [`${PLACE}/${SESSION}.jsonl`]: entry('a'), [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK) });
  const archive = newArchive();
  syncRoot(archive, root);
  run(archive.db, "UPDATE pack SET data = x'00112233'");
  const gone = forget(archive, chooseFiles(archive.db, SESSION).files, NOW);
  expect(gone).toMatchObject({ files: 1, unreadable: 1 });
  expect(forget(archive, chooseFiles(archive.db, FORK).files, NOW)).toMatchObject({ files: 1, unreadable: 0 });
  expect(all(archive.db, 'SELECT id FROM pack')).toEqual([]);
});

test('of what lay in a pack that cannot be read not even addresses stay', () => {
  const lines = (id: string) => Array.from({ length: 20 }, (_, n) => entry(`${id[0]}${n}`, id)).join('');
  const root = rootOf({ [`${PLACE}/${SESSION}.jsonl`]: lines(SESSION), [`${PLACE}/${FORK}.jsonl`]: lines(FORK) });
  const archive = newArchive();
  syncRoot(archive, root);
  const addresses = () => all(archive.db, 'SELECT hash FROM piece');
  expect(addresses()).toHaveLength(40);
  run(archive.db, 'UPDATE pack SET data = zeroblob(10)');
  expect(forget(archive, chooseFiles(archive.db, SESSION).files, NOW)).toMatchObject({ unreadable: 1 });
  expect(addresses()).toHaveLength(20);
  // What is still needed can be mended, and then the archive is whole.
  expect(syncRoot(archive, root, { full: true })).toMatchObject({ mended: 1, forgotten: 1 });
  expect(faultsOf(archive)).toEqual([]);
});

test('addresses an earlier Skein left behind go with the next forget', () => {
  const root = rootOf({ [`${PLACE}/${SESSION}.jsonl`]: entry('a'), [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK) });
  const archive = newArchive();
  syncRoot(archive, root);
  run(archive.db, "INSERT INTO piece (hash, id) VALUES (x'00112233', 77)");
  forget(archive, chooseFiles(archive.db, SESSION).files, NOW);
  expect(faultsOf(archive)).toEqual([]);
});
