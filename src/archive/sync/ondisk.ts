/** Where the bytes of an archived file also lie on disk, just as they were taken: read there, they need no unpacking. */
import { statSync } from 'node:fs';
import type { ArchivedState } from '../files.ts';
import { scrubbedAt } from '../scrub/scrubs.ts';
import type { Database } from '../sqlite.ts';
import { archiveId } from '../store.ts';
import { pathOf } from './sources.ts';

export interface OnDisk {
  /** The path, if the file is as the archive last saw it. To be asked again after reading. */
  pathOf(state: ArchivedState): string | undefined;
}

export function createOnDisk(db: Database): OnDisk {
  const own = archiveId(db);
  return {
    pathOf(state) {
      if (state.origin !== own || scrubbedAt(db, state.version) !== undefined) return undefined;
      const path = pathOf(state);
      return isAs(path, state) ? path : undefined;
    },
  };
}

function isAs(path: string, { size, mtimeMs }: ArchivedState): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    return stat?.isFile() === true && stat.size === size && stat.mtimeMs === mtimeMs;
  } catch {
    return false;
  }
}
