/** The branch that is checked out, from git's own files: starting a process for it would take longer than all else. */
import { readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';

/** What the client writes where there is no branch: no repository, or a commit checked out by itself. */
const NONE = 'HEAD';

export function gitBranchOf(cwd: string): string {
  const folder = gitFolder(cwd);
  const head = folder === undefined ? undefined : textOf(join(folder, 'HEAD'));
  return /^ref: refs\/heads\/(.+)$/m.exec(head ?? '')?.[1]?.trim() ?? NONE;
}

function gitFolder(cwd: string): string | undefined {
  for (let at = cwd; ; at = dirname(at)) {
    const git = join(at, '.git');
    const stat = statOf(git);
    if (stat?.isDirectory()) return git;
    // A worktree or a submodule says where its own lies.
    const other = stat?.isFile() ? /^gitdir: (.+)$/m.exec(textOf(git) ?? '')?.[1]?.trim() : undefined;
    if (other !== undefined) return isAbsolute(other) ? other : join(at, other);
    if (at === dirname(at)) return undefined;
  }
}

/** A pipe would be waited for. */
function textOf(file: string): string | undefined {
  try {
    return statOf(file)?.isFile() ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** undefined also where it may not be looked at, or links lead in a circle. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
