/** The names in a folder and of what kind each is, without an object for each of thousands. */
import { constants, type Dirent, readdirSync } from 'node:fs';
import { type Answers, nodeFs } from './nodefs.ts';

export interface FolderNames {
  readonly names: readonly string[];
  /** `KIND` of each. */
  readonly kinds: readonly unknown[];
}

/** As the system's calls number them. */
export const KIND = { file: 1, folder: 2, link: 3, other: 4 } as const;
const UNKNOWN = 0;
const NUMBERED = {
  UV_DIRENT_UNKNOWN: UNKNOWN,
  UV_DIRENT_FILE: KIND.file,
  UV_DIRENT_DIR: KIND.folder,
  UV_DIRENT_LINK: KIND.link,
};

/** In no order. Throws where there is no folder that can be read. */
export function folderNames(folder: string): FolderNames {
  if (readsNames === undefined || readsNames === 'unlike') return checkedNames(folder);
  return quickNames(readsNames, folder) ?? namesOf(readdirSync(folder, { withFileTypes: true }));
}

let readsNames: Answers | 'unlike' | undefined;

function quickNames(read: Answers, folder: string): FolderNames | undefined {
  try {
    const found = read(folder, 'utf8', true);
    if (!Array.isArray(found)) return undefined;
    const [names, kinds]: unknown[] = found;
    if (!isTexts(names) || !Array.isArray(kinds) || kinds.length !== names.length) return undefined;
    // Some disks do not say: then each is asked for.
    return kinds.includes(UNKNOWN) ? undefined : { names, kinds };
  } catch {
    return undefined;
  }
}

function isTexts(list: unknown): list is string[] {
  return Array.isArray(list) && (list.length === 0 || typeof list[0] === 'string');
}

function namesOf(entries: readonly Dirent[]): FolderNames {
  return { names: entries.map(({ name }) => name), kinds: entries.map(kindOf) };
}

function kindOf(entry: Dirent): number {
  if (entry.isFile()) return KIND.file;
  if (entry.isDirectory()) return KIND.folder;
  return entry.isSymbolicLink() ? KIND.link : KIND.other;
}

function checkedNames(folder: string): FolderNames {
  const all = namesOf(readdirSync(folder, { withFileTypes: true }));
  if (readsNames !== 'unlike' && all.names.length > 0) {
    const found = nodeFs('readdir');
    const quick = found && quickNames(found, folder);
    readsNames = found && quick && isSame(quick, all) && areNumberedSo() ? found : 'unlike';
  }
  return all;
}

function isSame(one: FolderNames, other: FolderNames): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function areNumberedSo(): boolean {
  return Object.entries(NUMBERED).every(([name, kind]) => Reflect.get(constants, name) === kind);
}
