import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { allFiles } from '../../../src/archive/files.ts';
import { totalChanges } from '../../../src/archive/sqlite.ts';
import { keptIn } from '../../../src/archive/status.ts';
import { io, ioSince } from '../../../src/disk/io.ts';
import { FIXTURES, tempFolder } from '../../support/files.ts';
import {
  archiveIn,
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
  statesOf,
  syncRoot,
} from '../helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const GENERATOR = fileURLToPath(new URL('../../../scripts/gen-corpus.mjs', import.meta.url));

/** A file's time is set to the microsecond at best: finer ones could not be compared. */
function atWholeSeconds(root: string): void {
  for (const [place, name] of [...contentOf(root).keys()].entries()) utimesSync(join(root, name), 1, 1e9 + place);
}

describe('everything comes back after its source is gone', () => {
  const versions = readdirSync(join(FIXTURES, 'recorded'));

  test.each(versions)('the recordings of %s', (version) => {
    for (const scenario of readdirSync(join(FIXTURES, 'recorded', version))) {
      const root = join(tempFolder(), 'config');
      cpSync(join(FIXTURES, 'recorded', version, scenario), root, { recursive: true, preserveTimestamps: true });
      atWholeSeconds(root);
      const archive = newArchive();
      const names = new Set(sourcesIn(root).map(({ name }) => name));
      const before = new Map([...contentOf(root)].filter(([name]) => names.has(name)));
      // Everything but what is ours: the requests recorded beside the sessions, the hooks' inputs, settings.
      const left = [...contentOf(root).keys()].filter((name) => !names.has(name));
      expect(left.filter((name) => name.startsWith('projects/'))).toEqual([]);
      syncRoot(archive, root);
      rmSync(root, { recursive: true });
      expect(new Set(restoreAll(archive, root).map(({ outcome }) => outcome))).toEqual(new Set(['restored']));
      expect(contentOf(root)).toEqual(before);
      expect(faultsOf(archive)).toEqual([]);
    }
  });

  test.each([1, 2, 3])('a generated corpus, seed %i', (seed) => {
    const folder = tempFolder();
    execFileSync(process.execPath, [GENERATOR, '--out', folder, '--mb', '5', '--seed', String(seed), '--files', '30'], {
      stdio: 'ignore',
    });
    const root = join(folder, '.claude');
    const before = contentOf(root);
    const archive = newArchive();
    syncRoot(archive, root);
    rmSync(root, { recursive: true });
    restoreAll(archive, root);
    expect(contentOf(root)).toEqual(before);
    expect(faultsOf(archive)).toEqual([]);
    const { storedBytes, rawBytes, archiveBytes } = keptIn(archive);
    expect(storedBytes).toBeLessThan(rawBytes);
    expect(archiveBytes).toBeLessThan(rawBytes * 0.6);
  });
});

test('L4: sidecars of every kind, by session', () => {
  const root = rootOf({
    [NAME]: entry('a'),
    [`${PLACE}/${SESSION}/subagents/agent-a1b2c3.jsonl`]: entry('b'),
    [`${PLACE}/${SESSION}/subagents/agent-a1b2c3.meta.json`]: '{"toolUseId":"t"}',
    [`${PLACE}/${SESSION}/tool-results/x.txt`]: 'large\n'.repeat(1000),
    [`${PLACE}/${SESSION}/custom-title.json`]: '{"customTitle":"T"}',
    [`${PLACE}/agent-d4e5f6.jsonl`]: entry('c'),
    [`file-history/${SESSION}/abc@v1`]: Buffer.from([0, 255, 10, 13]),
    'plans/quiet-fox.md': '# plan',
    [`todos/${SESSION}-agent-${SESSION}.json`]: '[]',
    'history.jsonl': '{"display":"hi"}\n',
  });
  const archive = newArchive();
  syncRoot(archive, root);
  const kinds = allFiles(archive.db).map(({ name, kind, session }) => [name.split('/').at(-1), kind, session]);
  expect(new Set(kinds.map(([, kind]) => kind))).toEqual(
    new Set([
      'session',
      'agent',
      'agent-meta',
      'tool-result',
      'custom-title',
      'file-history',
      'plan',
      'todo',
      'history',
    ]),
  );
  expect(kinds.filter(([, , session]) => session === undefined).map(([name]) => name)).toEqual([
    'history.jsonl',
    'quiet-fox.md',
  ]);
  const before = contentOf(root);
  rmSync(root, { recursive: true });
  restoreAll(archive, root);
  expect(contentOf(root)).toEqual(before);
});

