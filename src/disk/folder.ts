/** Listing folders without surprises: links resolved, the order fixed, troubles told as problems. */
import type { Dirent, Stats } from 'node:fs';
import { join, sep } from 'node:path';
import { codeOf, DiskError, type Problem, toProblem } from './errors.ts';
import type { FolderFs } from './io.ts';

export interface Item {
  readonly name: string;
  /** As reached, links in it. */
  readonly path: string;
  /** The same place without links. */
  readonly real: string;
  readonly type: 'file' | 'folder' | 'other';
  readonly linked: boolean;
}

/** Collects problems; the walk goes on. */
export type Report = (problem: Problem) => void;

/** What lies in a folder: real things first, so that a link to one of them comes second; each group in the order of its names. */
export function listFolder(fs: FolderFs, folder: string, report: Report): Item[] {
  const real = attempt(() => fs.realPath(folder), folder, report);
  const entries = real === undefined ? undefined : attempt(() => fs.list(folder), folder, report);
  if (real === undefined || entries === undefined) return [];
  const [at, realAt] = [withSlash(folder), withSlash(real)];
  const items: Item[] = [];
  const links: Dirent[] = [];
  for (const entry of inOrder(entries)) {
    if (entry.isSymbolicLink()) links.push(entry);
    else items.push(plainItem(at, realAt, entry));
  }
  for (const link of links) {
    const item = followLink(fs, folder, link, report);
    if (item !== undefined) items.push(item);
  }
  return items;
}

/** By name. Names alone are sorted without a call for each comparison, of which a large folder has thousands. */
function inOrder(entries: readonly Dirent[]): Dirent[] {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  // Names that are no text may read alike.
  if (byName.size < entries.length) return [...entries].sort((a, b) => compareText(a.name, b.name));
  return [...byName.keys()].sort().flatMap((name) => byName.get(name) ?? []);
}

/** Code units, not the locale: the same order on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function statItem(fs: FolderFs, path: string, report: Report): Stats | undefined {
  return attempt(
    () => fs.stat(path),
    path,
    (problem) => report(problem.code === 'ENOENT' && path.includes(UNDECODED) ? misnamed(path) : problem),
  );
}

/** What stands in a name for bytes that are no text. */
const UNDECODED = '\ufffd';

function misnamed(where: string): Problem {
  return {
    kind: 'unreadable',
    what: 'its name is not UTF-8',
    where,
    next: 'Rename it, then it is found.',
    code: 'ENOENT',
  };
}

/** The value, or a problem: a disk that fails does not end the walk. */
export function attempt<T>(call: () => T, where: string, report: Report): T | undefined {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof DiskError) && codeOf(error) === undefined) throw error;
    report(toProblem(error, where));
    return undefined;
  }
}

/** Names of a listing need no more: `join` would look at every character of thousands of paths. */
export function withSlash(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

function plainItem(at: string, realAt: string, entry: Dirent): Item {
  const type = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other';
  return { name: entry.name, path: at + entry.name, real: realAt + entry.name, type, linked: false };
}

function followLink(fs: FolderFs, folder: string, entry: Dirent, report: Report): Item | undefined {
  const path = join(folder, entry.name);
  try {
    const stat = fs.stat(path);
    const type = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other';
    return { name: entry.name, path, real: fs.realPath(path), type, linked: true };
  } catch (error) {
    const next = 'Remove the link, or bring back what it points to.';
    if (codeOf(error) === 'ENOENT')
      report({ kind: 'dangling-link', what: 'a link to nothing', where: path, next, code: 'ENOENT' });
    else report(toProblem(error, path));
    return undefined;
  }
}
