/** Archives one session with all that belongs to it. */

import { openArchive } from '../../archive/store.ts';
import { findSources } from '../../archive/sync/sources.ts';
import { syncInTurns } from '../../archive/sync/sync.ts';
import { findRoots } from '../../disk/roots.ts';

/** Another sync may hold the archive for longer than a hook may take; the next hook takes what this one left. */
const BUSY_MS = 2000;

/** New bytes taken, in steps between which it can be stopped: a later run goes on from there. Throws ArchiveError. */
export async function keepSession(
  folder: string,
  transcript: string,
  home: string,
  signal: AbortSignal,
): Promise<number> {
  const { roots } = findRoots({ given: [transcript], env: {}, home });
  if (roots.length === 0) return 0;
  const { files } = findSources(roots);
  const archive = openArchive(folder, { create: true });
  if (archive === undefined) return 0;
  try {
    archive.db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    const { bytes, problems, stopped } = await syncInTurns(archive, files, { signal });
    const [first] = problems;
    if (stopped) throw new Error(`there was no time for all of it; ${bytes} bytes were`);
    if (first !== undefined) throw new Error(`${first.what}: ${first.where}`);
    return bytes;
  } finally {
    archive.close();
  }
}
