/** An archive that may only be read: on a file system mounted so, or in a folder that is somebody else's. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asArray, at } from '../../src/format/json.ts';
import { archiveIn, entry, FORK, PLACE, rootOf, SESSION, syncRoot } from '../archive/helpers.ts';
import { tempFolder } from '../support/files.ts';
import { type Ran, skein } from '../support/skein.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const TEXT = entry('a', SESSION, 'ocelot here') + entry('b');
const isRoot = process.getuid?.() === 0;

/** Root may write anywhere but on a file system that is mounted to be read. */
function makeReadOnly(folder: string): void {
  if (isRoot) execFileSync('mount', ['-o', 'remount,ro', folder]);
  else chmodSync(folder, 0o555);
}

/** A place of its own, which is taken away after the test. */
function disk(): string {
  const folder = tempFolder();
  if (isRoot) execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]);
  onTestFinished(() => {
    if (isRoot) execFileSync('umount', ['-l', folder]);
    else chmodSync(folder, 0o755);
  });
  return folder;
}

/** Two sessions, of which one is only in the archive; `fill` may change the archive's folder before nothing can be. */
function machine(fill: (folder: string) => void = () => {}) {
  const root = rootOf({ [NAME]: TEXT, [`${PLACE}/${FORK}.jsonl`]: entry('c', FORK, 'margay there') });
  const [home, folder] = [tempFolder(), disk()];
  const env = { CLAUDE_CONFIG_DIR: root, SKEIN_HOME: folder };
  expect(skein(['archive', 'sync'], { env, home }).code).toBe(0);
  rmSync(join(root, NAME));
  fill(folder);
  makeReadOnly(folder);
  return { root, home, folder, run: (...argv: string[]) => skein(argv, { env, home }) };
}

function fine({ code, err, text }: Ran): string {
  expect([code, err]).toEqual([0, '']);
  return text;
}

describe.each([
  ['for its owner alone', 0o600],
  ['for everybody', 0o644],
])('readable %s', (_, mode) => {
  test('every verb that only reads works', () => {
    const { root, home, folder, run } = machine((at) => {
      for (const name of readdirSync(at)) chmodSync(join(at, name), mode);
    });
    const names = readdirSync(folder).sort();
    expect(names).toEqual(['archive.db', 'index.db']);
    expect(asArray(at(run('list', '--json').json(), 'chats'))).toHaveLength(2);
    expect(run('show', SESSION).text).toContain('ocelot here');
    expect(run('search', 'ocelot', '--json').json()).toMatchObject({ engine: 'index', total: 1 });
    expect(fine(run('archive', 'verify'))).toContain('whole: 2 files');
    expect(fine(run('archive', 'status'))).toContain('2 sessions');
    const to = tempFolder();
    expect(fine(run('archive', 'restore', '--all', '--to', to))).toContain('2 ');
    expect(readFileSync(join(to, NAME), 'utf8')).toBe(TEXT);
    expect(fine(run('archive', 'restore', SESSION))).toContain('1 ');
    expect(readFileSync(join(root, NAME), 'utf8')).toBe(TEXT);
    fine(run('archive', 'export', join(home, 'out.db')));
    expect(run('usage').err).toBe('No usage was found.\n');
    expect(readdirSync(folder).sort()).toEqual(names);
    const other = archiveIn(join(home, 'other'));
    other.close();
    const env = { CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(home, 'other') };
    expect(skein(['archive', 'import', join(folder, 'archive.db')], { env, home })).toMatchObject({ code: 0, err: '' });
  });

  test('what would write says that it may not', () => {
    const { root, run } = machine((at) => {
      for (const name of readdirSync(at)) chmodSync(join(at, name), mode);
    });
    appendFileSync(join(root, `${PLACE}/${FORK}.jsonl`), entry('d', FORK));
    for (const words of [['sync'], ['scrub', '--all'], ['forget', SESSION, '--yes'], ['rebuild']]) {
      const { code, err } = run('archive', ...words);
      expect([words[0], code, err]).toEqual([words[0], 1, expect.stringContaining('may not be written to')]);
      expect(err).toContain('can be read');
    }
  });
});

/** As a sync that was killed leaves it: what was written last is in the journal. */
function withJournal(folder: string, keep: (name: string) => boolean): void {
  const copy = tempFolder();
  const archive = archiveIn(folder);
  syncRoot(archive, rootOf({ [`${PLACE}/33333333-3333-4333-8333-333333333333.jsonl`]: entry('late', FORK, 'serval') }));
  cpSync(folder, copy, { recursive: true });
  archive.close();
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(copy).filter(keep)) cpSync(join(copy, name), join(folder, name));
}

test('what was written last lies in the journal: it is read too', () => {
  const { run } = machine((folder) => withJournal(folder, () => true));
  expect(fine(run('archive', 'verify'))).toContain('whole: 3 files');
  expect(asArray(at(run('list', '--json').json(), 'chats'))).toHaveLength(2);
});

test('a journal that cannot be read alone: it is said what to do, and the files on disk are read', () => {
  const { run } = machine((folder) => withJournal(folder, (name) => !name.endsWith('-shm')));
  const { code, err } = run('archive', 'verify');
  expect([code, err]).toEqual([1, expect.stringContaining('archive.db-wal')]);
  const list = run('list', '--json');
  expect(list.err).toContain('archive.db-wal');
  expect(asArray(at(list.json(), 'chats'))).toHaveLength(1);
});
