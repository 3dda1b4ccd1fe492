/** Which prompts of a file stand only in its queue (E9): that takes all of its lines, so it is asked only where one of them matches. */
import { readEntriesOf } from '../../disk/read.ts';
import { passingPrompt } from '../../format/prompt.ts';
import { createQueuedPrompts } from '../../format/queue.ts';
import { type Database, get, numberOf } from '../sqlite.ts';
import { ownRoots } from '../sync/known.ts';
import type { Compared } from './fresh.ts';

/** By the byte at which the line begins that enqueues it. Throws DiskError. */
export function standingPrompts(file: string): (start: number) => boolean {
  let starts: ReadonlySet<number> | undefined;
  return (start) => {
    starts ??= startsIn(file);
    return starts.has(start);
  };
}

function startsIn(file: string): Set<number> {
  const queue = createQueuedPrompts(passingPrompt);
  for (const entry of readEntriesOf(file)) queue.add(entry);
  return new Set([...queue.result().values()].map(({ line }) => line.start));
}

/** The archived files among those that are read anew (fresh.ts): what the index knows of their queues is of before. */
export function tellingFiles(db: Database, sizes: Compared['sizes']): number[] {
  if (sizes.size === 0) return [];
  const roots = ownRoots(db);
  return [...sizes.keys()].flatMap((key) => {
    const [root = '', name = ''] = key.split('\0');
    const row = get(db, 'SELECT id FROM file WHERE root = ? AND name = ?', roots.get(root) ?? 0, name);
    return row === undefined ? [] : [numberOf(row, 'id')];
  });
}
