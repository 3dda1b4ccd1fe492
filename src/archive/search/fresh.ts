/** Transcripts on disk beside what the archive knows of them. */
import type { Problem } from '../../disk/errors.ts';
import { PARTS_OF_MS } from '../../disk/filestate.ts';
import { findSessions, type SessionFile } from '../../disk/find.ts';
import { withSlash } from '../../disk/folder.ts';
import { type FolderFs, folderFs, loneFolderFs, realPathOr } from '../../disk/io.ts';
import { knownListings } from '../../disk/listings.ts';
import type { Root } from '../../disk/roots.ts';
import { lazy } from '../../format/lazy.ts';
import type { Database } from '../sqlite.ts';
import { ownRoots } from '../sync/known.ts';
import { placesOf } from '../sync/sources.ts';
import {
  archivedStates,
  changedSince,
  hasName,
  isWalkOfNow,
  type LastWalk,
  lastWalkOf,
  listingsOf,
  type State,
  stateOf,
  statesOf,
} from './lastwalk.ts';

export interface Compared {
  /** How many there are on disk. */
  readonly count: number;
  readonly problems: readonly Problem[];
  /** Not archived as they are now: they are read beside the index, so that nothing is missed. */
  readonly fresh: readonly SessionFile[];
  /** How many bytes the fresh ones have now, by root and name. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The path of a file that is archived as it is now; undefined for others. */
  pathOf(place: Place): string | undefined;
}

interface Place {
  readonly root: string;
  readonly name: string;
}

export interface CompareOptions {
  /** Of this archive, where it is open. */
  readonly index?: Database;
  /** What was archived after the index was made is not known. */
  readonly indexed?: boolean;
  /** Nothing else runs in this process. */
  readonly alone?: boolean;
}

/** Thousands of files are mostly as they were: they are looked at, and nothing is made of them. */
export function compareWithDisk(
  db: Database,
  roots: readonly Root[],
  { index, indexed = false, alone = false }: CompareOptions = {},
): Compared {
  const fs = alone ? loneFolderFs : folderFs;
  // What an index tells is of its own moment; what is archived is of now.
  const known = knownRoots(db, index && (indexed || isWalkOfNow(index, db)) ? index : undefined);
  const last = lastOf(known, roots);
  const changed = last && changedSince(last.walk, withSlash(last.path), fs);
  if (last !== undefined && changed?.size === 0) return nothingNew(last);
  return walkAgain(roots, { fs, known, last, changed, indexed });
}

/** The last walk over a root that is looked at now. */
interface Last {
  readonly walk: LastWalk;
  readonly path: string;
  /** The same place without links. */
  readonly real: string;
}

function lastOf(known: KnownRoots, roots: readonly Root[]): Last | undefined {
  const [root] = roots;
  if (root?.kind !== 'config' || roots.length > 1) return undefined;
  const real = realPathOr(root.path);
  const walk = known(real)?.walk;
  return walk && { walk, path: root.path, real };
}

function nothingNew({ walk, path, real }: Last): Compared {
  return {
    count: walk.states.length / 3,
    problems: [],
    fresh: [],
    sizes: new Map(),
    pathOf({ root, name }) {
      const [folder, own] = parted(name);
      const walked = root === real ? walk.folders.find((each) => each.path === folder) : undefined;
      return walked && hasName(walked, own) ? withSlash(path) + name : undefined;
    },
  };
}

interface Walking {
  readonly fs: FolderFs;
  readonly known: KnownRoots;
  readonly last: Last | undefined;
  /** The transcripts that are not as they were, where nothing came or went. */
  readonly changed: ReturnType<typeof changedSince>;
  readonly indexed: boolean;
}

