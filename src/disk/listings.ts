/**
 * Folders that list as they did. To make, rename or remove something in a folder changes its time: where that is as it was, so is what
 * the folder lists, which then need not be read. Files that are written to do not change it: they are asked for themselves.
 */
import { statfsSync } from 'node:fs';
import type { FolderStamp } from './filestate.ts';
import { type Listing, withSlash } from './folder.ts';
import { type Listed, stampOf } from './io.ts';

/** How a folder listed, by its path below a root. */
export interface KeptListing {
  readonly path: string;
  /** undefined where it tells nothing, or the folder holds a link or anything but files and folders: it is listed each time. */
  readonly stamp: FolderStamp | undefined;
  readonly files: readonly string[];
  /** In the order of the paths below them. */
  readonly folders: readonly string[];
}

/** File systems of this machine, by the numbers Linux has for them. Others may be late with these times, or not have them. */
const TOLD = new Set([
  0xef53, // ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0x2fc12fc1, // ZFS
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
]);

export interface NotedListings extends Listed {
  kept(): KeptListing[];
}

/** What changed so lately could change once more within the same tick of the clock. */
const SETTLED_MS = 2000;

/** Notes how the folders below a root list, for whoever walks them. `now`: milliseconds. */
export function noteListings(root: string, now = Date.now): NotedListings {
  const stamps = new Map<string, FolderStamp>();
  const kept = new Map<string, KeptListing>();
  const device = isTold(root) ? stampOf(root)?.[0] : undefined;
  const below = withSlash(root);
  return {
    get(folder) {
      // Before it is listed: what comes into it meanwhile changes its time.
      const stamp = device === undefined ? undefined : stampOf(folder);
      const isSettled = stamp !== undefined && stamp[0] === device && now() - stamp[2] * 1000 > SETTLED_MS;
      if (isSettled) stamps.set(folder, stamp);
      return undefined;
    },
    set(folder, { realAt, files, others, links }) {
      if (!realAt.startsWith(below)) return;
      const isPlain = links.length === 0 && others.every(({ type }) => type === 'folder');
      const stamp = isPlain ? stamps.get(folder) : undefined;
      const folders = others.map(({ name }) => name);
      const path = realAt.slice(below.length, -1);
      kept.set(path, { path, stamp, files, folders });
    },
    kept: () => [...kept.values()],
  };
}

function isTold(root: string): boolean {
  try {
    return process.platform === 'linux' && TOLD.has(statfsSync(root).type);
  } catch {
    return false;
  }
}

/** How folders below a root list that are as they were; the others are to be read. `real`: the root without links. */
export function knownListings(root: string, real: string, kept: readonly KeptListing[]): Listed {
  const [at, realAt] = [withSlash(root), withSlash(real)];
  const known = new Map(kept.map((each) => [at + each.path, each]));
  return {
    get(folder) {
      const listing = known.get(folder);
      return listing && listsAsBefore(folder, listing) ? toListing(at, realAt, listing) : undefined;
    },
    set() {},
  };
}

/** `folder`: where it lies. */
export function listsAsBefore(folder: string, { stamp }: Pick<KeptListing, 'stamp'>): boolean {
  if (stamp === undefined) return false;
  const now = stampOf(folder);
  return now?.every((part, place) => part === stamp[place]) === true;
}

function toListing(root: string, realRoot: string, { path, files, folders }: KeptListing): Listing {
  const [at, realAt] = [`${root}${path}/`, `${realRoot}${path}/`];
  const others = folders.map((name) => ({
    name,
    path: at + name,
    real: realAt + name,
    type: 'folder' as const,
    linked: false,
  }));
  return { at, realAt, files, others, links: [] };
}
