import { appendFileSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { allFiles } from '../../../src/archive/files.ts';
import { openIndex } from '../../../src/archive/index/derived.ts';
import { updateIndex } from '../../../src/archive/index/textindex.ts';
import { scrub } from '../../../src/archive/scrub/scrub.ts';
import { secretMasker } from '../../../src/archive/scrub/secrets.ts';
import { all, textOf } from '../../../src/archive/sqlite.ts';
import { keptIn } from '../../../src/archive/status.ts';
import { type Archive, openArchiveFile } from '../../../src/archive/store.ts';
import { mergeArchive } from '../../../src/archive/transfer/merge.ts';
import { verify } from '../../../src/archive/verify.ts';
import { tempFolder } from '../../support/files.ts';
import { skein } from '../../support/skein.ts';
import {
  archiveIn,
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
const SECRET = token('1');

describe('what is scrubbed', () => {
  test('is gone from every place; all else is as it was, byte for byte', async () => {
    const odd = `{ "a" : 1.50, "sessionId":"${SESSION}", "message":{"content":"\\u00e9 \\/ ${SECRET} \\u0041"},"x":"\\u00e9\\/" }\r\n`;
    const root = rootOf({
      [NAME]: entry('a') + entry('b', SESSION, `key ${SECRET}`) + odd + entry('c'),
      [`${PLACE}/${FORK}.jsonl`]: entry('a', FORK) + entry('b', FORK, `key ${SECRET}`) + entry('d', FORK),
      [`${PLACE}/${SESSION}/tool-results/x.txt`]: `token: ${SECRET}\nrest\n`,
      [`${PLACE}/${SESSION}/subagents/agent-a1.jsonl`]: `${entry('s')}{"torn":"${SECRET} and`,
      [`file-history/${SESSION}/f@v1`]: Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(`=${SECRET}\n`)]),
      'plans/p.md': 'nothing here',
    });
    const archive = newArchive();
    syncRoot(archive, root);
    updateIndex(archive);
    expect(isLeft(archive, SECRET)).toBe(true);

    const result = await scrubbed(archive, SESSION);
    expect(result).toMatchObject({ lines: 6, versions: 5, partial: 0, stopped: false });
    expect(isLeft(archive, SECRET)).toBe(false);
    expect(faultsOf(archive)).toEqual([]);
    expect(verify(archive).scrubbed).toBe(5);
    expect(keptIn(archive).scrubbed).toBe(5);

    const lines = currentOf(archive, NAME).toString().split('\n');
    expect(lines[0]).toBe(entry('a').trimEnd());
    expect(lines[1]).toMatch(/"key \[github-token:[0-9a-f]{4}\]"/);
    expect(lines[2]?.startsWith(`{ "a" : 1.50, "sessionId":"${SESSION}", "message":{"content":"`)).toBe(true);
    expect(lines[2]?.endsWith('},"x":"\\u00e9\\/" }\r')).toBe(true);
    expect(JSON.parse(lines[2] ?? '').message.content).toMatch(/^é \/ \[github-token:\w{4}\] A$/);
    expect(lines[3]).toBe(entry('c').trimEnd());
    // The fork's copy is the same stored line.
    expect(currentOf(archive, `${FORK}.jsonl`).toString()).toContain('[github-token:');
    expect([...currentOf(archive, 'f@v1').subarray(0, 4)]).toEqual([0, 255, 254, 61]);
    expect(currentOf(archive, 'plans/p.md').toString()).toBe('nothing here');
  });

  test('a secret known by its surroundings is masked where it stands bare, also before that', async () => {
    const password = 'tr0ub4dor-and-3-more';
    const root = rootOf({
      [NAME]: entry('a', SESSION, `say ${password} now`) + entry('b', SESSION, `password=${password}`),
    });
    const archive = newArchive();
    syncRoot(archive, root);
    await scrubbed(archive);
    expect(isLeft(archive, password)).toBe(false);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('a line over several pieces is one', async () => {
    const long = entry('long', SESSION, `${'x '.repeat((4 << 20) / 2 - 60)}${SECRET} ${'y '.repeat(3 << 20)}`);
    const root = rootOf({ [NAME]: entry('a') + long + entry('b') });
    const archive = newArchive();
    syncRoot(archive, root);
    await scrubbed(archive);
    expect(isLeft(archive, SECRET.slice(0, 20))).toBe(false);
    expect(faultsOf(archive)).toEqual([]);
    const lines = currentOf(archive, NAME).toString().split('\n');
    expect(lines).toHaveLength(4);
    expect(JSON.parse(lines[1] ?? '').message.content).toHaveLength(
      JSON.parse(long).message.content.length - SECRET.length + '[github-token:1234]'.length,
    );
  });

  test('nothing found changes nothing', async () => {
    const archive = newArchive();
    syncRoot(archive, rootOf({ [NAME]: entry('a') }));
    expect(await scrubbed(archive)).toMatchObject({ lines: 0, versions: 0, files: [] });
    expect(keptIn(archive).scrubbed).toBe(0);
  });

  test('a dry run and one that is stopped change nothing', async () => {
    const root = rootOf({ [NAME]: entry('a', SESSION, SECRET) });
    const archive = newArchive();
    syncRoot(archive, root);
    expect(await scrubbed(archive, undefined, { dryRun: true })).toMatchObject({ lines: 1, versions: 0 });
    expect(await scrubbed(archive, undefined, { signal: AbortSignal.abort() })).toMatchObject({ stopped: true });
    expect(currentOf(archive, NAME).toString()).toBe(entry('a', SESSION, SECRET));
    expect(faultsOf(archive)).toEqual([]);
  });
});

describe('the source still has it', () => {
  async function scrubbedRoot(text: string) {
    const root = rootOf({ [NAME]: text });
    const archive = newArchive();
    syncRoot(archive, root);
    await scrubbed(archive);
    return { root, archive, path: join(root, NAME) };
  }

  test('unchanged or touched, it is not taken again', async () => {
    const { root, archive, path } = await scrubbedRoot(entry('a', SESSION, SECRET));
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1 });
    expect(syncRoot(archive, root, { full: true }).outcomes).toMatchObject({ unchanged: 1 });
    utimesSync(path, 7, 7);
    expect(syncRoot(archive, root).outcomes).toMatchObject({ touched: 1 });
    expect(isLeft(archive, SECRET)).toBe(false);
  });

  test('what is appended is archived as it is, and told; the rest stays masked', async () => {
    const { root, archive, path } = await scrubbedRoot(entry('a', SESSION, SECRET) + entry('b').repeat(3000));
    const more = entry('c', SESSION, token('2'));
    appendFileSync(path, `${more}{"torn`);
    expect(syncRoot(archive, root)).toMatchObject({ outcomes: { appended: 1 }, unscrubbed: 1 });
    appendFileSync(path, `":1}\n`);
    expect(syncRoot(archive, root)).toMatchObject({ outcomes: { appended: 1 }, unscrubbed: 1 });
    expect(currentOf(archive, NAME).toString().endsWith(`${more}{"torn":1}\n`)).toBe(true);
    expect(isLeft(archive, SECRET)).toBe(false);
    expect(faultsOf(archive)).toEqual([]);
    await scrubbed(archive);
    expect(isLeft(archive, token('2'))).toBe(false);
    expect(syncRoot(archive, root).outcomes).toMatchObject({ unchanged: 1 });
    expect(statesOf(archive, NAME)).toHaveLength(1);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('rewritten and back again: what was masked stays so', async () => {
    const before = entry('a', SESSION, SECRET) + entry('b');
    const { root, archive, path } = await scrubbedRoot(before);
    writeFileSync(path, entry('other'));
    expect(syncRoot(archive, root)).toMatchObject({ outcomes: { rewritten: 1 }, unscrubbed: 1 });
    writeFileSync(path, before);
    syncRoot(archive, root);
    writeFileSync(path, entry('other'));
    syncRoot(archive, root);
    writeFileSync(path, before + entry('c'));
    syncRoot(archive, root);
    expect(isLeft(archive, SECRET)).toBe(false);
    expect(
      currentOf(archive, NAME)
        .toString()
        .endsWith(entry('b') + entry('c')),
    ).toBe(true);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('restore leaves the file that is there, unless told otherwise, and says what is scrubbed', async () => {
    const { root, archive, path } = await scrubbedRoot(entry('a', SESSION, SECRET));
    expect(restoreAll(archive, root)).toMatchObject([{ outcome: 'same', scrubbed: true }]);
    expect(readFileSync(path, 'utf8')).toContain(SECRET);
    expect(restoreAll(archive, root, { force: true })).toMatchObject([{ outcome: 'restored', scrubbed: true }]);
    expect(readFileSync(path, 'utf8')).not.toContain(SECRET);
    // The scrubbed file is now the source: another state, of which the archive has one already.
    syncRoot(archive, root);
    expect(new Set(statesOf(archive, NAME).map(String)).size).toBe(1);
    expect(faultsOf(archive)).toEqual([]);
  });

  test('another machine that has it does not bring it back; the note goes along', async () => {
    const root = rootOf({ [NAME]: entry('a', SESSION, SECRET) });
    const [one, two] = [newArchive(), newArchive()];
    syncRoot(one, root);
    mergeArchive(two, one);
    await scrubbed(two);
    expect(mergeArchive(two, one)).toMatchObject({ added: 0, known: 1 });
    expect(isLeft(two, SECRET)).toBe(false);
    const three = newArchive();
    mergeArchive(three, two);
    expect(keptIn(three).scrubbed).toBe(1);
    // The same archive on a new machine, with the same files.
    expect(syncRoot(three, root).outcomes).toMatchObject({ unchanged: 1 });
    expect(faultsOf(three)).toEqual([]);
  });
});

test('whatever is scrubbed: no secret of it is left, each line is masked or as it was, nothing is archived again', async () => {
  const ids = Array.from({ length: 4 }, (_, n) => `${n}aaaaaaa-1111-4111-8111-111111111111`);
  const text = fc.oneof(
    fc.constantFrom('plain', 'é 中 😀', '"', '\\'),
    fc.nat(5).map((n) => `k ${token(String(n))} z`),
  );
  const session = fc.array(fc.tuple(fc.constantFrom(...'abcdefgh'), text), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(session, { minLength: 4, maxLength: 4 }), fc.subarray(ids), async (contents, chosen) => {
      const texts = contents.map((lines, n) => lines.map(([uuid, words]) => entry(uuid, ids[n], words)));
      const root = rootOf(Object.fromEntries(texts.map((lines, n) => [`${PLACE}/${ids[n]}.jsonl`, lines.join('')])));
      const archive = newArchive();
      syncRoot(archive, root);
      for (const id of chosen) await scrubbed(archive, id);
      expect(faultsOf(archive)).toEqual([]);
      for (const [n, lines] of texts.entries()) {
        const now = currentOf(archive, `${ids[n]}.jsonl`).toString().split('\n').slice(0, -1);
        expect(now).toHaveLength(lines.length);
        for (const [at, line] of lines.entries()) {
          const masked = line.replace(/ghp_\w+/, () => '?').trimEnd();
          if (`${now[at]}\n` !== line) expect(now[at]?.replace(/\[github-token:\w+\]/, '?')).toBe(masked);
          if (chosen.includes(ids[n] ?? '')) expect(now[at]).not.toContain('ghp_');
        }
      }
      const report = syncRoot(archive, root);
      expect(report.outcomes).toMatchObject({ added: 0, appended: 0, rewritten: 0 });
      archive.close();
    }),
    { numRuns: 30 },
  );
});

describe('skein archive scrub', () => {
  function machine() {
    const root = rootOf({ [NAME]: entry('a', SESSION, `x ${SECRET}`), [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK) });
    const home = tempFolder();
    const env = { CLAUDE_CONFIG_DIR: root, SKEIN_HOME: join(home, 'kept') };
    return { root, archive: (...args: string[]) => skein(['archive', ...args], { env, home }) };
  }

  test('says what it would mask, never the secret; then masks; everyone says so', () => {
    const { root, archive } = machine();
    archive('sync');
    const dry = archive('scrub', '--all', '--dry-run');
    expect([dry.code, dry.text]).toEqual([0, expect.stringMatching(/1 {2}\[github-token:\w{4}\]\n1 line of 1 file/)]);
    expect(archive('restore', SESSION, '--to', tempFolder(), '--json').text).toContain('"scrubbed": false');
    const json = archive('scrub', SESSION.slice(0, 8), '--json');
    expect(json.text + dry.text).not.toContain(SECRET);
    expect(json.json()).toMatchObject({
      dryRun: false,
      versions: 1,
      lines: 1,
      files: [{ session: SESSION, lines: 1 }],
    });
    expect(archive('status').text).toContain('scrubbed  1 version');
    expect(archive('verify').text).toContain('2 versions (1 scrubbed)');
    expect(archive('sync').text).toContain('nothing new');
    appendFileSync(join(root, NAME), entry('c'));
    expect(archive('sync').text).toContain('skein archive scrub');
    const to = tempFolder();
    expect(archive('restore', SESSION, '--to', to).text).toContain('1 scrubbed');
    expect(readFileSync(join(to, NAME), 'utf8')).not.toContain(SECRET);
    expect(archive('scrub', FORK).text).toContain('no secrets found');
    expect(archive('scrub').code).toBe(2);
  });
});

test('an archive from before there was scrubbing gets the table when it is opened; one to import needs none', () => {
  const [old, own] = [newArchive(), newArchive()];
  const root = rootOf({ [NAME]: entry('a') });
  syncRoot(old, root);
  old.db.exec('DROP TABLE scrub');
  old.close();
  const other = openArchiveFile(old.path);
  onTestFinished(() => other.close());
  expect(mergeArchive(own, other)).toMatchObject({ added: 1 });
  const again = archiveIn(old.folder);
  expect(syncRoot(again, root).outcomes).toMatchObject({ unchanged: 1 });
  expect(faultsOf(again)).toEqual([]);
});

test('a sync that indexes the old lines meanwhile does not bring the words back', async () => {
  const word = 'ocelotsecretword';
  const root = rootOf({ [NAME]: entry('a') + entry('b', SESSION, `${word} ${SECRET}`) });
  const archive = newArchive();
  syncRoot(archive, root);
  updateIndex(archive);
  const other = archiveIn(archive.folder);
  const masker = secretMasker();
  let indexed = 0;
  const mask = (bytes: Buffer) => {
    // Inside the transaction: another process still sees the lines as they were.
    if (indexed === 0) indexed = updateIndex(other).lines;
    return masker.mask(bytes);
  };
  await scrub(archive, allFiles(archive.db), { look: (bytes) => masker.look(bytes), mask }, NOW);
  expect(indexed).toBe(2);
  expect(wordsIn(archive)).toEqual([]);
  updateIndex(archive);
  expect(wordsIn(archive)).toContain(word);
  expect(wordsIn(archive).filter((each) => SECRET.toLowerCase().includes(each) && each.length > 3)).toEqual([]);
});

/** Every word of the index. */
function wordsIn(archive: Archive): string[] {
  const index = openIndex(archive);
  try {
    index.db.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'words', 'row')");
    return all(index.db, 'SELECT term FROM temp.vocabulary').map((row) => textOf(row, 'term'));
  } finally {
    index.close();
  }
}
