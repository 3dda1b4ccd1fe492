/** All that lies around a session and belongs to it, for moving it as a whole: agents, their records, outputs, titles (L3, L4). */
import { join, relative, sep } from 'node:path';
import type { SessionFile } from '../../disk/find.ts';
import { listFolder } from '../../disk/folder.ts';
import { folderFs } from '../../disk/io.ts';
import { isOnDisk } from '../../disk/mounts.ts';
import { parentSessionOf } from '../../disk/parent.ts';
import { folderOf } from '../../disk/sidecars.ts';
import type { Library } from '../library.ts';

export interface Belonging {
  readonly file: string;
  /** Where it lies, seen from the project folder. */
  readonly place: string;
  /** A transcript is read and changed; anything else is copied. */
  readonly transcript: boolean;
}

/** `project` is the folder the session lies in. */
export function belongingsOf({ files }: Library, session: SessionFile, project: string): Belonging[] {
  const agents = files.filter(
    (file) =>
      file.kind === 'agent' &&
      file.file.startsWith(project + sep) &&
      (file.parentSessionId ?? parentSessionOf(file.file)) === session.sessionId,
  );
  const found = new Map<string, Belonging>();
  const add = (file: string, transcript: boolean) => {
    if (!found.has(file)) found.set(file, { file, place: relative(project, file), transcript });
  };
  for (const { file, metaFile } of agents) {
    add(file, true);
    if (metaFile !== undefined) add(metaFile, false);
  }
  for (const file of filesBelow(folderOf(session))) add(file, false);
  return [...found.values()];
}

const MAX_DEPTH = 8;

/** Files of a folder and those in it; nothing where there is none. Links are not followed: they may lead anywhere. */
export function filesBelow(folder: string, depth = 0): string[] {
  const items = listFolder(folderFs, folder, () => {}).filter(({ linked }) => !linked);
  return items.flatMap(({ name, type }) => {
    const path = join(folder, name);
    if (type === 'file') return isOnDisk(path) ? [path] : [];
    return type === 'folder' && depth < MAX_DEPTH ? filesBelow(path, depth + 1) : [];
  });
}
