/** What killed processes left beside files that they were writing. */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isTemporary, writerOf } from './durable.ts';
import { isRunning } from './live.ts';

/** Removes it, file by file. Each folder is listed once. */
export function clearing(): (path: string) => void {
  const folders = new Map<string, readonly string[]>();
  return (path) => {
    const folder = dirname(path);
    const names = folders.get(folder) ?? listed(folder).filter(isTemporary);
    folders.set(folder, names);
    for (const name of names) {
      const pid = writerOf(path, name);
      if (pid !== undefined && !isRunning(pid)) rmSync(join(folder, name), { force: true });
    }
  };
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not there yet, or not to be looked into: writing will tell.
    return [];
  }
}
