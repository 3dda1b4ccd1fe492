/** Where the archive lies: `$SKEIN_HOME`, else the platform's folder for a program's data. */
import { statSync } from 'node:fs';
import { join } from 'node:path';

export interface PlaceQuery {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly platform?: NodeJS.Platform;
}

export function archiveFolder({ env, home, platform = process.platform }: PlaceQuery): string {
  if (env.SKEIN_HOME) return env.SKEIN_HOME;
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'skein');
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'skein');
  return join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'skein');
}

export const ARCHIVE_NAME = 'archive.db';
export const INDEX_NAME = 'index.db';

/** Whether there may be an archive in a folder. Of one that cannot be entered, whoever opens it tells what is wrong. */
export function mayHold(folder: string): boolean {
  try {
    return statSync(join(folder, ARCHIVE_NAME), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** How the names of a SQLite file and of those beside it end. */
export const BESIDE: readonly string[] = ['', '-wal', '-shm', '-journal'];

/** The files of an archive, with those SQLite lays beside them. */
export function archiveFiles(folder: string): ReadonlySet<string> {
  const names = [ARCHIVE_NAME, INDEX_NAME].flatMap((name) => BESIDE.map((end) => name + end));
  return new Set(names.map((name) => join(folder, name)));
}
