/** Instructions of folders below the work: told when a file there is read. */
import { dirname, isAbsolute, relative, sep } from 'node:path';
import type { Follow } from '../tools/tool.ts';
import { type MemoryFile, type MemoryPlace, readFolderMemory } from './memory.ts';

/** What was not told yet of what holds for a file. */
export type Nested = (path: string) => Follow[];

/** `hides`: files that may not be read are not told of either. */
export function createNested(place: MemoryPlace, hides: (path: string) => boolean): Nested {
  const folders = new Set<string>();
  const seen = new Set<string>();
  return (path) => {
    const untold = below(place, dirname(path)).filter((folder) => !folders.has(folder));
    return untold.flatMap((folder) => {
      folders.add(folder);
      const files = readFolderMemory(folder, place, seen).filter((file) => file.path !== path && !hides(file.path));
      return files.map((file) => followOf(file, place.cwd));
    });
  };
}

/** The folders between the work and this one, the nearest last; those of the work themselves are told at the start. */
function below(place: Pick<MemoryPlace, 'cwd' | 'folders'>, folder: string): string[] {
  if (![place.cwd, ...(place.folders ?? [])].some((root) => isBelow(root, folder))) return [];
  return [...below(place, dirname(folder)), folder];
}

function isBelow(root: string, folder: string): boolean {
  const path = relative(root, folder);
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

const TYPES: Readonly<Record<MemoryFile['whose'], string>> = {
  user: 'User',
  project: 'Project',
  local: 'Local',
  imported: 'Project',
};

function followOf({ path, text, whose, cut }: MemoryFile, cwd: string): Follow {
  const content = { path, type: TYPES[whose], content: text, contentDiffersFromDisk: cut };
  const attachment = { type: 'nested_memory', path, content, displayPath: relative(cwd, path) };
  const rest = cut ? '\n\n(The rest is left out: the file is too long.)' : '';
  const rendered = `<system-reminder>\nContents of ${path}:\n\n${text}${rest}\n</system-reminder>`;
  return { kind: 'attachment', attachment, rendered: [rendered] };
}
