/** Long runs of the archive: processes killed in the middle of their work, a full disk, files larger than memory should be. */
import { type ChildProcess, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { allFiles, versionsOf } from '../../src/archive/files.ts';
import { updateIndex } from '../../src/archive/index/textindex.ts';
import { all, textOf } from '../../src/archive/sqlite.ts';
import type { Archive } from '../../src/archive/store.ts';
import { asNumber, at } from '../../src/format/json.ts';
import {
  archiveIn,
  contentOf,
  entry,
  faultsOf,
  newArchive,
  PLACE,
  restoreAll,
  SESSION,
  syncRoot,
} from '../archive/helpers.ts';
import { inIndex } from '../archive/search/helpers.ts';
import { tempFolder } from '../support/files.ts';
import { BIN, skein, startSkein } from '../support/skein.ts';

const GENERATOR = fileURLToPath(new URL('../../scripts/gen-corpus.mjs', import.meta.url));

function corpus(megabytes: number, seed: number): string {
  const folder = tempFolder();
  const args = ['--out', folder, '--mb', String(megabytes), '--seed', String(seed), '--files', String(megabytes * 2)];
  execFileSync(process.execPath, [GENERATOR, ...args], { stdio: 'ignore' });
  return join(folder, '.claude');
}

/** What an archive holds, without what depends on when it was taken: ids, packs, order. */
function stateOf(archive: Archive) {
  const files = allFiles(archive.db).map(({ id, name, kind, session, mtimeMs, current }) => {
    const versions = versionsOf(archive.db, id).map(({ size, digest }) => `${size} ${digest.toString('hex')}`);
    return {
      name,
      kind,
      session,
      mtimeMs,
      versions,
      current: versionsOf(archive.db, id).findIndex((each) => each.id === current),
    };
  });
  const pieces = all(archive.db, 'SELECT hex(hash) AS hash FROM piece ORDER BY hash').map((row) => textOf(row, 'hash'));
  return { files, pieces };
}

/** How often some words are found: the index of a disturbed archive has nothing twice and lacks nothing. */
function found(archive: Archive): number[] {
  return ['the', 'error', '"exponential backoff jitter"'].map((query) => inIndex(archive, archive.folder, query).total);
}

async function killAfter(started: ChildProcess, ms: number): Promise<boolean> {
  await Promise.race([sleep(ms), once(started, 'exit')]);
  const killed = started.exitCode === null;
  started.kill('SIGKILL');
  if (started.exitCode === null && started.signalCode === null) await once(started, 'exit');
  return killed;
}

const random = (least: number, most: number) => least + Math.random() * (most - least);

test('sync killed at 50 random moments, the files growing meanwhile: the end is that of an undisturbed one', async () => {
  const root = corpus(60, 11);
  const paths = [...contentOf(root).keys()].filter((name) => name.endsWith('.jsonl'));
  const home = tempFolder();
  const env = { CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(home, 'kept') };
  let killed = 0;
  for (let round = 0; round < 50; round += 1) {
    // From scratch now and then, so that the making of the archive is hit too.
    if (round % 12 === 11) rmSync(env.SKEIN_HOME, { recursive: true, force: true });
    if (await killAfter(startSkein(['archive', 'sync'], { env, home }), random(40, 900))) killed += 1;
    for (const name of paths.slice(round % 7, (round % 7) + 5))
      appendFileSync(join(root, name), entry(`${round}-${name}`).repeat(50));
    const archive = archiveIn(env.SKEIN_HOME);
    expect(faultsOf(archive)).toEqual([]);
    archive.close();
  }
  console.log(`killed at work: ${killed} of 50`);
  expect(killed).toBeGreaterThan(10);
  expect(skein(['archive', 'sync'], { env, home }).code).toBe(0);
  const disturbed = archiveIn(env.SKEIN_HOME);
  const undisturbed = newArchive();
  syncRoot(undisturbed, root);
  expect(faultsOf(disturbed)).toEqual([]);
  expect(stateOf(disturbed).files).toEqual(stateOf(undisturbed).files);
  // A torn end that was seen is no line of its own, so there is nothing more than in the other.
  expect(stateOf(disturbed).pieces).toEqual(stateOf(undisturbed).pieces);
  updateIndex(undisturbed);
  expect(found(disturbed)).toEqual(found(undisturbed));
  const to = tempFolder();
  restoreAll(disturbed, to);
  expect([...contentOf(to)].map(([name, { bytes }]) => [name, bytes.length])).toEqual(
    [...contentOf(root)].map(([name, { bytes }]) => [name, bytes.length]),
  );
});

test('Ctrl-C ends a sync between two steps; the next one goes on', async () => {
  const root = corpus(60, 14);
  const home = tempFolder();
  const env = { CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(home, 'kept') };
  const codes: (number | null)[] = [];
  for (let round = 0; round < 6; round += 1) {
    const started = startSkein(['archive', 'sync'], { env, home });
    setTimeout(() => started.kill('SIGINT'), 300);
    await once(started, 'exit');
    codes.push(started.exitCode);
    const archive = archiveIn(env.SKEIN_HOME);
    expect(faultsOf(archive)).toEqual([]);
    archive.close();
  }
  expect(codes).toContain(130);
  expect(skein(['archive', 'sync'], { env, home }).code).toBe(0);
  const undisturbed = newArchive();
  syncRoot(undisturbed, root);
  expect(stateOf(archiveIn(env.SKEIN_HOME))).toEqual(stateOf(undisturbed));
});

test('import and forget killed at random moments', async () => {
  const root = corpus(30, 12);
  const home = tempFolder();
  const one = { CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(home, 'one') };
  const two = { CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(home, 'two') };
  const file = join(home, 'export.db');
  skein(['archive', 'sync'], { env: one, home });
  skein(['archive', 'export', file], { env: one, home });
  for (let round = 0; round < 20; round += 1) {
    await killAfter(startSkein(['archive', 'import', file], { env: two, home }), random(40, 900));
    const archive = archiveIn(two.SKEIN_HOME);
    expect(faultsOf(archive)).toEqual([]);
    archive.close();
  }
  expect(skein(['archive', 'import', file], { env: two, home }).code).toBe(0);
  const source = archiveIn(one.SKEIN_HOME);
  const imported = archiveIn(two.SKEIN_HOME);
  expect(stateOf(imported)).toEqual(stateOf(source));
  const sessions = allFiles(source.db).flatMap(({ kind, session }) => (kind === 'session' && session ? [session] : []));
  source.close();
  imported.close();
  for (const session of sessions.slice(0, 20)) {
    await killAfter(startSkein(['archive', 'forget', session, '--yes'], { env: two, home }), random(60, 500));
    skein(['archive', 'forget', session, '--yes'], { env: two, home });
    const archive = archiveIn(two.SKEIN_HOME);
    expect(faultsOf(archive)).toEqual([]);
    expect(allFiles(archive.db).some((each) => each.session === session)).toBe(false);
    archive.close();
  }
});

/** A small file system of its own; undefined where that may not be made. */
function smallDisk(megabytes: number): string | undefined {
  const folder = tempFolder();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  if (status !== 0) return undefined;
  onTestFinished(() => {
    spawnSync('umount', ['-l', folder]);
  });
  return folder;
}

test('a full disk: it is said, the archive stays whole, and with room the work is finished', (context) => {
  const root = corpus(60, 13);
  const disk = smallDisk(9);
  if (disk === undefined) return context.skip('no small file system can be made here');
  const home = tempFolder();
  const env = { CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(disk, 'kept') };
  for (let round = 0; round < 3; round += 1) {
    const { code, err } = skein(['archive', 'sync'], { env, home });
    expect([code, err]).toEqual([1, expect.stringContaining('the disk is full')]);
    const archive = archiveIn(env.SKEIN_HOME);
    expect(faultsOf(archive)).toEqual([]);
    archive.close();
  }
  const roomy = join(tempFolder(), 'kept');
  cpSync(env.SKEIN_HOME, roomy, { recursive: true });
  expect(skein(['archive', 'sync'], { env: { ...env, SKEIN_HOME: roomy }, home }).code).toBe(0);
  const undisturbed = newArchive();
  syncRoot(undisturbed, root);
  const archive = archiveIn(roomy);
  expect(faultsOf(archive)).toEqual([]);
  expect(stateOf(archive)).toEqual(stateOf(undisturbed));
});

test('a full disk: a session is forgotten all the same, and the index gives its room back', (context) => {
  const root = corpus(12, 5);
  const disk = smallDisk(6);
  if (disk === undefined) return context.skip('no small file system can be made here');
  const home = tempFolder();
  const env = { CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(disk, 'kept') };
  expect(skein(['archive', 'sync'], { env, home }).err).toContain('text index: the disk is full');
  const archive = archiveIn(env.SKEIN_HOME);
  const [largest] = allFiles(archive.db)
    .flatMap(({ id, session = '' }) => versionsOf(archive.db, id).map(({ size }) => ({ session, size })))
    .sort((a, b) => b.size - a.size);
  archive.close();
  const forgotten = skein(['archive', 'forget', largest?.session ?? '', '--yes'], { env, home });
  expect([forgotten.code, forgotten.text]).toEqual([0, expect.stringContaining('forgotten')]);
  const left = archiveIn(env.SKEIN_HOME);
  expect(faultsOf(left)).toEqual([]);
  expect(allFiles(left.db).some(({ session }) => session === largest?.session)).toBe(false);
});

test('a client that writes all the time: whatever moment a sync meets, the end is the file', async () => {
  const root = tempFolder();
  const file = join(root, PLACE, `${SESSION}.jsonl`);
  mkdirSync(join(root, PLACE), { recursive: true });
  const archive = newArchive();
  const fd = openSync(file, 'w');
  for (let n = 0; n < 3000; n += 1) {
    // In pieces, so that a sync meets torn lines.
    const text = Buffer.from(entry(`${n}`, SESSION, 'é'.repeat(n % 400)));
    const cut = Math.floor(Math.random() * text.length);
    writeSync(fd, text.subarray(0, cut));
    if (n % 3 === 0) syncRoot(archive, root);
    writeSync(fd, text.subarray(cut));
  }
  closeSync(fd);
  syncRoot(archive, root);
  expect(faultsOf(archive)).toEqual([]);
  const [only, ...more] = allFiles(archive.db).flatMap(({ id }) => versionsOf(archive.db, id));
  expect([only?.size, more]).toEqual([readFileSync(file).length, []]);
});

test('one file of 1 GB in 250 MB of memory', () => {
  const root = tempFolder();
  mkdirSync(join(root, PLACE), { recursive: true });
  const fd = openSync(join(root, PLACE, `${SESSION}.jsonl`), 'w');
  for (let n = 0, written = 0; written < 1e9; n += 1) {
    const lines = Array.from({ length: 200 }, (_, each) =>
      entry(`${n}-${each}`, SESSION, `${n} ${each} `.repeat(each % 40 === 0 ? 9000 : 120)),
    );
    written += writeSync(fd, lines.join(''));
  }
  closeSync(fd);
  const home = tempFolder();
  const peak = fileURLToPath(new URL('../../bench/peak.cjs', import.meta.url));
  const env = { PATH: process.env.PATH, HOME: home, CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(home, 'kept') };
  for (const part of ['sync', 'verify']) {
    // From a small shell: the system counts the memory of whoever starts a process to its peak.
    const command = `'${process.execPath}' --require '${peak}' '${BIN}' archive ${part} --json; exit $?`;
    const ran = spawnSync('bash', ['-c', command], { env, encoding: 'utf8' });
    const bytes = Number(/peak (\d+)/.exec(ran.stderr)?.[1]);
    console.log(`${part}: ${Math.round(bytes / 1e6)} MB`);
    expect(ran.status).toBe(0);
    expect(bytes).toBeLessThan(250e6);
    if (part === 'verify') expect(asNumber(at(JSON.parse(ran.stdout), 'bytes'))).toBeGreaterThan(1e9);
  }
  expect(readdirSync(env.SKEIN_HOME)).toContain('archive.db');
});
