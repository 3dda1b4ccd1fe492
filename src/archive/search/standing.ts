/** Which prompts of a file stand only in its queue (E9): that takes all of its lines, so it is asked only where one of them matches. */
import { beginsWith } from '../../disk/beginning.ts';
import { DiskError } from '../../disk/errors.ts';
import { readEntriesOf } from '../../disk/read.ts';
import { passingPrompt } from '../../format/prompt.ts';
import { createQueuedPrompts } from '../../format/queue.ts';
import { ArchiveError } from '../errors.ts';
import { type Version, versionOf } from '../files.ts';
import { archivedSource } from '../pieces/read.ts';
import { type Database, get, numberOf } from '../sqlite.ts';
import { ownRoots } from '../sync/known.ts';
import { pathOf } from '../sync/sources.ts';
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

/**
 * The archived files that only grew since: what the index knows of their queues is of before, and they tell it themselves. Of one that
 * was rewritten the state that was archived still has what waited then.
 */
export function tellingFiles(db: Database, index: Database, sizes: Compared['sizes']): number[] {
  if (sizes.size === 0) return [];
  const roots = ownRoots(db);
  return [...sizes].flatMap(([key, bytes]) => {
    const [root = '', name = ''] = key.split('\0');
    const row = get(db, 'SELECT id, current FROM file WHERE root = ? AND name = ?', roots.get(root) ?? 0, name);
    if (row === undefined || get(index, 'SELECT 1 FROM queued WHERE file = ?', numberOf(row, 'id')) === undefined)
      return [];
    const version = versionOf(db, numberOf(row, 'current'));
    return bytes >= version.size && onlyGrew(db, pathOf({ root, name }), version) ? [numberOf(row, 'id')] : [];
  });
}

/** To unpack more of a large session takes longer than the search. Where something else is written before, hardly the same ends there. */
const COMPARED_BYTES = 1 << 20;

/** Whether a transcript on disk begins as it was archived, as far as is worth looking. */
export function onlyGrew(db: Database, path: string, version: Version): boolean {
  try {
    const { size } = version;
    return beginsWith(path, {
      size,
      from: Math.max(0, size - COMPARED_BYTES),
      read: archivedSource(db, version, path).read,
    });
  } catch (error) {
    // Gone meanwhile, or damaged: the archive has what it has.
    if (!(error instanceof DiskError || error instanceof ArchiveError)) throw error;
    return false;
  }
}
