/**
 * Asking for many files of a folder from inside it: of each only its name is looked up, instead of every folder that leads there, which
 * takes as long as the rest. Where a process stands is the same for all that runs in it: only for one in which nothing else does.
 */

/** Fewer are not worth the way there and back. */
export const MANY = 8;

/** `ask` is given what the paths of the folder's files begin with from there: nothing; where there is no way in, the folder, which ends with a slash. */
export function inside<T>(folder: string, ask: (prefix: string) => T): T {
  const before = goTo(folder);
  try {
    return ask(before === undefined ? folder : '');
  } finally {
    // Whoever started in a folder that is gone cannot stand there any more.
    if (before !== undefined) goTo(before);
  }
}

/** Where it stood before; undefined where there is no way. */
function goTo(folder: string): string | undefined {
  try {
    const before = process.cwd();
    process.chdir(folder);
    return before;
  } catch {
    return undefined;
  }
}
