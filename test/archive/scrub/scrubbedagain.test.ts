/** What was scrubbed once does not come back: with a fork, a resumed copy, a file written anew, or another archive. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allFiles } from '../../../src/archive/files.ts';
import { forget } from '../../../src/archive/forget/forget.ts';
import { openIndex } from '../../../src/archive/index/derived.ts';
import { updateIndex } from '../../../src/archive/index/textindex.ts';
import { all, get, numberOf, textOf } from '../../../src/archive/sqlite.ts';
import { keptIn } from '../../../src/archive/status.ts';
import type { Archive } from '../../../src/archive/store.ts';
import { mergeArchive } from '../../../src/archive/transfer/merge.ts';
import { tempFolder } from '../../support/files.ts';
import { machine } from '../../support/inprocess.ts';
import {
  currentOf,
  entry,
  FORK,
  faultsOf,
  isLeft,
  newArchive,
  PLACE,
  restoreAll,
  rootOf,
  SESSION,
  statesOf,
  syncRoot,
} from '../helpers.ts';
import { NOW, scrubbed, token } from './scrubbing.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const COPY = `${PLACE}/${FORK}.jsonl`;
const SECRET = token('1');
const TEXT = entry('a') + entry('b', SESSION, `key ${SECRET}`) + entry('c');

/** A line of one session as another one's. */
const asFork = (text: string) => text.replaceAll(SESSION, FORK);

async function scrubbedRoot(files: Record<string, string | Uint8Array> = { [NAME]: TEXT }) {
  const root = rootOf(files);
  const archive = newArchive();
  syncRoot(archive, root);
  await scrubbed(archive);
  return { root, archive };
}

const rowsOf = (archive: Archive) => numberOf(get(archive.db, 'SELECT count(*) AS n FROM masked'), 'n');

