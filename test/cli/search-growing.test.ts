/** While a large session grows, its outline waits: what else a sync knows is kept all the same. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { io, ioSince } from '../../src/disk/io.ts';
import { entry, FORK, PLACE, rootOf, SESSION } from '../archive/helpers.ts';
import { machine } from '../support/inprocess.ts';

test('while a large session grows, a search after a sync lists no folder of sessions', async () => {
  const [large, small] = [`${PLACE}/${SESSION}.jsonl`, `${PLACE}/${FORK}.jsonl`];
  const root = rootOf({ [large]: entry('a', SESSION, 'x'.repeat(3 << 20)), [small]: entry('b', FORK) });
  const { run } = machine(root);
  const later = Date.now() + 60_000;
  vi.spyOn(Date, 'now').mockReturnValue(later);
  await run('archive', 'sync');
  appendFileSync(join(root, small), entry('c', FORK, 'quokka'));
  await run('archive', 'sync');
  const before = { ...io };
  expect((await run('search', '--json', 'quokka')).json()).toMatchObject({ total: 1, engine: 'index' });
  // The root, to see what it is.
  expect(ioSince(before).listings).toBe(1);
});
