/** Sources that are not what the archive keeps as their present state: a scrubbed copy put in place, a continuation that came by an import. */
import { appendFileSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allFiles } from '../../../src/archive/files.ts';
import { forget } from '../../../src/archive/forget/forget.ts';
import { restore } from '../../../src/archive/restore/restore.ts';
import { scrub } from '../../../src/archive/scrub/scrub.ts';
import { secretMasker } from '../../../src/archive/scrub/secrets.ts';
import { chooseFiles } from '../../../src/archive/select.ts';
import { standingOf } from '../../../src/archive/status.ts';
import type { Archive } from '../../../src/archive/store.ts';
import { knownSources } from '../../../src/archive/sync/known.ts';
import { mergeArchive } from '../../../src/archive/transfer/merge.ts';
import { tempFolder } from '../../support/files.ts';
import {
  archiveIn,
  currentOf,
  entry,
  FORK,
  faultsOf,
  fileNamed,
  newArchive,
  PLACE,
  restoreAll,
  rootOf,
  SESSION,
  sourcesIn,
  statesOf,
  syncRoot,
} from '../helpers.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const NAME = `${PLACE}/${SESSION}.jsonl`;
/** Put together here, so that no scanner takes this file for a leak. */
const SECRET = `ghp_${'1'.padEnd(36, 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW0xY')}`;

describe('a scrubbed copy that took the place of its source', () => {
  const BEFORE = entry('a', SESSION, SECRET) + entry('b');

  async function putInPlace() {
    const root = rootOf({ [NAME]: BEFORE });
    const archive = newArchive();
    syncRoot(archive, root);
    await scrub(archive, allFiles(archive.db), secretMasker(), NOW);
    expect(restoreAll(archive, root, { force: true })).toMatchObject([{ outcome: 'restored', scrubbed: true }]);
    const path = join(root, NAME);
    return { root, archive, path, masked: readFileSync(path, 'utf8') };
  }

  test('is the same file, at the first sync and at every later one', async () => {
    const { root, archive } = await putInPlace();
    expect(syncRoot(archive, root).outcomes).toMatchObject({ touched: 1, rewritten: 0 });
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1, rewritten: 0 });
    expect(syncRoot(archive, root, { full: true }).outcomes).toMatchObject({ unchanged: 1, rewritten: 0 });
    expect(statesOf(archive, NAME)).toHaveLength(1);
    expect(faultsOf(archive)).toEqual([]);
    expect(standingOf(knownSources(archive.db), sourcesIn(root))).toEqual({ archived: 1, waiting: 0, gone: 0 });
  });

  test('grows: what is new is taken, once', async () => {
    const { root, archive, path, masked } = await putInPlace();
    syncRoot(archive, root);
    appendFileSync(path, entry('c'));
    expect(syncRoot(archive, root)).toMatchObject({ outcomes: { appended: 1, rewritten: 0 } });
    expect(currentOf(archive, NAME).toString()).toBe(masked + entry('c'));
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1 });
    appendFileSync(path, entry('d'));
    expect(syncRoot(archive, root)).toMatchObject({ outcomes: { appended: 1 }, bytes: entry('d').length });
    expect(currentOf(archive, NAME).toString()).toBe(masked + entry('c') + entry('d'));
    expect(faultsOf(archive)).toEqual([]);
  });

  test('the file as it was before comes back: what was masked does not', async () => {
    const { root, archive, path, masked } = await putInPlace();
    syncRoot(archive, root);
    writeFileSync(path, BEFORE);
    expect(syncRoot(archive, root).outcomes).toMatchObject({ touched: 1, rewritten: 0 });
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1 });
    expect(statesOf(archive, NAME).map(String)).toEqual([masked]);
    writeFileSync(path, entry('other'));
    expect(syncRoot(archive, root).outcomes).toMatchObject({ rewritten: 1 });
    expect(statesOf(archive, NAME).map(String)).toEqual([masked, entry('other')]);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('a sync that mends does not take the bytes of the one for those of the other', async () => {
    const { root, archive, masked } = await putInPlace();
    syncRoot(archive, root);
    archive.db.exec('UPDATE pack SET data = zeroblob(10)');
    expect(syncRoot(archive, root, { full: true })).toMatchObject({ mended: 1 });
    expect(statesOf(archive, NAME).map(String)).toEqual([masked]);
    expect(faultsOf(archive)).toEqual([]);
  });
});

