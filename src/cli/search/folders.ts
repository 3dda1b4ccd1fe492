/** Titles, prompts in the queue and damaged lines do not say in which folder they were written: the session does. */
import { basename, dirname } from 'node:path';
import type { Hit } from '../../archive/search/hit.ts';
import { DiskError } from '../../disk/errors.ts';
import { isOnDisk } from '../../disk/mounts.ts';
import { projectOfEntries } from '../../disk/project.ts';
import { readEntriesOf } from '../../disk/read.ts';

/** Mostly the first lines tell it. */
const CHUNK_BYTES = 64 << 10;
/** A session that has not told it by then is not read further. */
const MOST_READ = 4 << 20;

/** A session that is gone is not unpacked for it. */
export function withFolders(hits: readonly Hit[]): Hit[] {
  const folders = new Map<string, string | undefined>();
  return hits.map((hit) => {
    const { file, cwd } = hit;
    if (cwd !== undefined || !isOnDisk(file)) return hit;
    if (!folders.has(file)) folders.set(file, folderOf(file));
    return { ...hit, cwd: folders.get(file) };
  });
}

function folderOf(file: string): string | undefined {
  try {
    const entries = readEntriesOf(file, { to: MOST_READ, chunkBytes: CHUNK_BYTES });
    const { path, from } = projectOfEntries(entries, basename(dirname(file)));
    return from === 'cwd' ? path : undefined;
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    return undefined;
  }
}