describe('work is counted', () => {
  test('a second sync reads no transcript and writes nothing', () => {
    const root = rootOf({ [NAME]: entry('a').repeat(100), 'history.jsonl': 'x\n' });
    const archive = newArchive();
    syncRoot(archive, root);
    const before = { ...io };
    const changes = totalChanges(archive.db);
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 2 });
    expect(ioSince(before)).toMatchObject({ opens: 0, reads: 0, writes: 0 });
    expect(totalChanges(archive.db)).toBe(changes);
  });

  test('the file of the archive is not touched either', () => {
    const root = rootOf({ [NAME]: entry('a') });
    const folder = join(tempFolder(), 'skein');
    const first = archiveIn(folder);
    syncRoot(first, root);
    first.close();
    const before = contentOf(folder);
    const second = archiveIn(folder);
    syncRoot(second, root);
    second.close();
    expect(contentOf(folder)).toEqual(before);
  });

  test('an appended line costs its own size and the end of what was there', () => {
    const root = rootOf({ [NAME]: entry('a').repeat(20_000) });
    const archive = newArchive();
    syncRoot(archive, root);
    const line = entry('b');
    appendFileSync(join(root, NAME), line);
    const before = { ...io };
    const report = syncRoot(archive, root);
    expect(report.outcomes.appended).toBe(1);
    expect(report.bytes).toBe(line.length);
    // Once to see that the old end is as it was, once to go on from it.
    expect(ioSince(before).bytesRead).toBeLessThanOrEqual(2 * (16 << 10) + line.length);
    expect(currentOf(archive, NAME).equals(readFileSync(join(root, NAME)))).toBe(true);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('H1: a fork costs only what is its own', () => {
    const shared = Array.from({ length: 500 }, (_, n) => `${n}`);
    const root = rootOf({ [NAME]: shared.map((uuid) => entry(uuid)).join('') });
    const archive = newArchive();
    syncRoot(archive, root);
    const before = keptIn(archive).storedBytes;
    const own = entry('own', FORK);
    writeFileSync(join(root, PLACE, `${FORK}.jsonl`), shared.map((uuid) => entry(uuid, FORK)).join('') + own);
    syncRoot(archive, root);
    expect(keptIn(archive).storedBytes - before).toBeLessThanOrEqual(own.length);
    expect(currentOf(archive, `${FORK}.jsonl`).equals(readFileSync(join(root, PLACE, `${FORK}.jsonl`)))).toBe(true);
  });

  test('a session that grows line by line does not leave a pack for each', () => {
    const root = rootOf({ [NAME]: '' });
    const archive = newArchive();
    for (let n = 0; n < 200; n += 1) {
      appendFileSync(join(root, NAME), entry(`${n}`));
      syncRoot(archive, root);
    }
    expect(statesOf(archive, NAME).map(String)).toEqual([readFileSync(join(root, NAME), 'utf8')]);
    const packs = archive.db.prepare('SELECT count(*) AS n FROM pack').get();
    expect(packs?.n).toBeLessThan(12);
    expect(faultsOf(archive)).toEqual([]);
  });
});

