import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allFiles } from '../../src/archive/files.ts';
import { forget } from '../../src/archive/forget.ts';
import { piecesOf, toPack } from '../../src/archive/packs.ts';
import { chooseFiles } from '../../src/archive/select.ts';
import { all } from '../../src/archive/sqlite.ts';
import type { Archive } from '../../src/archive/store.ts';
import { allTombstones, chooseTombstones, liftTombstones, tombstonesOf } from '../../src/archive/tombstones.ts';
import { currentOf, entry, FORK, faultsOf, newArchive, PLACE, rootOf, SESSION, syncRoot } from './helpers.ts';

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
