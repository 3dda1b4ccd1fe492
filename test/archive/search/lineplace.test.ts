import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openIndex } from '../../../src/archive/index/derived.ts';
import { rebuildIndex } from '../../../src/archive/index/textindex.ts';
import { all, run } from '../../../src/archive/sqlite.ts';
import { io, ioSince } from '../../../src/disk/io.ts';
import { entry, newArchive, PLACE, rootOf, SESSION, syncRoot } from '../helpers.ts';
import { inIndex } from './helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const uuid = (n: number) => `aaaaaaaa-aaaa-4aaa-8aaa-${String(n).padStart(12, '0')}`;

/** Half a megabyte, with a needle near its end. */
function longSession() {
  const lines = Array.from({ length: 250 }, (_, n) => entry(uuid(n), SESSION, `filler ${'x'.repeat(2000)}`));
  lines.splice(240, 0, entry(uuid(999), SESSION, 'the needle is here'));
  const root = rootOf({ [NAME]: lines.join('') });
  const archive = newArchive();
  syncRoot(archive, root, { derive: true });
  return { archive, root };
}

function readFor(call: () => string | undefined) {
  const before = { ...io };
  const found = call();
  return { found, bytes: ioSince(before).bytesRead };
}

describe('where the line of a hit begins', () => {
  test.each(['with the sync', 'afterwards'])('is known to an index made %s: only that line is read', (when) => {
    const { archive, root } = longSession();
    if (when === 'afterwards') rebuildIndex(archive);
    const { found, bytes } = readFor(() => inIndex(archive, root, 'needle').hits[0]?.snippet);
    expect(found).toBe('the needle is here');
    expect(bytes).toBeLessThan(32 << 10);
  });

  test('is not believed: where another line begins there, it is found by its uuid', () => {
    const { archive, root } = longSession();
    const index = openIndex(archive);
    const places = all(index.db, 'SELECT start FROM part').map(({ start }) => start);
    for (const start of [places[3] ?? 0, 7, 1e9, null]) {
      run(index.db, 'UPDATE part SET start = ?', start);
      const { found, bytes } = readFor(() => inIndex(archive, root, 'needle').hits[0]?.snippet);
      expect(found).toBe('the needle is here');
      expect(bytes).toBeGreaterThan(400_000);
    }
    index.close();
  });

  test('is of no use when the file is gone: the archive has it', () => {
    const { archive, root } = longSession();
    rmSync(join(root, NAME));
    expect(inIndex(archive, root, 'needle').hits[0]?.snippet).toBe('the needle is here');
  });
});
