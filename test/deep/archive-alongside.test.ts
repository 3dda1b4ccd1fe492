/** Words and outlines made while files are taken must be those that are made of the archive afterwards. */
import { appendFileSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openIndex } from '../../src/archive/index/derived.ts';
import { updateOutlines } from '../../src/archive/index/outlinemaker.ts';
import { outlineIn } from '../../src/archive/index/outlines.ts';
import { rebuildIndex, updateIndex } from '../../src/archive/index/textindex.ts';
import { all, blobOf, type Row } from '../../src/archive/sqlite.ts';
import type { Archive } from '../../src/archive/store.ts';
import { io, ioSince } from '../../src/disk/io.ts';
import { archiveIn, entry, FORK, newArchive, PLACE, rootOf, SESSION, syncRoot } from '../archive/helpers.ts';
import { FIXTURES } from '../support/files.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const COPY = `${PLACE}/${FORK}.jsonl`;

/** Everything in the index, by lines and words and not by the order in which they came: prompts of a queue come when the rest was seen. */
function contentOf(archive: Archive): Record<string, unknown> {
  const { db, close } = openIndex(archive);
  try {
    db.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'words', 'instance')");
    const hex = (row: Row) => ({ ...row, key: blobOf(row, 'key').toString('hex') });
    const labelled = ['model', 'branch', 'tool', 'file']
      .map((name) => `(SELECT text FROM label WHERE id = part.${name}) AS ${name}`)
      .join();
    return {
      meta: all(db, "SELECT value FROM meta WHERE key = 'next'"),
      parts: all(
        db,
        `SELECT piece, place, key, said, role, copy, error, time, ${labelled} FROM part ORDER BY piece, place`,
      ).map(hex),
      // Also those without a part, of which there are none.
      words: all(
        db,
        `SELECT piece, place, offset, term FROM temp.vocabulary LEFT JOIN part ON part.id = doc
          ORDER BY piece, place, offset`,
      ),
      queued: all(
        db,
        'SELECT piece, queued.file, taken, text FROM queued LEFT JOIN part ON part.id = queued.part ORDER BY piece',
      ),
      outlines: all(db, 'SELECT digest, file, size, updated FROM outline ORDER BY file').map((row) => ({
        ...row,
        digest: blobOf(row, 'digest').toString('hex'),
        outline: JSON.stringify(outlineIn(db, blobOf(row, 'digest'))),
      })),
    };
  } finally {
    close();
  }
}

/** After it, nothing of the index is left to make; made anew, it is the same. */
function expectComplete(archive: Archive): void {
  expect(updateIndex(archive).lines).toBe(0);
  expect(updateOutlines(archive)).toBe(0);
  const made = contentOf(archive);
  rebuildIndex(archive);
  updateOutlines(archive);
  expect(contentOf(archive)).toEqual(made);
}

function said(text: string): string {
  return `${JSON.stringify({ type: 'user', uuid: text.slice(0, 8), message: { role: 'user', content: text } })}\n`;
}

