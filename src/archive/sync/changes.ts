/** Which sources must be looked at: decided by one walk over the disk and one over the tables, no file is opened. */

import { forgottenNames } from '../forget/tombstones.ts';
import type { Database } from '../sqlite.ts';
import { archiveId } from '../store.ts';
import { knownSources } from './known.ts';
import type { SourceFile } from './sources.ts';

export interface Changes {
  /** New or changed, as far as size and mtime tell. */
  readonly files: readonly SourceFile[];
  readonly unchanged: number;
  /** Left out, because a person had them forgotten. */
  readonly forgotten: number;
}

export function changesIn(db: Database, sources: readonly SourceFile[], full: boolean): Changes {
  const known = knownSources(db);
  const left = full ? sources : sources.filter((file) => !known.isArchived(file));
  const isForgotten = forgottenHere(db);
  const files = left.filter((file) => !isForgotten(file));
  return { files, unchanged: sources.length - left.length, forgotten: left.length - files.length };
}

/** Of the files of this machine. */
export function forgottenHere(db: Database): (file: SourceFile) => boolean {
  const isForgotten = forgottenNames(db);
  const origin = archiveId(db);
  return ({ root, name, session }) => isForgotten({ origin, root, name, session });
}
