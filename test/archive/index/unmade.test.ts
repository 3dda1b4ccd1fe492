/** An archive that a first sync is just making: for those who read it is none yet, not somebody else's file. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/archive/sqlite.ts';
import { assistant, chain, toJsonl, user } from '../../support/build.ts';
import { machine } from '../../support/inprocess.ts';
import { entry, PLACE, rootOf, SESSION } from '../helpers.ts';

const TALK = chain([user('zebra'), assistant('stripes', { id: 'm1', requestId: 'r1', output: 10 })], {
  sessionId: SESSION,
  cwd: '/work/app',
});
const EMPTY = (path: string) => writeFileSync(path, '');

/** Its journal's kind is written before anything else. */
function begun(path: string): void {
  const db = openDatabase(path);
  db.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL');
  db.close();
}

test.each([
  ['empty', EMPTY],
  ['without a table', begun],
])('%s', async (_, make) => {
  const { run, env } = machine(rootOf({ [`${PLACE}/${SESSION}.jsonl`]: toJsonl(TALK) }));
  mkdirSync(env.SKEIN_HOME);
  const path = join(env.SKEIN_HOME, 'archive.db');
  make(path);
  const before = readFileSync(path);
  for (const args of [['list'], ['show', SESSION], ['search', 'zebra'], ['usage'], ['tree'], ['check']]) {
    const { code, err, text } = await run(...args);
    expect([args, code, err]).toEqual([args, 0, '']);
    expect(text).not.toBe('');
  }
  expect(readFileSync(path).equals(before)).toBe(true);
  expect((await run('archive', 'sync')).text).toContain('1 new');
  expect((await run('archive', 'verify')).code).toBe(0);
});

test('a file of another program is told as that', async () => {
  const { run, env } = machine(rootOf({ [`${PLACE}/${SESSION}.jsonl`]: entry('a') }));
  mkdirSync(env.SKEIN_HOME);
  const db = openDatabase(join(env.SKEIN_HOME, 'archive.db'));
  db.exec('CREATE TABLE theirs (a)');
  db.close();
  expect((await run('list')).err).toContain("not Skein's archive");
});
