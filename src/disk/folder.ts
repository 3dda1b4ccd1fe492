/** Listing folders without surprises: links resolved, the order fixed, troubles told as problems. */
import type { Dirent } from 'node:fs';
import { join, sep } from 'node:path';
import { codeOf, DiskError, type Problem, toProblem } from './errors.ts';
import { type FileState, isFile, isFolder } from './filestate.ts';
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

/** A folder as it was found. Where links lead is looked up each time, and told where they lead nowhere. */
export interface Listing {
  /** The folder as it was reached, with a slash, and the same place without links. */
  readonly at: string;
  readonly realAt: string;
  /** Names of files, in their order. */
  readonly files: readonly string[];
  /** Folders, and what is neither, in the order of the paths below them. */
  readonly others: readonly Item[];
  readonly links: readonly Dirent[];
}

/** What lies in a folder: real things first, so that a link to one of them comes second; each group in the order of paths. */
export function listFolder(fs: FolderFs, folder: string, report: Report): readonly Item[] {
  const listing = listNames(fs, folder, report);
  if (listing === undefined) return [];
  const items: Item[] = [];
  const add = (item: Item) => items.push(item);
  eachInOrder(listing, (name) => add(plainItem(listing.at, listing.realAt, name, 'file')), add);
  return listing.links.length === 0 ? items : [...items, ...followLinks(fs, listing, report)];
}

/** The same without a thing for each of thousands of files. `real`: the folder without links, where that is known. */
export function listNames(fs: FolderFs, folder: string, report: Report, real?: string): Listing | undefined {
  const listed = fs.listed?.get(folder);
  if (listed !== undefined) return listed;
  const place = real ?? attempt(() => fs.realPath(folder), folder, report);
  const entries = place === undefined ? undefined : attempt(() => fs.list(folder), folder, report);
  if (place === undefined || entries === undefined) return undefined;
  const listing = listingOf(withSlash(folder), withSlash(place), entries);
  fs.listed?.set(folder, listing);
  return listing;
}

function listingOf(at: string, realAt: string, entries: readonly Dirent[]): Listing {
  const files: string[] = [];
  const others: Item[] = [];
  const links: Dirent[] = [];
  for (const entry of entries) {
    if (entry.isFile()) files.push(entry.name);
    else if (entry.isSymbolicLink()) links.push(entry);
    else others.push(plainItem(at, realAt, entry.name, entry.isDirectory() ? 'folder' : 'other'));
  }
  // Names alone are sorted without a call for each comparison, of which a large folder has thousands.
  files.sort();
  others.sort((a, b) => compareText(withSlash(a.name), withSlash(b.name)));
  links.sort((a, b) => compareText(a.name, b.name));
  return { at, realAt, files, others, links };
}

/** Names of files, and the other things between them, in the order of the paths there and below. */
export function eachInOrder(
  { files, others }: Listing,
  onFile: (name: string) => void,
  onOther: (item: Item) => void,
): void {
  let next = 0;
  for (const item of others) {
    const path = withSlash(item.name);
    for (let name = files[next]; name !== undefined && name < path; name = files[next]) {
      onFile(name);
      next += 1;
    }
    onOther(item);
  }
  for (let name = files[next]; name !== undefined; name = files[next]) {
    onFile(name);
    next += 1;
  }
}

/** Code units, not the locale: the same order on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function statItem(fs: FolderFs, path: string, report: Report): FileState | undefined {
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

function plainItem(at: string, realAt: string, name: string, type: Item['type']): Item {
  const path = at + name;
  return { name, path, real: at === realAt ? path : realAt + name, type, linked: false };
}

/** Where they lead, as far as they do. */
export function followLinks(fs: FolderFs, { at, links }: Listing, report: Report): Item[] {
  return links.flatMap((link) => followLink(fs, at, link, report) ?? []);
}

function followLink(fs: FolderFs, folder: string, entry: Dirent, report: Report): Item | undefined {
  const path = join(folder, entry.name);
  try {
    const stat = fs.stat(path);
    const type = isFile(stat) ? 'file' : isFolder(stat) ? 'folder' : 'other';
    return { name: entry.name, path, real: fs.realPath(path), type, linked: true };
  } catch (error) {
    const next = 'Remove the link, or bring back what it points to.';
    if (codeOf(error) === 'ENOENT')
      report({ kind: 'dangling-link', what: 'a link to nothing', where: path, next, code: 'ENOENT' });
    else report(toProblem(error, path));
    return undefined;
  }
}
