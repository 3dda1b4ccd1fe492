/** Brings what the archive keeps of usage up to date, in the run that first needs it: a sync then takes less time and memory. */
import { resolve } from 'node:path';
import { ArchiveError } from '../../archive/errors.ts';
import { isUsageKept } from '../../archive/index/usagekept.ts';
import { updateUsageInTurns } from '../../archive/index/usagerows.ts';
import { archiveFolder } from '../../archive/place.ts';
import { openArchive } from '../../archive/store.ts';
import type { Context } from '../context.ts';
import { notice } from '../progress.ts';

/** What cannot be kept is read from the files, as without an archive. */
export async function keepUsage(context: Context): Promise<void> {
  let clear = () => {};
  try {
    const archive = openArchive(resolve(context.cwd, archiveFolder(context)));
    if (archive === undefined) return;
    try {
      if (isUsageKept(archive)) return;
      clear = notice(context, 'reading the usage of what was archived since the last time');
      await updateUsageInTurns(archive, { signal: context.signal });
    } finally {
      archive.close();
    }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
  } finally {
    clear();
  }
}