describe('made on the way', () => {
  test.each(readdirSync(join(FIXTURES, 'recorded')).slice(0, 6))('recordings of %s', (version) => {
    const archive = newArchive();
    syncRoot(archive, join(FIXTURES, 'recorded', version), { derive: true });
    for (const scenario of readdirSync(join(FIXTURES, 'recorded', version)))
      syncRoot(archive, join(FIXTURES, 'recorded', version, scenario), { derive: true });
    expectComplete(archive);
  });

  test.each([
    ['lines of every kind', readFileSync(join(FIXTURES, 'probes.jsonl'), 'utf8')],
    ['damaged ones', readFileSync(join(FIXTURES, 'fuzz.jsonl'), 'utf8')],
    ['a byte order mark', `\uFEFF${said('marked')}${said('second')}`],
    ['its own id elsewhere too', `${JSON.stringify({ ...JSON.parse(entry('a')), data: { sessionId: SESSION } })}\n`],
    [
      'an id in a call',
      `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"X","input":{"session_id":"${SESSION}"}}]}}\n`,
    ],
    ['no JSON that names a session', `{"sessionId":"${SESSION}", broken\n`],
    ['blank', '\n\n  \n'],
  ])('%s', (_, text) => {
    const archive = newArchive();
    syncRoot(archive, rootOf({ [NAME]: text, [COPY]: text.replaceAll(SESSION, FORK) }), { derive: true });
    expectComplete(archive);
  });

  test('a torn end counts in the outline, its words come with its end', () => {
    const archive = newArchive();
    const root = rootOf({ [NAME]: entry('a') + entry('b').slice(0, -1) });
    syncRoot(archive, root, { derive: true });
    expect(contentOf(archive).parts).toHaveLength(1);
    expect(updateOutlines(archive)).toBe(0);
    appendFileSync(join(root, NAME), '\n');
    syncRoot(archive, root, { derive: true });
    expect(contentOf(archive).parts).toHaveLength(2);
    updateOutlines(archive);
    expectComplete(archive);
  });

  test('L1: a line longer than a piece: its words too, the outline afterwards', () => {
    const archive = newArchive();
    syncRoot(archive, rootOf({ [NAME]: said(`${'x'.repeat(9 << 20)} end`) + said('short') }), { derive: true });
    expect(updateIndex(archive).lines).toBe(0);
    expect(contentOf(archive).parts).toHaveLength(2);
    expect(updateOutlines(archive)).toBe(1);
    expectComplete(archive);
  });

  test('L1: one that goes on over several steps of a transaction: its words too', () => {
    const archive = newArchive();
    syncRoot(archive, rootOf({ [NAME]: said('x'.repeat(17 << 20)) + said('short') }), { derive: true });
    expect(updateIndex(archive).lines).toBe(0);
    expect(updateOutlines(archive)).toBe(1);
    expectComplete(archive);
  });

  test('L1: one that goes on over several transactions is left to what comes after', () => {
    const archive = newArchive();
    syncRoot(archive, rootOf({ [NAME]: said('x'.repeat(48 << 20)) + said('short') }), { derive: true });
    expect(updateIndex(archive).lines).toBe(2);
    expect(updateOutlines(archive)).toBe(1);
    expectComplete(archive);
  });

  test('each byte is read once', () => {
    const text = readFileSync(join(FIXTURES, 'probes.jsonl'), 'utf8');
    const archive = newArchive();
    const root = rootOf({ [NAME]: text });
    const before = { ...io };
    syncRoot(archive, root, { derive: true });
    updateIndex(archive);
    updateOutlines(archive);
    expect(ioSince(before).bytesRead).toBe(Buffer.byteLength(text));
  });

  test('whatever is added in whatever order', () => {
    const line = fc.constantFrom(...'abcdefgh').map((uuid) => entry(uuid));
    const change = fc.record({
      name: fc.constantFrom(NAME, COPY),
      text: fc.array(line).map((lines) => lines.join('')),
    });
    fc.assert(
      fc.property(fc.array(fc.record({ change, derive: fc.boolean() }), { maxLength: 5 }), (changes) => {
        const archive = newArchive();
        const root = rootOf({ [NAME]: '', [COPY]: '' });
        for (const {
          change: { name, text },
          derive,
        } of changes) {
          appendFileSync(join(root, name), text);
          syncRoot(archive, root, { derive });
        }
        updateIndex(archive);
        updateOutlines(archive);
        expectComplete(archive);
        archive.close();
      }),
      { numRuns: 15 },
    );
  });
});

describe('where the index does not follow', () => {
  test('it is behind: what it lacks is made afterwards, all of it', () => {
    const archive = newArchive();
    const root = rootOf({ [NAME]: entry('a') });
    syncRoot(archive, root);
    appendFileSync(join(root, NAME), entry('b'));
    syncRoot(archive, root, { derive: true });
    expect(updateIndex(archive).lines).toBe(2);
    updateOutlines(archive);
    expectComplete(archive);
  });

  test('another process writes it: it is not waited for', () => {
    const archive = newArchive();
    const { db, close } = openIndex(archive);
    db.exec('BEGIN IMMEDIATE');
    expect(syncRoot(archive, rootOf({ [NAME]: entry('a') }), { derive: true }).outcomes.added).toBe(1);
    db.exec('COMMIT');
    close();
    expect(updateIndex(archive).lines).toBe(1);
  });

  test('it cannot be written: the archive is', () => {
    const archive = newArchive();
    const { db, close } = openIndex(archive);
    db.exec('DROP TABLE part');
    close();
    const root = rootOf({ [NAME]: entry('a') });
    expect(syncRoot(archive, root, { derive: true }).outcomes.added).toBe(1);
    rmSync(root, { recursive: true });
    const again = archiveIn(archive.folder);
    expect(rebuildIndex(again).lines).toBe(1);
  });
});
