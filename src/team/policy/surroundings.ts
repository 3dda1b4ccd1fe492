/** What the rules ask of the machine: where links lead, and whose home is where. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, parse, resolve, sep } from 'node:path';

export interface Surroundings {
  /** Where a path leads; of one that is not there, where the part of it that is there leads. What is no path of this machine stays. */
  realPath(path: string): string;
  /** Home folders of whoever runs this, as the system knows them: a variable may name another. */
  homes(): readonly string[];
}

export const thisMachine: Surroundings = { realPath, homes };

function realPath(path: string): string {
  if (!isOfHere(path)) return path;
  try {
    return realpathSync(path);
  } catch {
    return leadsTo(path);
  }
}

/** A path of Windows is a relative one elsewhere, and would be looked for in the folder this runs in. */
function isOfHere(path: string): boolean {
  return process.platform === 'win32' ? /^(?:[A-Za-z]:[\\/]|[\\/]{2})/.test(path) : path.startsWith('/');
}

/** Links that lead to each other end somewhere. */
const MOST_LINKS = 40;

/** Name by name, as long as there is something. Sessions outlive the folder a link leads to, and a disk may not be mounted now. */
function leadsTo(path: string, links = 0): string {
  const whole = resolve(path);
  for (const folder of foldersOf(whole)) {
    const found = lookAt(folder);
    if (found === 'folder') continue;
    if (found === 'nothing' || links >= MOST_LINKS) break;
    return leadsTo(resolve(dirname(folder), found.target) + whole.slice(folder.length), links + 1);
  }
  return whole;
}

/** From the one below the root down to the path itself. */
function* foldersOf(path: string): Iterable<string> {
  let end = parse(path).root.length - 1;
  while (end < path.length) {
    const next = path.indexOf(sep, end + 1);
    end = next < 0 ? path.length : next;
    yield path.slice(0, end);
  }
}

function lookAt(path: string): 'nothing' | 'folder' | { readonly target: string } {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return 'nothing';
    return stat.isSymbolicLink() ? { target: readlinkSync(path) } : 'folder';
  } catch {
    return 'nothing';
  }
}

/** A user without an entry, as in some containers, has none. */
function homes(): string[] {
  try {
    return [userInfo().homedir].filter((home) => home !== '');
  } catch {
    return [];
  }
}