function walkAgain(roots: readonly Root[], { fs, known, last, changed, indexed }: Walking): Compared {
  /** Where those lie that are archived as they are. */
  const upToDate = new Map<string, string>();
  // A root that cannot be resolved has no known file: its files are read.
  const place = placesOf(roots, () => {});

  /** Not known, or other than it was. */
  function unknownIn(folder: string, names: readonly string[]): readonly string[] {
    // Any name will do: what is before it is the same for all.
    const { root, name } = place(`${folder}x`);
    const prefix = name.slice(0, -1);
    const states = known(root)?.statesIn(prefix, indexed);
    if (states === undefined) return names;
    const isKnown = (path: string, own: string) => {
      const walked = states.walked(own);
      if (walked && (changed ? changed.get(folder)?.has(own) !== true : isLike(fs, path, walked))) return true;
      const archived = states.archived(own);
      return archived !== undefined && isLike(fs, path, archived);
    };
    const ask = (at: string) => names.filter((own) => !isKnown(at + own, own));
    // Where nothing came or went all of them were asked for already.
    const unknown = changed ? ask(folder) : fs.among(folder, names.length, ask);
    const isUnknown = new Set(unknown);
    for (const own of names) if (!isUnknown.has(own)) upToDate.set(placeKey(root, prefix + own), folder + own);
    return unknown;
  }

  const listed = last && knownListings(last.path, last.real, listingsOf(last.walk));
  const { files: fresh, problems } = findSessions(roots, { fs: { ...fs, listed }, unknownIn });
  const sizes = new Map<string, number>();
  for (const { file, bytes } of fresh) {
    const { root, name } = place(file);
    sizes.set(placeKey(root, name), bytes);
  }
  return {
    count: upToDate.size + fresh.length,
    problems,
    fresh,
    sizes,
    pathOf: ({ root, name }) => upToDate.get(placeKey(root, name)),
  };
}

function isLike(fs: FolderFs, path: string, [size, time]: State): boolean {
  try {
    const now = fs.stat(path);
    return now.size === size && Math.trunc(now.mtimeMs * PARTS_OF_MS) === time;
  } catch {
    // What is wrong with it is told of where it is read.
    return false;
  }
}

/** By the paths of the roots that this machine's archive took itself. */
type KnownRoots = (root: string) => KnownRoot | undefined;

interface KnownRoot {
  /** undefined where none is kept. */
  readonly walk: LastWalk | undefined;
  /** What is known of the transcripts in a folder, by their names: at the last walk, and as they are archived. */
  statesIn(prefix: string, indexed: boolean): KnownStates;
}

interface KnownStates {
  walked(name: string): State | undefined;
  archived(name: string): State | undefined;
}

/** What is known of each is read when it is asked for. */
function knownRoots(db: Database, index: Database | undefined): KnownRoots {
  const ids = ownRoots(db);
  const roots = new Map<string, KnownRoot>();
  return (path) => {
    const id = ids.get(path);
    if (id === undefined) return undefined;
    const known = roots.get(path) ?? knownRoot(db, id, index && lastWalkOf(index, id));
    roots.set(path, known);
    return known;
  };
}

function knownRoot(db: Database, id: number, walk: LastWalk | undefined): KnownRoot {
  const folders = lazy(
    () => new Map(walk?.folders.map((folder) => [`${folder.path}/`, lazy(() => statesOf(walk, folder))])),
  );
  const all = lazy(() => archivedStates(db, id));
  // Without a walk all are asked for; beside one only the few that changed.
  const stateNow = (name: string) => (walk === undefined ? all().get(name) : stateOf(db, id, name));
  return {
    walk,
    statesIn(prefix, indexed) {
      const walked = folders().get(prefix)?.();
      return {
        walked: (name) => walked?.get(name),
        // Without a walk the index has all that is archived, or is not asked.
        archived: (name) => (indexed && walk !== undefined ? undefined : stateNow(prefix + name)),
      };
    },
  };
}

function parted(name: string): readonly [folder: string, own: string] {
  const end = name.lastIndexOf('/');
  return [name.slice(0, end), name.slice(end + 1)];
}

export function placeKey(root: string, name: string): string {
  return `${root}\0${name}`;
}
