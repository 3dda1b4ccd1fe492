/** What a machine, a person or another archive may do to us. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allFiles } from '../../src/archive/files.ts';
import { restoreInTurns } from '../../src/archive/restore/restore.ts';
import { run } from '../../src/archive/sqlite.ts';
import { findSources } from '../../src/archive/sync/sources.ts';
import { sync } from '../../src/archive/sync/syncnow.ts';
import { exportArchive } from '../../src/archive/transfer/export.ts';
import { mergeArchive, mergeInTurns } from '../../src/archive/transfer/merge.ts';
import { verifyInTurns } from '../../src/archive/verify.ts';
import { findRoots } from '../../src/disk/roots.ts';
import { tempFolder } from '../support/files.ts';
import { skein } from '../support/skein.ts';
import {
  contentOf,
  currentOf,
  entry,
  FORK,
  faultsOf,
  newArchive,
  PLACE,
  restoreAll,
  rootOf,
  SESSION,
  sourcesIn,
  syncRoot,
} from './helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;

describe('sources', () => {
  test('a root given twice, and by a link, has its files once', () => {
    const root = rootOf({ [NAME]: entry('a'), 'plans/p.md': 'p', [`file-history/${SESSION}/x@v1`]: 'x' });
    const link = join(tempFolder(), 'link');
    symlinkSync(root, link);
    const names = sourcesIn(root, root, link, join(root, 'projects'), join(root, NAME)).map(({ name }) => name);
    expect(names.sort()).toEqual([`file-history/${SESSION}/x@v1`, 'plans/p.md', NAME].sort());
  });

  test('the archive does not archive itself', () => {
    const root = rootOf({ [NAME]: entry('a'), 'plans/p.md': 'p' });
    for (const place of ['plans', '.']) {
      const env = { CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(root, place) };
      for (const news of [2, 0]) {
        expect(skein(['archive', 'sync', '--json'], { env }).json()).toMatchObject({ files: 2, added: news });
      }
      rmSync(join(root, place, 'archive.db'));
      rmSync(join(root, place, 'index.db'));
    }
  });

  test('replaced by a folder, a pipe or nothing between looking and reading: told, and what was archived stays', () => {
    const others = [FORK, '33333333-3333-4333-8333-333333333333', '44444444-4444-4444-8444-444444444444'];
    const root = rootOf({ [NAME]: entry('a') });
    for (const id of others) rootOf({ [`${PLACE}/${id}.jsonl`]: entry('b', id) }, root);
    const archive = newArchive();
    syncRoot(archive, root);
    for (const id of others) writeFileSync(join(root, PLACE, `${id}.jsonl`), 'changed');
    const sources = sourcesIn(root);
    const paths = others.map((id) => join(root, PLACE, `${id}.jsonl`));
    for (const path of paths) rmSync(path);
    mkdirSync(paths[0] ?? '');
    execFileSync('mkfifo', [paths[1] ?? '']);
    const report = sync(archive, sources);
    expect(report.problems.map(({ where }) => where).sort()).toEqual(paths.sort());
    expect(report.outcomes).toMatchObject({ unchanged: 1, rewritten: 0 });
    for (const id of others) expect(currentOf(archive, `${id}.jsonl`).toString()).toBe(entry('b', id));
    expect(faultsOf(archive)).toEqual([]);
  });

  test('links to nothing and in a circle, which both walks meet, are told once', () => {
    const root = rootOf({ [NAME]: entry('a') });
    for (const [to, name] of [
      ['nowhere', 'gone.jsonl'],
      ['circle', 'circle'],
    ] as const)
      symlinkSync(to, join(root, PLACE, name));
    const { problems } = findSources(findRoots({ given: [root], env: {}, home: '/x' }).roots);
    expect(problems.map(({ kind }) => kind).sort()).toEqual(['dangling-link', 'link-loop']);
  });

  test('names of every kind come back; one that is no text is told', () => {
    const odd = [
      'new\nline',
      'quo"te',
      "it's",
      'back\\slash',
      'café',
      'cafe\u0301',
      '😀',
      'percent%20',
      ' blank ',
      '-rf',
    ];
    const folder = `${PLACE}/${SESSION}/tool-results`;
    const root = rootOf({ [NAME]: entry('a') });
    for (const name of odd) rootOf({ [`${folder}/${name}`]: name }, root);
    writeFileSync(Buffer.concat([Buffer.from(join(root, folder, 'bad')), Buffer.from([0xff])]), 'bad');
    const { files, problems } = findSources(findRoots({ given: [root], env: {}, home: '/x' }).roots);
    expect(problems).toHaveLength(1);
    const archive = newArchive();
    sync(archive, files);
    const to = tempFolder();
    restoreAll(archive, to);
    const names = [...contentOf(to).keys()].filter((name) => name.startsWith(folder));
    expect(names.sort()).toEqual(odd.map((name) => `${folder}/${name}`).sort());
  });
});

describe('archives from elsewhere', () => {
  test('a name that leads out of the folder is not written', () => {
    const archive = newArchive();
    syncRoot(archive, rootOf({ [NAME]: entry('a'), 'plans/p.md': 'p' }));
    for (const name of ['../../escaped', '/escaped', 'a/../../escaped', 'a//b']) {
      run(archive.db, "UPDATE file SET name = ? WHERE kind = 'plan'", name);
      const to = join(tempFolder(), 'a', 'b');
      const outcomes = restoreAll(archive, to).map(({ outcome }) => outcome);
      expect(outcomes.sort()).toEqual(['refused', 'restored']);
      expect([...contentOf(to).keys()]).toEqual([NAME]);
    }
  });

  test('a damaged one gives what can be read, and says what cannot', () => {
    const [own, other] = [newArchive(), newArchive()];
    const lines = Array.from({ length: 3000 }, (_, n) => entry(`${n}`, SESSION, 'x'.repeat(1000)));
    syncRoot(other, rootOf({ [NAME]: lines.join('') }));
    syncRoot(other, rootOf({ [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK) }));
    run(other.db, "UPDATE pack SET data = x'00' WHERE id = (SELECT min(id) FROM pack WHERE id > 1)");
    const merged = mergeArchive(own, other);
    expect(merged.problems).toHaveLength(1);
    expect(currentOf(own, `${FORK}.jsonl`).toString()).toBe(entry('b', FORK));
    expect(lines.join('').startsWith(currentOf(own, NAME).toString())).toBe(true);
    expect(currentOf(own, NAME).length).toBeGreaterThan(500_000);
    expect(faultsOf(own)).toEqual([]);
  });
});

describe('stopped in the middle', () => {
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => {
      const id = `${String(n).padStart(8, '0')}-1111-4111-8111-111111111111`;
      return [`${PLACE}/${id}.jsonl`, Array.from({ length: 400 }, (_, line) => entry(`${n}-${line}`, id)).join('')];
    }),
  );

  /** Aborts after so many files, or at once. */
  function stopper(after: number) {
    const controller = new AbortController();
    let done = 0;
    const onFile = () => {
      done += 1;
      if (done === after) controller.abort();
    };
    return { signal: controller.signal, onFile, onBytes: onFile };
  }

  test('restore leaves whole files and no others', async () => {
    const archive = newArchive();
    syncRoot(archive, rootOf(many));
    const to = tempFolder();
    const results = await restoreInTurns(archive, allFiles(archive.db), { to, ...stopper(7) });
    expect(results).toHaveLength(7);
    expect([...contentOf(to)].map(([name, { bytes }]) => [name, bytes])).toEqual(Object.entries(many).slice(0, 7));
    expect(
      (await restoreInTurns(archive, allFiles(archive.db), { to })).filter((f) => f.outcome === 'same'),
    ).toHaveLength(7);
  });

  test('import goes on where it was', async () => {
    const [own, other] = [newArchive(), newArchive()];
    syncRoot(other, rootOf(many));
    expect(await mergeInTurns(own, other, stopper(5))).toMatchObject({ stopped: true, added: 5 });
    expect(faultsOf(own)).toEqual([]);
    expect(await mergeInTurns(own, other)).toMatchObject({ stopped: false, added: 25, known: 5 });
    expect(faultsOf(own)).toEqual([]);
  });

  test('verify says that it did not see all', async () => {
    const archive = newArchive();
    syncRoot(archive, rootOf(many));
    expect(await verifyInTurns(archive, stopper(1))).toMatchObject({ stopped: true, faults: [] });
    expect(await verifyInTurns(archive)).toMatchObject({ stopped: false, versions: 30, faults: [] });
  });

  test('what a killed export left behind goes with the next', () => {
    const archive = newArchive();
    const folder = tempFolder();
    // No process has such a number.
    for (const name of ['x.db.4194999.tmp', 'x.db.notes.tmp', 'y.db.4194999.tmp'])
      writeFileSync(join(folder, name), '');
    exportArchive(archive, join(folder, 'x.db'));
    expect(readdirSync(folder).sort()).toEqual(['x.db', 'x.db.notes.tmp', 'y.db.4194999.tmp']);
    expect(existsSync(join(folder, 'x.db'))).toBe(true);
    expect(readFileSync(join(folder, 'x.db')).subarray(0, 6).toString()).toBe('SQLite');
  });
});
