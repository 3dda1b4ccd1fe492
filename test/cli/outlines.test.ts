import { appendFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toOutline } from '../../src/archive/index/outlinejson.ts';
import { updateOutlines } from '../../src/archive/index/outlinemaker.ts';
import { openArchive } from '../../src/archive/store.ts';
import { io, ioSince } from '../../src/disk/io.ts';
import { parseJson } from '../../src/format/json.ts';
import { readSession } from '../../src/format/session.ts';
import { outlineOf } from '../../src/graph/outline.ts';
import { archiveIn, entry, FORK, newArchive, PLACE, rootOf, SESSION, syncRoot } from '../archive/helpers.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';
import { machine } from '../support/inprocess.ts';

/** What a list read from transcripts. */
async function bytesRead(run: () => Promise<unknown>): Promise<number> {
  const before = { ...io };
  await run();
  return ioSince(before).bytesRead;
}

describe('a list of what the archive knows', () => {
  const first = entry('a', SESSION, 'one '.repeat(5000));
  const second = entry('b', FORK, 'two');
  const files = { [`${PLACE}/${SESSION}.jsonl`]: first, [`${PLACE}/${FORK}.jsonl`]: second };

  test('reads no session that is as the archive saw it, and gives the same', async () => {
    const { run } = machine(rootOf(files));
    const before = (await run('list', '--json')).text;
    expect(await bytesRead(() => run('list'))).toBe(first.length + second.length);
    await run('archive', 'sync');
    expect(await bytesRead(() => run('list'))).toBe(0);
    expect((await run('list', '--json')).text).toBe(before);
  });

  test('reads one that has grown or was touched, and only that', async () => {
    const { run, root } = machine(rootOf(files));
    await run('archive', 'sync');
    const grown = entry('c', FORK, 'three');
    appendFileSync(join(root, PLACE, `${FORK}.jsonl`), grown);
    expect(await bytesRead(() => run('list'))).toBe(second.length + grown.length);
    await run('archive', 'sync');
    expect(await bytesRead(() => run('list'))).toBe(0);
    writeFileSync(join(root, PLACE, `${FORK}.jsonl`), entry('d', FORK, 'other'));
    expect((await run('list')).text).toContain('other');
  });

  test.each(['projects/-work-app', 'projects/-work-new'])('%s: one of two with the same bytes grew', async (place) => {
    // As after a project was copied or renamed.
    const same = { [`projects/-work-app/${SESSION}.jsonl`]: first, [`projects/-work-new/${SESSION}.jsonl`]: first };
    const { run, root } = machine(rootOf(same));
    await run('archive', 'sync');
    await run('usage');
    appendFileSync(join(root, place, `${SESSION}.jsonl`), second);
    await run('archive', 'sync');
    expect(await bytesRead(() => run('list'))).toBe(0);
    await run('usage');
    expect(await bytesRead(() => run('usage'))).toBe(0);
  });

  test('reads the files themselves when the index is gone or damaged', async () => {
    const { run, env } = machine(rootOf(files));
    await run('archive', 'sync');
    writeFileSync(join(env.SKEIN_HOME, 'index.db'), 'nothing of use'.repeat(1000));
    for (const end of ['-wal', '-shm']) rmSync(join(env.SKEIN_HOME, `index.db${end}`), { force: true });
    const again = machine(join(env.CLAUDE_CONFIG_DIR));
    expect((await again.run('list')).text).toBe((await run('list')).text);
    expect((await run('list')).code).toBe(0);
  });

  test('a rebuild makes them anew', async () => {
    const { run } = machine(rootOf(files));
    await run('archive', 'sync');
    await run('archive', 'rebuild');
    expect(await bytesRead(() => run('list'))).toBe(0);
  });
});

describe('outlines in the archive', () => {
  const NAME = `${PLACE}/${SESSION}.jsonl`;

  test('made once, for copies once, and again for what changed', () => {
    const root = rootOf({ [NAME]: entry('a'), [`projects/-copy/${SESSION}.jsonl`]: entry('a') });
    const archive = newArchive();
    syncRoot(archive, root);
    expect([updateOutlines(archive), updateOutlines(archive)]).toEqual([1, 0]);
    appendFileSync(join(root, NAME), entry('b'));
    syncRoot(archive, root);
    expect(updateOutlines(archive)).toBe(1);
  });

  test('a large session that grows waits until it rests', () => {
    const big = entry('a', SESSION, 'x'.repeat(3 << 20));
    const root = rootOf({ [NAME]: big });
    const archive = newArchive();
    syncRoot(archive, root);
    const now = () => statSync(join(root, NAME)).mtimeMs + 1000;
    expect(updateOutlines(archive, { now })).toBe(1);
    appendFileSync(join(root, NAME), entry('b'));
    syncRoot(archive, root);
    expect(updateOutlines(archive, { now })).toBe(0);
    expect(updateOutlines(archive, { now: () => now() + 3_600_000 })).toBe(1);
    appendFileSync(join(root, NAME), entry('c', SESSION, 'x'.repeat(1 << 20)));
    syncRoot(archive, root);
    expect(updateOutlines(archive, { now })).toBe(1);
  });

  test('a session that is damaged is left out, the others are not', () => {
    const noise = (seed: string) =>
      Array.from({ length: 300_000 }, (_, n) => `${seed}${(n * 7919) % 100_003}`).join('');
    const root = rootOf({
      [NAME]: entry('a', SESSION, noise('a')),
      [`${PLACE}/${FORK}.jsonl`]: entry('b', FORK, noise('b')),
    });
    const archive = newArchive();
    syncRoot(archive, root);
    rmSync(root, { recursive: true });
    archive.db.exec("UPDATE pack SET data = x'00' WHERE id = (SELECT max(id) FROM pack)");
    expect(updateOutlines(archive)).toBe(1);
  });

  test('forget takes them out', async () => {
    const { run, env } = machine(rootOf({ [NAME]: entry('a', SESSION, 'forget me entirely') }));
    await run('archive', 'sync');
    await run('archive', 'forget', SESSION, '--yes');
    expect(readFileSync(join(env.SKEIN_HOME, 'index.db')).includes('forget me')).toBe(false);
    const archive = archiveIn(env.SKEIN_HOME);
    expect(updateOutlines(archive)).toBe(0);
    expect(openArchive(env.SKEIN_HOME)?.path).toBe(archive.path);
  });

  test('of every recording the same comes back as was stored', () => {
    const files = transcriptsBelow(join(FIXTURES, 'recorded'));
    expect(files.length).toBeGreaterThan(300);
    for (const file of files) {
      const outline = outlineOf(readSession(readFileSync(file)).entries);
      expect(toOutline(parseJson(JSON.stringify(outline)))).toEqual(outline);
    }
  });

  test.each(['{}', 'null', '{"lines":1,"turns":1,"titles":{},"lineage":{}}'])('%s is none', (text) => {
    expect(toOutline(parseJson(text))).toBeUndefined();
  });
});
