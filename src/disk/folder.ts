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

/** A folder as it was found: where links lead is looked up each time, and told where they lead nowhere. */
export interface Listing {
  readonly plain: readonly Item[];
  readonly links: readonly Dirent[];
}

/** What lies in a folder: real things first, so that a link to one of them comes second; each group in the order of its names. */
export function listFolder(fs: FolderFs, folder: string, report: Report): readonly Item[] {
  const listing = fs.listed?.get(folder) ?? listingOf(fs, folder, report);
  if (listing === undefined) return [];
  if (listing.links.length === 0) return listing.plain;
  return [...listing.plain, ...listing.links.flatMap((link) => followLink(fs, folder, link, report) ?? [])];
}

function listingOf(fs: FolderFs, folder: string, report: Report): Listing | undefined {
  const real = attempt(() => fs.realPath(folder), folder, report);
  const entries = real === undefined ? undefined : attempt(() => fs.list(folder), folder, report);
  if (real === undefined || entries === undefined) return undefined;
  const [at, realAt] = [withSlash(folder), withSlash(real)];
  const plain: Item[] = [];
  const links: Dirent[] = [];
  for (const entry of inOrder(entries)) {
    if (entry.isSymbolicLink()) links.push(entry);
    else plain.push(plainItem(at, realAt, entry));
  }
  const listing = { plain, links };
  fs.listed?.set(folder, listing);
  return listing;
}

/** By name. Names alone are sorted without a call for each comparison, of which a large folder has thousands. */
function inOrder(entries: readonly Dirent[]): Dirent[] {
  const byName = new Map<string, Dirent>();
  const names: string[] = [];
  for (const entry of entries) {
    byName.set(entry.name, entry);
    names.push(entry.name);
  }
  // Names that are no text may read alike.
  if (byName.size < entries.length) return [...entries].sort((a, b) => compareText(a.name, b.name));
  const sorted: Dirent[] = [];
  for (const name of names.sort()) {
    const entry = byName.get(name);
    if (entry !== undefined) sorted.push(entry);
  }
  return sorted;
}

/** Code units, not the locale: the same order on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function statItem(fs: FolderFs, path: string, report: Report): Stats | undefined {
  try {
    return fs.stat(path);
  } catch (error) {
    const problem = problemOf(error, path);
    report(problem.code === 'ENOENT' && path.includes(UNDECODED) ? misnamed(path) : problem);
    return undefined;
  }
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
    report(problemOf(error, where));
    return undefined;
  }
}

function problemOf(error: unknown, where: string): Problem {
  if (!(error instanceof DiskError) && codeOf(error) === undefined) throw error;
  return toProblem(error, where);
}

/** Names of a listing need no more: `join` would look at every character of thousands of paths. */
export function withSlash(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

function plainItem(at: string, realAt: string, entry: Dirent): Item {
  const type = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : 'other';
  const path = at + entry.name;
  return { name: entry.name, path, real: at === realAt ? path : realAt + entry.name, type, linked: false };
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