describe('a continuation that came by an import', () => {
  const HERE = entry('a') + entry('b');
  const THERE = HERE + entry('c') + entry('d');

  const TIME = 1_700_000_000;

  /** The archive moved to another machine, where the session went on, and came back. */
  function continued(there = THERE, here = HERE) {
    const root = rootOf({ [NAME]: here });
    utimesSync(join(root, NAME), TIME, TIME);
    const archive = newArchive();
    syncRoot(archive, root);
    const moved = newArchive();
    mergeArchive(moved, archive);
    const path = join(root, NAME);
    const elsewhere = archiveIn(moved.folder);
    goOn(elsewhere, root, there);
    return { root, archive, path, other: elsewhere };
  }

  /** The other machine has the file at the same place. */
  function goOn(other: Archive, root: string, text: string): void {
    const path = join(root, NAME);
    const before = readFileSync(path);
    writeFileSync(path, text);
    syncRoot(other, root);
    writeFileSync(path, before);
    utimesSync(path, TIME, TIME);
  }

  test('is kept; the file here is its beginning, and nothing is rewritten', () => {
    const { root, archive, other } = continued();
    expect(mergeArchive(archive, other)).toMatchObject({ added: 1 });
    for (const full of [false, true, false])
      expect(syncRoot(archive, root, { full }).outcomes).toMatchObject({ rewritten: 0, added: 0, appended: 0 });
    expect(statesOf(archive, NAME).map(String)).toEqual([THERE]);
    expect(faultsOf(archive)).toEqual([]);
    expect(standingOf(knownSources(archive.db), sourcesIn(root))).toEqual({ archived: 1, waiting: 0, gone: 0 });
    expect(mergeArchive(archive, other)).toMatchObject({ added: 0, known: 1 });
    expect(statesOf(archive, NAME)).toHaveLength(1);
  });

  test('the file here is gone: the longer state is restored', () => {
    const { root, archive, path, other } = continued();
    mergeArchive(archive, other);
    syncRoot(archive, root);
    rmSync(path);
    expect(restore(archive, allFiles(archive.db))).toMatchObject([{ outcome: 'restored' }]);
    expect(readFileSync(path, 'utf8')).toBe(THERE);
    expect(syncRoot(archive, root).outcomes).toMatchObject({ touched: 1, rewritten: 0 });
    expect(statesOf(archive, NAME)).toHaveLength(1);
  });

  test('the file here grows in the same way, and on: one state', () => {
    const { root, archive, path, other } = continued();
    mergeArchive(archive, other);
    appendFileSync(path, entry('c'));
    expect(syncRoot(archive, root)).toMatchObject({ outcomes: { touched: 1, rewritten: 0 }, bytes: 0 });
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1 });
    appendFileSync(path, entry('d') + entry('e'));
    expect(syncRoot(archive, root)).toMatchObject({ outcomes: { appended: 1 }, bytes: entry('e').length });
    expect(statesOf(archive, NAME).map(String)).toEqual([THERE + entry('e')]);
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1 });
    expect(faultsOf(archive)).toEqual([]);
  });

  test('the file here grows differently: a state of its own', () => {
    const { root, archive, path, other } = continued();
    mergeArchive(archive, other);
    appendFileSync(path, entry('x'));
    expect(syncRoot(archive, root).outcomes).toMatchObject({ appended: 1, rewritten: 0 });
    expect(statesOf(archive, NAME).map(String)).toEqual([THERE, HERE + entry('x')]);
    expect(currentOf(archive, NAME).toString()).toBe(HERE + entry('x'));
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1 });
    expect(faultsOf(archive)).toEqual([]);
  });

  test('the file here is cut or rewritten: that is another state, as ever', () => {
    const { root, archive, path, other } = continued();
    mergeArchive(archive, other);
    writeFileSync(path, entry('a'));
    expect(syncRoot(archive, root).outcomes).toMatchObject({ rewritten: 1 });
    expect(statesOf(archive, NAME).map(String)).toEqual([THERE, entry('a')]);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('other states come along: what the file here looks like stays known', () => {
    const { root, archive, other } = continued();
    // Of the other machine: rewritten, and then as it was again.
    goOn(other, root, entry('z'));
    goOn(other, root, THERE);
    expect(statesOf(other, NAME)).toHaveLength(2);
    mergeArchive(archive, other);
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1, rewritten: 0 });
    expect(statesOf(archive, NAME).map(String).sort()).toEqual([THERE, entry('z')].sort());
    expect(currentOf(archive, NAME).toString()).toBe(THERE);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('a torn end here is finished there', () => {
    const torn = `${entry('a')}{"torn":`;
    const { root, archive, other } = continued(`${torn}1}\n${entry('c')}`, torn);
    mergeArchive(archive, other);
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1 });
    expect(statesOf(archive, NAME).map(String)).toEqual([`${torn}1}\n${entry('c')}`]);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('a file of this machine that no sync had read yet is its beginning too', () => {
    const { root, other } = continued();
    const archive = newArchive();
    mergeArchive(archive, other);
    utimesSync(join(root, NAME), 7, 7);
    expect(syncRoot(archive, root).outcomes).toMatchObject({ touched: 1, rewritten: 0 });
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1 });
    expect(statesOf(archive, NAME).map(String)).toEqual([THERE]);
  });

  test('damage in what is kept is not mended with the shorter file', () => {
    const { root, archive, other } = continued();
    mergeArchive(archive, other);
    archive.db.exec('UPDATE pack SET data = zeroblob(10)');
    syncRoot(archive, root, { full: true });
    expect(mergeArchive(archive, other)).toMatchObject({ mended: 1 });
    expect(statesOf(archive, NAME).map(String)).toEqual([THERE]);
    expect(faultsOf(archive)).toEqual([]);
  });
});

