/** Listing folders without surprises: links resolved, the order fixed, troubles told as problems. */
import { join, sep } from 'node:path';
import { codeOf, DiskError, type Problem, toProblem } from './errors.ts';
import { type FileState, isFile, isFolder } from './filestate.ts';
import { type FolderNames, KIND } from './foldernames.ts';
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
  readonly links: readonly string[];
}

/** What lies in a folder: real things first, so that a link to one of them comes second; each group in the order of paths. */
export function listFolder(fs: FolderFs, folder: string, report: Report): readonly Item[] {
  const listing = listNames(fs, folder, report);
  if (listing === undefined) return [];
  const items: Item[] = [];
  const addFiles = (names: readonly string[]) => {
    for (const name of names) items.push(plainItem(listing.at, listing.realAt, name, 'file'));
  };
  eachInOrder(listing, addFiles, (item) => items.push(item));
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

function listingOf(at: string, realAt: string, { names, kinds }: FolderNames): Listing {
  const files: string[] = [];
  const others: Item[] = [];
  const links: string[] = [];
  for (let place = 0; place < names.length; place += 1) {
    const name = names[place] ?? '';
    const kind = kinds[place];
    if (kind === KIND.file) files.push(name);
    else if (kind === KIND.link) links.push(name);
    else others.push(plainItem(at, realAt, name, kind === KIND.folder ? 'folder' : 'other'));
  }
  // Names alone are sorted without a call for each comparison, of which a large folder has thousands.
  files.sort();
  others.sort((a, b) => compareText(withSlash(a.name), withSlash(b.name)));
  links.sort();
  return { at, realAt, files, others, links };
}

/** Names of files, as many as follow each other, and the other things between them, in the order of the paths there and below. */
export function eachInOrder(
  { files, others }: Pick<Listing, 'files' | 'others'>,
  onFiles: (names: readonly string[]) => void,
  onOther: (item: Item) => void,
): void {
  let from = 0;
  for (const item of others) {
    const path = withSlash(item.name);
    let to = from;
    for (let name = files[to]; name !== undefined && name < path; name = files[to]) to += 1;
    if (to > from) onFiles(files.slice(from, to));
    from = to;
    onOther(item);
  }
  if (from < files.length) onFiles(files.slice(from));
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

function followLink(fs: FolderFs, folder: string, name: string, report: Report): Item | undefined {
  const path = join(folder, name);
  try {
    const stat = fs.stat(path);
    const type = isFile(stat) ? 'file' : isFolder(stat) ? 'folder' : 'other';
    return { name, path, real: fs.realPath(path), type, linked: true };
  } catch (error) {
    const next = 'Remove the link, or bring back what it points to.';
    if (codeOf(error) === 'ENOENT')
      report({ kind: 'dangling-link', what: 'a link to nothing', where: path, next, code: 'ENOENT' });
    else report(toProblem(error, path));
    return undefined;
  }
}
