/** Whether a file came with the repository: then it is the project's, whatever its name says. */
import { spawnSync } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { gitTop } from '../../disk/gittop.ts';

/** What cannot be found out is taken for a stranger's. */
export function isTracked(file: string): boolean {
  const folder = dirname(file);
  if (gitTop(folder) === undefined) return false;
  // A repository may name programs that git would run.
  const careful = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
  const asked = [...careful, 'ls-files', '--error-unmatch', '--', basename(file)];
  return spawnSync('git', asked, { cwd: folder, stdio: 'ignore', timeout: 5000 }).status !== 1;
}
