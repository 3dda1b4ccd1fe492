/** What CLAUDE.md and AGENTS.md say: the user's own first, then from the root of the tree down, the nearest last. */
import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { gitTop } from '../../disk/gittop.ts';
import { importsOf } from './imports.ts';

export interface MemoryPlace {
  readonly cwd: string;
  readonly home: string;
  /** The client's folder: its CLAUDE.md is the user's own. */
  readonly config: string;
  /** Folders added to the work are looked at themselves, not what is above them. */
  readonly folders?: readonly string[];
  /** Whose files are read; everybody's without it. */
  readonly sources?: readonly string[];
}

export interface MemoryFile {
  readonly path: string;
  readonly text: string;
  /** What it is to the work. */
  readonly whose: 'user' | 'project' | 'local' | 'imported';
  readonly cut: boolean;
}

const MAX_DEPTH = 5;
/** Of one file and of all; about 10,000 and 40,000 tokens. */
const FILE_BYTES = 40_000;
const ALL_BYTES = 160_000;

export function readMemory(place: MemoryPlace): MemoryFile[] {
  const { files, take, takeFolder } = createReader(place);
  take(join(place.config, 'CLAUDE.md'), 'user', 0);
  for (const folder of [...(place.folders ?? []), ...foldersDownTo(place.cwd)]) takeFolder(folder);
  return files;
}

/** Of one folder, and what its files bring in. `seen`: files that were read before; it is added to. */
export function readFolderMemory(folder: string, place: MemoryPlace, seen: Set<string>): MemoryFile[] {
  const { files, takeFolder } = createReader(place, seen);
  takeFolder(folder);
  return files;
}

/** A file is taken once, so that circles end. */
function createReader(place: MemoryPlace, seen = new Set<string>()) {
  const files: MemoryFile[] = [];
  let left = ALL_BYTES;
  /** `within`: a project's files bring in what lies there; the user's own may name any file. */
  const take = (path: string, whose: MemoryFile['whose'], depth: number, within?: readonly string[]) => {
    if (depth === 0 && place.sources?.includes(whose) === false) return;
    const real = realFile(path);
    if (real === undefined || seen.has(real) || depth > MAX_DEPTH) return;
    if (within !== undefined && !within.some((folder) => real.startsWith(folder))) return;
    seen.add(real);
    const { text, cut } = readStart(real, Math.min(FILE_BYTES, left));
    left -= Buffer.byteLength(text);
    // What a file imports stands before it: its own words have the last say.
    for (const each of importsOf(text)) take(resolveImport(each, real, place.home), 'imported', depth + 1, within);
    if (text.trim() !== '') files.push({ path, text: text.trim(), whose, cut });
  };
  const top = gitTop(place.cwd);
  const takeFolder = (folder: string) => {
    const within = [folder, place.config, ...(top === undefined ? [] : [top])].flatMap(withEnd);
    take(join(folder, 'AGENTS.md'), 'project', 0, within);
    take(join(folder, 'CLAUDE.md'), 'project', 0, within);
    take(join(folder, '.claude', 'CLAUDE.md'), 'project', 0, within);
    take(join(folder, 'CLAUDE.local.md'), 'local', 0);
  };
  return { files, take, takeFolder };
}

function withEnd(folder: string): string[] {
  try {
    const real = realpathSync(folder);
    return [real.endsWith(sep) ? real : real + sep];
  } catch {
    return [];
  }
}

const WHOSE: Readonly<Record<MemoryFile['whose'], string>> = {
  user: "the user's own instructions for all projects",
  project: 'instructions of the project',
  local: "the user's own instructions for this project",
  imported: 'imported by one of these files',
};

export function memoryText(files: readonly MemoryFile[]): string {
  if (files.length === 0) return '';
  const parts = files.map(
    ({ path, text, whose, cut }) =>
      `## ${path} (${WHOSE[whose]})\n\n${text}${cut ? '\n\n(The rest is left out: the file is too long. Read it where it matters.)' : ''}`,
  );
  return `# Instructions from files\nThe user and the project ask for the following. It goes before your general instructions; where two of them disagree the later one counts.\n\n${parts.join('\n\n')}`;
}

/** The file system's root first. */
function foldersDownTo(cwd: string): string[] {
  const parent = dirname(cwd);
  return parent === cwd ? [cwd] : [...foldersDownTo(parent), cwd];
}

function resolveImport(path: string, from: string, home: string): string {
  return path.startsWith('~/') ? join(home, path.slice(2)) : resolve(dirname(from), path);
}

function realFile(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Text only: a file with NUL bytes is none. */
function readStart(path: string, most: number): { text: string; cut: boolean } {
  try {
    const bytes = Buffer.alloc(most + 1);
    const fd = openSync(path, 'r');
    try {
      const length = readSync(fd, bytes, 0, bytes.length, 0);
      const taken = bytes.subarray(0, Math.min(length, most));
      if (taken.includes(0)) return { text: '', cut: false };
      // A character that the cut went through is left out.
      return { text: new TextDecoder().decode(taken, { stream: true }), cut: length > most };
    } finally {
      closeSync(fd);
    }
  } catch {
    return { text: '', cut: false };
  }
}
