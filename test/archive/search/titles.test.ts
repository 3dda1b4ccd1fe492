/** What the chats of hits are called follows the sessions: as they are renamed, rewritten and go on. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deriveInTurns } from '../../../src/archive/index/derive.ts';
import { openIndex } from '../../../src/archive/index/derived.ts';
import { all } from '../../../src/archive/sqlite.ts';
import type { Archive } from '../../../src/archive/store.ts';
import { prompt, turns, uuidOf } from '../../support/teamsession.ts';
import { FORK, newArchive, PLACE, rootOf, SESSION, syncRoot } from '../helpers.ts';
import { inIndex } from './helpers.ts';

const CWD = '/work/app';
const NAME = `${PLACE}/${SESSION}.jsonl`;
const OTHER = `${PLACE}/${FORK}.jsonl`;
const THIRD = '33333333-3333-4333-8333-333333333333';

const text = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
const title = (customTitle: string, sessionId = SESSION) => ({ type: 'custom-title', customTitle, sessionId });
const forked = (lines: readonly object[]) => lines.map((line) => ({ ...line, sessionId: FORK }));

function setUp(files: Record<string, string>) {
  const root = rootOf(files);
  const archive = newArchive();
  const update = async () => {
    syncRoot(archive, root);
    await deriveInTurns(archive);
  };
  const called = (words: string) => [...inIndex(archive, root, words).chats.values()].map((chat) => chat.title);
  return { root, archive, update, called };
}

/** The table, and the same made anew. */
async function bothOf(archive: Archive): Promise<[object[], object[]]> {
  const read = () => {
    const index = openIndex(archive);
    const rows = all(index.db, 'SELECT * FROM chat ORDER BY session').map((row) => ({ ...row }));
    return { index, rows };
  };
  const { index, rows } = read();
  index.db.exec("DELETE FROM chat; DELETE FROM meta WHERE key LIKE 'chats%'");
  index.close();
  await deriveInTurns(archive);
  const anew = read();
  anew.index.close();
  return [rows, anew.rows];
}

test('a chat that was renamed, and one whose first prompt was cut out, are called as they are now', async () => {
  const { root, archive, update, called } = setUp({ [NAME]: text(turns(SESSION, CWD, 2)) });
  await update();
  expect(called('question')).toEqual(['plain question 0']);
  appendFileSync(join(root, NAME), text([title('the new name')]));
  await update();
  expect(called('question')).toEqual(['the new name']);
  writeFileSync(join(root, NAME), text(turns(SESSION, CWD, 2).slice(4)));
  await update();
  expect(called('question')).toEqual(['plain question 1']);
  const [now, anew] = await bothOf(archive);
  expect(now).toEqual(anew);
});

test('of several sessions that make one chat the one that went on names it', async () => {
  const base = turns(SESSION, CWD, 2);
  const more = (n: number, id: string) => ({ ...prompt({ id, cwd: CWD, n, text: 'go on' }), parentUuid: uuidOf(8) });
  const { root, archive, update, called } = setUp({
    [NAME]: text([...base, title('first')]),
    [OTHER]: text([...forked(base), more(20, FORK), title('second', FORK)]),
  });
  await update();
  expect(new Set(called('question'))).toEqual(new Set(['second']));
  appendFileSync(join(root, NAME), text([more(30, SESSION)]));
  await update();
  expect(new Set(called('go'))).toEqual(new Set(['first']));
  const [now, anew] = await bothOf(archive);
  expect(now).toEqual(anew);
});

test('what only grew is no reason to make all chats again', async () => {
  const { root, archive, update, called } = setUp({
    [NAME]: text(turns(SESSION, CWD, 1)),
    [OTHER]: text(turns(FORK, CWD, 1, 101)),
  });
  await update();
  const index = openIndex(archive);
  index.db.exec("UPDATE chat SET title = 'not made again'");
  index.close();
  for (const from of [5, 9]) {
    appendFileSync(join(root, NAME), text(turns(SESSION, CWD, 1, from)));
    await update();
  }
  expect(called('question')).toEqual(['not made again', 'not made again']);
  writeFileSync(join(root, PLACE, `${THIRD}.jsonl`), text(turns(THIRD, CWD, 1, 201)));
  await update();
  expect(called('question')).toEqual(Array(3).fill('plain question 0'));
});