describe('what happens to a source', () => {
  test('a torn end is kept, and continued later', () => {
    const root = rootOf({ [NAME]: `${entry('a')}{"torn` });
    const archive = newArchive();
    syncRoot(archive, root);
    expect(currentOf(archive, NAME).toString()).toBe(`${entry('a')}{"torn`);
    appendFileSync(join(root, NAME), ` no more":1}\n${entry('b')}{"again`);
    expect(syncRoot(archive, root).outcomes.appended).toBe(1);
    expect(statesOf(archive, NAME).map(String)).toEqual([readFileSync(join(root, NAME), 'utf8')]);
  });

  test('truncated, rewritten, and as it once was', () => {
    const whole = entry('a') + entry('b');
    const root = rootOf({ [NAME]: whole });
    const archive = newArchive();
    syncRoot(archive, root);
    truncateSync(join(root, NAME), entry('a').length);
    expect(syncRoot(archive, root).outcomes.rewritten).toBe(1);
    writeFileSync(join(root, NAME), entry('a') + entry('x') + entry('c'));
    // It begins with the truncated state, so that one goes on.
    expect(syncRoot(archive, root).outcomes.appended).toBe(1);
    writeFileSync(join(root, NAME), whole);
    syncRoot(archive, root);
    expect(statesOf(archive, NAME).map(String)).toEqual([whole, entry('a') + entry('x') + entry('c')]);
    expect(currentOf(archive, NAME).toString()).toBe(whole);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('the same size and another content, at another time', () => {
    const root = rootOf({ [NAME]: entry('a') });
    const archive = newArchive();
    syncRoot(archive, root);
    writeFileSync(join(root, NAME), entry('b'));
    utimesSync(join(root, NAME), 1, 1);
    expect(syncRoot(archive, root).outcomes.rewritten).toBe(1);
    utimesSync(join(root, NAME), 2, 2);
    expect(syncRoot(archive, root).outcomes.touched).toBe(1);
    expect(syncRoot(archive, root).outcomes.unchanged).toBe(1);
  });

  test('size and time kept by a cunning program: --full sees it', () => {
    const root = rootOf({ [NAME]: entry('a') });
    utimesSync(join(root, NAME), 5, 5);
    const archive = newArchive();
    syncRoot(archive, root);
    writeFileSync(join(root, NAME), entry('b'));
    utimesSync(join(root, NAME), 5, 5);
    expect(syncRoot(archive, root).outcomes.unchanged).toBe(1);
    expect(syncRoot(archive, root, { full: true }).outcomes.rewritten).toBe(1);
    expect(syncRoot(archive, root, { full: true }).outcomes.unchanged).toBe(1);
  });

  test('changed in the middle and longer: seen when the file was put in the place of the old one', () => {
    const [before, after] = [entry('a'), entry('b')].map((first) => first + entry('c').repeat(3000));
    const root = rootOf({ [NAME]: before ?? '' });
    const archive = newArchive();
    syncRoot(archive, root);
    writeFileSync(join(root, `${NAME}.new`), `${after}${entry('d')}`);
    renameSync(join(root, `${NAME}.new`), join(root, NAME));
    expect(syncRoot(archive, root).outcomes.rewritten).toBe(1);
    appendFileSync(join(root, NAME), entry('e'));
    const read = { ...io };
    expect(syncRoot(archive, root).outcomes.appended).toBe(1);
    expect(ioSince(read).bytesRead).toBeLessThan(40_000);
    expect(statesOf(archive, NAME).map(String)).toEqual([before, `${after}${entry('d')}${entry('e')}`]);
    // In the same file only comparing every byte would tell.
    writeFileSync(join(root, NAME), `${before}${entry('d')}${entry('e')}${entry('f')}`);
    expect(syncRoot(archive, root).outcomes.appended).toBe(1);
    expect(syncRoot(archive, root, { full: true }).outcomes.rewritten).toBe(1);
    expect(currentOf(archive, NAME).equals(readFileSync(join(root, NAME)))).toBe(true);
  });

  test('a clock that jumps back', () => {
    const root = rootOf({ [NAME]: entry('a') });
    const archive = newArchive();
    syncRoot(archive, root);
    appendFileSync(join(root, NAME), entry('b'));
    utimesSync(join(root, NAME), 0, 0);
    expect(syncRoot(archive, root).outcomes.appended).toBe(1);
  });

  test('gone, and a link to nothing in its place', () => {
    const root = rootOf({ [NAME]: entry('a'), [`${PLACE}/${FORK}.jsonl`]: entry('b') });
    const archive = newArchive();
    const sources = sourcesIn(root);
    rmSync(join(root, NAME));
    symlinkSync('/nonexistent', join(root, NAME));
    syncRoot(archive, root);
    expect(allFiles(archive.db)).toHaveLength(1);
    expect(sources).toHaveLength(2);
    rmSync(join(root, 'projects'), { recursive: true });
    mkdirSync(join(root, 'projects'));
    syncRoot(archive, root);
    expect(currentOf(archive, `${FORK}.jsonl`).toString()).toBe(entry('b'));
  });

  test('read-only sources', () => {
    const root = rootOf({ [NAME]: entry('a') });
    chmodSync(join(root, NAME), 0o400);
    chmodSync(join(root, PLACE), 0o500);
    const archive = newArchive();
    expect(syncRoot(archive, root).outcomes.added).toBe(1);
    chmodSync(join(root, PLACE), 0o700);
  });

  test('one root by several ways is one', () => {
    const root = rootOf({ [NAME]: entry('a'), 'history.jsonl': 'x\n' });
    const archive = newArchive();
    const link = join(tempFolder(), 'link');
    symlinkSync(root, link);
    for (const way of [root, link, join(root, 'projects'), join(root, PLACE), join(root, NAME)]) syncRoot(archive, way);
    expect(allFiles(archive.db).map(({ name }) => name)).toEqual(['history.jsonl', NAME]);
  });
});
