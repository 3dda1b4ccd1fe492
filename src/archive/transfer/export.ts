/** The whole archive as one file for another machine. */
import { chmodSync, fsyncSync, readdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolders, syncFolder } from '../../disk/durable.ts';
import { closeFile, identityAt, openFile } from '../../disk/io.ts';
import { isRunning } from '../../disk/live.ts';
import { ArchiveError } from '../errors.ts';
import { ARCHIVE_NAME, archiveFiles, BESIDE, INDEX_NAME } from '../place.ts';
import { run } from '../sqlite.ts';
import { type Archive, guarded } from '../store.ts';

/** A copy of one moment, compacted; a sync may go on meanwhile. What is at `to` is replaced. */
export function exportArchive({ db, folder }: Archive, to: string): void {
  const temp = `${to}.${process.pid}.tmp`;
  guarded('cannot export', to, () => {
    makeFolders(dirname(to), true);
    refuseOwn(folder, to);
    removeLeftovers(to);
    // Made before SQLite fills it, so that nobody else can ever read it.
    closeFile(openFile(temp, 'wx', 0o600));
    try {
      run(db, 'VACUUM INTO ?', temp);
      chmodSync(temp, 0o600);
      const fd = openFile(temp, 'r+');
      fsyncSync(fd);
      closeFile(fd);
      renameSync(temp, to);
    } catch (error) {
      rmSync(temp, { force: true });
      throw error;
    }
    syncFolder(dirname(to));
  });
}

/** Under the archive's own names, or one that leads to them, the export would take the place of what it was made of. */
function refuseOwn(folder: string, to: string): void {
  const main = [ARCHIVE_NAME, INDEX_NAME].map((name) => realOf(join(folder, name)));
  const own = [...archiveFiles(folder), ...main.flatMap((path) => BESIDE.map((end) => path + end))];
  const [real, there] = [realOf(to), identityAt(to)];
  const isOwn = (path: string) => {
    if (realOf(path) === real) return true;
    const file = there && identityAt(path);
    return file !== undefined && file.dev === there?.dev && file.ino === there.ino;
  };
  if (!own.some(isOwn)) return;
  throw new ArchiveError({
    what: 'cannot export: this is a file of the archive itself',
    where: to,
    next: 'It was not touched. Choose another name.',
  });
}

/** Without links, also where nothing is yet. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realOf(folder), basename(path));
  }
}

/** What an export that was killed has left behind. */
function removeLeftovers(to: string): void {
  const folder = dirname(to);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(`${basename(to)}.`)) continue;
    const pid = /^(\d+)\.tmp$/.exec(name.slice(basename(to).length + 1))?.[1];
    if (pid !== undefined && (Number(pid) === process.pid || !isRunning(Number(pid))))
      rmSync(join(folder, name), { force: true });
  }
}
