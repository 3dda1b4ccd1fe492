/** The whole archive as one file for another machine. */
import { chmodSync, fsyncSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { makeFolders, syncFolder } from '../disk/durable.ts';
import { closeFile, openFile } from '../disk/io.ts';
import { isRunning } from '../disk/live.ts';
import { run } from './sqlite.ts';
import { type Archive, guarded } from './store.ts';

/** A copy of one moment, compacted; a sync may go on meanwhile. What is at `to` is replaced. */
export function exportArchive({ db }: Archive, to: string): void {
  const temp = `${to}.${process.pid}.tmp`;
  guarded('cannot export', to, () => {
    makeFolders(dirname(to), true);
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
