/** Where a repository begins. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder a repository is checked out in; `.git` is a file in worktrees and submodules. */
export function gitTop(cwd: string): string | undefined {
  for (let top = cwd; ; top = dirname(top)) {
    if (existsSync(join(top, '.git'))) return top;
    if (dirname(top) === top) return undefined;
  }
}