describe('L3: a sub-agent in the old layout that is empty when it is first seen', () => {
  const AGENT = `${PLACE}/agent-a1.jsonl`;

  function seenEmpty() {
    const root = rootOf({ [NAME]: entry('a'), [AGENT]: '', [`${PLACE}/${FORK}.jsonl`]: entry('f', FORK) });
    const archive = newArchive();
    syncRoot(archive, root);
    expect(fileNamed(archive, AGENT).session).toBeUndefined();
    return { root, archive, path: join(root, AGENT) };
  }

  test('belongs to its session as soon as a line says so', () => {
    const { root, archive, path } = seenEmpty();
    appendFileSync(path, entry('sub'));
    syncRoot(archive, root);
    expect(fileNamed(archive, AGENT).session).toBe(SESSION);
    expect(chooseFiles(archive.db, SESSION).files.map(({ name }) => name)).toContain(AGENT);
  });

  test('one archived before: a full sync finds out', () => {
    const { root, archive, path } = seenEmpty();
    writeFileSync(path, entry('sub'));
    syncRoot(archive, root);
    archive.db.exec('UPDATE file SET session = NULL');
    syncRoot(archive, root, { full: true });
    expect(fileNamed(archive, AGENT).session).toBe(SESSION);
  });

  test('another archive knows it', () => {
    const { root, archive, path } = seenEmpty();
    const other = newArchive();
    mergeArchive(other, archive);
    appendFileSync(path, entry('sub'));
    syncRoot(other, root);
    mergeArchive(archive, other);
    expect(fileNamed(archive, AGENT).session).toBe(SESSION);
  });

  test('its session was forgotten meanwhile: it is not taken', () => {
    const { root, archive, path } = seenEmpty();
    forget(archive, chooseFiles(archive.db, SESSION).files, NOW);
    appendFileSync(path, entry('sub', SESSION, 'ocelotword'));
    expect(syncRoot(archive, root).forgotten).toBe(2);
    const to = tempFolder();
    restoreAll(archive, to);
    expect(readFileSync(join(to, AGENT), 'utf8')).toBe('');
  });
});
