/** A sync without turns, for those who have nothing else to do meanwhile. */

import { type Archive, guarded } from '../store.ts';
import { changesIn } from './changes.ts';
import type { SourceFile } from './sources.ts';
import { reportOf, type SyncOptions, type SyncReport } from './sync.ts';
import { takeAtOnce } from './take.ts';

export function sync(archive: Archive, sources: readonly SourceFile[], options: SyncOptions = {}): SyncReport {
  return guarded('cannot archive', archive.path, () => {
    const changes = changesIn(archive.db, sources, options.full === true);
    return reportOf(sources, changes, takeAtOnce(archive, changes.files, options));
  });
}