describe('a copy of a scrubbed line', () => {
  test('in a fork made later is masked as the line was; all else is as it is, and it is told', async () => {
    const { root, archive } = await scrubbedRoot();
    rootOf({ [COPY]: asFork(TEXT) + entry('new', FORK) }, root);
    expect(syncRoot(archive, root)).toMatchObject({ outcomes: { added: 1 }, masked: 1, unscrubbed: 0 });
    expect(isLeft(archive, SECRET)).toBe(false);
    expect(currentOf(archive, COPY).toString()).toBe(asFork(currentOf(archive, NAME).toString()) + entry('new', FORK));
    expect(keptIn(archive).scrubbed).toBe(2);
    expect(faultsOf(archive)).toEqual([]);
    expect(syncRoot(archive, root)).toMatchObject({ outcomes: { unchanged: 2 }, masked: 0 });
    expect(syncRoot(archive, root, { full: true }).outcomes).toMatchObject({ unchanged: 2 });
    appendFileSync(join(root, COPY), entry('later', FORK));
    expect(syncRoot(archive, root)).toMatchObject({ outcomes: { appended: 1 }, bytes: entry('later', FORK).length });
    expect(faultsOf(archive)).toEqual([]);
  });

  test('is not found by the words it had, nor is it in an outline', async () => {
    const { root, archive } = await scrubbedRoot({ [NAME]: entry('b', SESSION, `ocelot ${SECRET}`) });
    rootOf({ [COPY]: entry('b', FORK, `ocelot ${SECRET}`) + entry('n', FORK, 'margay') }, root);
    syncRoot(archive, root, { derive: true });
    updateIndex(archive);
    const { db, close } = openIndex(archive);
    db.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'words', 'row')");
    const words = all(db, 'SELECT term FROM temp.vocabulary').map((row) => textOf(row, 'term'));
    expect(words).toContain('margay');
    expect(words.filter((word) => word.length > 4 && SECRET.toLowerCase().includes(word))).toEqual([]);
    close();
    expect(isLeft(archive, SECRET)).toBe(false);
  });

  test('appended to a file, or in one that was written anew', async () => {
    const { root, archive } = await scrubbedRoot({ [NAME]: TEXT, [COPY]: entry('x', FORK).repeat(600) });
    appendFileSync(join(root, COPY), asFork(TEXT));
    expect(syncRoot(archive, root)).toMatchObject({ outcomes: { appended: 1 }, masked: 1 });
    writeFileSync(join(root, NAME), entry('new') + TEXT);
    expect(syncRoot(archive, root)).toMatchObject({ outcomes: { rewritten: 1 }, masked: 1 });
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 2 });
    expect(isLeft(archive, SECRET)).toBe(false);
    expect(
      currentOf(archive, NAME)
        .toString()
        .startsWith(entry('new') + entry('a')),
    ).toBe(true);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('known only by what stood elsewhere is masked too', async () => {
    const password = 'tr0ub4dor-and-3-more';
    const text = entry('a', SESSION, `say ${password} now`) + entry('b', SESSION, `password=${password}`);
    const { root, archive } = await scrubbedRoot({ [NAME]: text });
    rootOf({ [COPY]: entry('a', FORK, `say ${password} now`) }, root);
    syncRoot(archive, root);
    expect(isLeft(archive, password)).toBe(false);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('in another kind of file', async () => {
    const output = `token: ${SECRET}\nrest\n`;
    const { root, archive } = await scrubbedRoot({ [`${PLACE}/${SESSION}/tool-results/x.txt`]: output });
    rootOf({ [`${PLACE}/${FORK}/tool-results/x.txt`]: output }, root);
    expect(syncRoot(archive, root)).toMatchObject({ masked: 1 });
    expect(isLeft(archive, SECRET)).toBe(false);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('masked twice: the last one stands for it', async () => {
    const password = 'tr0ub4dor-and-3-more';
    const text = entry('a', SESSION, `${SECRET} and ${password}`);
    const { root, archive } = await scrubbedRoot({ [NAME]: text });
    appendFileSync(join(root, NAME), entry('b', SESSION, `password=${password}`));
    syncRoot(archive, root);
    await scrubbed(archive);
    rootOf({ [COPY]: asFork(text) }, root);
    syncRoot(archive, root);
    expect(isLeft(archive, SECRET)).toBe(false);
    expect(isLeft(archive, password)).toBe(false);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('too long to be one piece: it is told that it must be scrubbed again', async () => {
    const long = entry('long', SESSION, `${'x '.repeat(1000)}${SECRET} ${'y '.repeat(3 << 20)}`);
    const { root, archive } = await scrubbedRoot({ [NAME]: long });
    rootOf({ [COPY]: asFork(long) }, root);
    expect(syncRoot(archive, root)).toMatchObject({ outcomes: { added: 1 }, masked: 0, unscrubbed: 1 });
    await scrubbed(archive, FORK);
    expect(isLeft(archive, SECRET)).toBe(false);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('nothing of it stays once it is forgotten', async () => {
    const { archive } = await scrubbedRoot();
    expect(rowsOf(archive)).toBe(1);
    forget(archive, allFiles(archive.db), NOW);
    expect(rowsOf(archive)).toBe(0);
    expect(faultsOf(archive)).toEqual([]);
  });
});

describe('another archive', () => {
  test('with an older state of the file does not bring it back, nor a state more', async () => {
    const [archive, other] = [newArchive(), newArchive()];
    const root = rootOf({ [NAME]: entry('a') + entry('b', SESSION, SECRET) });
    syncRoot(archive, root);
    mergeArchive(other, archive);
    appendFileSync(join(root, NAME), entry('c'));
    syncRoot(archive, root);
    await scrubbed(archive);
    expect(mergeArchive(archive, other)).toMatchObject({ added: 0, known: 1 });
    expect(isLeft(archive, SECRET)).toBe(false);
    expect(statesOf(archive, NAME)).toHaveLength(1);
    expect(faultsOf(archive)).toEqual([]);
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1 });
  });

  test('with a fork of it, on another machine', async () => {
    const { archive } = await scrubbedRoot();
    const other = newArchive();
    syncRoot(other, rootOf({ [COPY]: asFork(TEXT), [NAME]: entry('0') + TEXT }));
    expect(mergeArchive(archive, other)).toMatchObject({ added: 2, masked: 2 });
    expect(isLeft(archive, SECRET)).toBe(false);
    expect(faultsOf(archive)).toEqual([]);
    expect(mergeArchive(archive, other)).toMatchObject({ added: 0, known: 2 });
    const to = tempFolder();
    expect(restoreAll(archive, to).every(({ outcome }) => outcome === 'restored')).toBe(true);
  });

  test('with a fork of it that was cut since: what its machine saw last, masked', async () => {
    const archive = newArchive();
    syncRoot(archive, rootOf({ [NAME]: TEXT }));
    await scrubbed(archive);
    const fork = TEXT.replaceAll(SESSION, FORK);
    const [other, root] = [newArchive(), rootOf({ [COPY]: fork })];
    syncRoot(other, root);
    mergeArchive(archive, other);
    const whole = currentOf(archive, COPY).toString();
    writeFileSync(join(root, COPY), fork.slice(0, -entry('c', FORK).length));
    syncRoot(other, root);
    mergeArchive(archive, other);
    const cut = whole.slice(0, -entry('c', FORK).length);
    expect(currentOf(archive, COPY).toString()).toBe(cut);
    expect(statesOf(archive, COPY).map(String)).toEqual([whole, cut]);
    expect(mergeArchive(archive, other)).toMatchObject({ added: 0, known: 2 });
    expect(isLeft(archive, SECRET)).toBe(false);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('that takes a scrubbed one in remembers it too', async () => {
    const { root, archive } = await scrubbedRoot();
    const moved = newArchive();
    mergeArchive(moved, archive);
    rootOf({ [COPY]: asFork(TEXT) }, root);
    expect(syncRoot(moved, root)).toMatchObject({ masked: 1 });
    expect(isLeft(moved, SECRET)).toBe(false);
    expect(faultsOf(moved)).toEqual([]);
  });

  test('that has the lines as they were goes on having them, whatever it takes in', async () => {
    const { root, archive } = await scrubbedRoot();
    const other = newArchive();
    syncRoot(other, root);
    mergeArchive(other, archive);
    rootOf({ [COPY]: asFork(TEXT) }, root);
    expect(syncRoot(other, root)).toMatchObject({ masked: 0 });
    expect(currentOf(other, COPY).toString()).toBe(asFork(TEXT));
  });
});

test('whatever is copied from where: nothing scrubbed is left, nothing else is changed, nothing is archived twice', async () => {
  const ids = Array.from({ length: 3 }, (_, n) => `${n}aaaaaaa-1111-4111-8111-111111111111`);
  const text = fc.oneof(
    fc.constantFrom('plain', 'é 中 😀', '"', '\\'),
    fc.nat(3).map((n) => `k ${token(String(n))} z`),
  );
  const line = fc.tuple(fc.constantFrom(...'abcdef'), text);
  const session = fc.array(line, { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(session, fc.array(session, { minLength: 3, maxLength: 3 }), async (first, later) => {
      const contentOf = (lines: readonly (readonly [string, string])[], id: string) =>
        lines.map(([uuid, said]) => entry(uuid, id, said)).join('');
      const root = rootOf({ [NAME]: contentOf(first, SESSION) });
      const archive = newArchive();
      syncRoot(archive, root);
      await scrubbed(archive);
      const known = new Set(first.map((each) => JSON.stringify(each)));
      for (const [n, id] of ids.entries()) rootOf({ [`${PLACE}/${id}.jsonl`]: contentOf(later[n] ?? [], id) }, root);
      syncRoot(archive, root);
      expect(faultsOf(archive)).toEqual([]);
      for (const [n, id] of ids.entries()) {
        const kept = currentOf(archive, `${id}.jsonl`).toString().split('\n').slice(0, -1);
        expect(kept).toHaveLength(later[n]?.length ?? 0);
        for (const [place, each] of (later[n] ?? []).entries()) {
          const isMasked = known.has(JSON.stringify(each)) && each[1].includes('ghp_');
          if (isMasked) expect(kept[place]).not.toContain('ghp_');
          else expect(`${kept[place]}\n`).toBe(entry(each[0], id, each[1]));
        }
      }
      expect(syncRoot(archive, root).outcomes.unchanged).toBe(4);
      expect(syncRoot(archive, root, { full: true }).outcomes.unchanged).toBe(4);
      archive.close();
    }),
    { numRuns: 25 },
  );
});

test('sync says what it masked', async () => {
  const { run, root } = machine(rootOf({ [NAME]: TEXT }));
  await run('archive', 'sync');
  await run('archive', 'scrub', '--all');
  rootOf({ [COPY]: asFork(TEXT) }, root);
  const { text } = await run('archive', 'sync');
  expect(text).toBe('2 files, 1 new: 467 B archived; 1 holds what was scrubbed before, masked in the archive again\n');
  expect((await run('archive', 'status')).text).toContain('scrubbed  2 versions');
});
