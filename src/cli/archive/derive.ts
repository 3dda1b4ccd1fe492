/** The step at the end of whatever adds to the archive: what is made of it is brought up to date. */

import { ArchiveError } from '../../archive/errors.ts';
import { emptyIndex, isDerived, isUnusable, setDerived } from '../../archive/index/derived.ts';
import { type Archive, changesOf } from '../../archive/store.ts';
import type { Problem } from '../../disk/errors.ts';
import type { Context } from '../context.ts';

/** What was archived is safe whatever becomes of the index, so its troubles are only told. */
export async function updateDerived(context: Context, archive: Archive): Promise<Problem[]> {
  try {
    const changes = changesOf(archive.db);
    if (isUpToDate(archive, changes)) return [];
    const { later } = await derived(context, archive);
    // Of the changes seen before: another process may have added something meanwhile.
    if (!context.signal.aborted) setDerived(archive, later ? undefined : changes);
    return [];
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return [{ kind: 'unreadable', what: error.message, where: error.where, next: error.next }];
  }
}

function isUpToDate(archive: Archive, changes: number): boolean {
  try {
    return isDerived(archive, changes);
  } catch (error) {
    if (!isUnusable(error)) throw error;
    emptyIndex(archive);
    return false;
  }
}

/** An index that turns out to be damaged is made anew. */
async function derived(context: Context, archive: Archive): Promise<{ readonly later: boolean }> {
  const { deriveWithProgress } = await import('./rebuild.ts');
  try {
    return await deriveWithProgress(context, archive);
  } catch (error) {
    if (!isUnusable(error)) throw error;
    emptyIndex(archive);
    return deriveWithProgress(context, archive);
  }
}
