/** Transcripts on disk beside what the archive knows of them. */
import type { Problem } from '../../disk/errors.ts';
import { findSessions, type SessionFile } from '../../disk/find.ts';
import { folderFs, type Listed, loneFolderFs, realPathOr } from '../../disk/io.ts';
import { knownListings } from '../../disk/listings.ts';
import type { Root } from '../../disk/roots.ts';
import type { Database } from '../sqlite.ts';
import { ownRoots } from '../sync/known.ts';
import { placesOf } from '../sync/sources.ts';
import { keptListings } from './listings.ts';
import { type States, statesOf } from './states.ts';

export interface Compared {
  /** How many there are on disk. */
  readonly count: number;
  readonly problems: readonly Problem[];
  /** Not archived as they are now: they are read beside the index, so that nothing is missed. */
  readonly fresh: readonly SessionFile[];
  /** How many bytes the fresh ones have now, by root and name. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The path of a file that is archived as it is now; undefined for others. */
  pathOf(place: { readonly root: string; readonly name: string }): string | undefined;
}

/** A folder that is being walked. */
interface Here {
  /** What names of the archive begin with. */
  readonly prefix: string;
  readonly known: Known | undefined;
}

interface Known {
  readonly states: States;
  /** By their rows, which transcripts are archived as they are. */
  readonly reached: Uint8Array;
  /** These by what their names begin with: where they lie. */
  readonly upToDate: Map<string, Batch[]>;
}

interface Batch {
  readonly folder: string;
  readonly names: readonly string[];
}

export interface CompareOptions {
  /** Of this archive, where it is open. */
  readonly index?: Database;
  /** Nothing else runs in this process. */
  readonly alone?: boolean;
}

/** One walk over the disk. Thousands of files are mostly as they were: they are looked at, and nothing is made of them. */
export function compareWithDisk(
  db: Database,
  roots: readonly Root[],
  { index, alone = false }: CompareOptions = {},
): Compared {
  const fs = { ...(alone ? loneFolderFs : folderFs), listed: index && listedIn(db, index, roots) };
  const knownOf = knownRoots(db, index);
  // A root that cannot be resolved has no known file: its files are read.
  const place = placesOf(roots, () => {});
  let count = 0;

  function enter(folder: string): Here {
    // Any name will do: what is before it is the same for all.
    const { root, name } = place(`${folder}x`);
    return { prefix: name.slice(0, -1), known: knownOf(root) };
  }

  /** Not known, or other than it was. */
  function unknownIn(folder: string, names: readonly string[]): readonly string[] {
    const { prefix, known } = enter(folder);
    if (known === undefined) return names;
    const { states, reached, upToDate } = known;
    const first = states.nextRows(prefix, names);
    const isRun = first >= 0;
    const unknown = isRun
      ? fs.unlike(folder, names, states, first)
      : names.filter((name) => !isReached(known, folder, prefix, name));
    if (isRun) {
      // No row is the next one twice.
      count += names.length - unknown.length;
      reached.fill(1, first, first + names.length);
      for (const name of unknown) reached[first + names.indexOf(name)] = 0;
    }
    noteBatch(upToDate, prefix, { folder, names: without(names, unknown) });
    return unknown;
  }

  function isReached({ states, reached }: Known, folder: string, prefix: string, name: string): boolean {
    const row = states.rowOf(prefix + name);
    if (row < 0 || fs.unlike(folder, [name], states, row).length > 0) return false;
    if (reached[row] === 0) count += 1;
    reached[row] = 1;
    return true;
  }

  const { files: fresh, problems } = findSessions(roots, { fs, unknownIn });
  const sizes = new Map<string, number>();
  for (const { file, bytes } of fresh) {
    const { root, name } = place(file);
    sizes.set(placeKey(root, name), bytes);
  }
  return {
    count: count + fresh.length,
    problems,
    fresh,
    sizes,
    pathOf({ root, name }) {
      const end = name.lastIndexOf('/') + 1;
      const own = name.slice(end);
      const batches = knownOf(root)?.upToDate.get(name.slice(0, end));
      const batch = batches?.findLast(({ names }) => names.includes(own));
      return batch && batch.folder + own;
    },
  };
}

/** Where a root is one that was archived: how its folders listed then. */
function listedIn(db: Database, index: Database, roots: readonly Root[]): Listed | undefined {
  const [root] = roots;
  if (root?.kind !== 'config' || roots.length > 1) return undefined;
  const real = realPathOr(root.path);
  const id = ownRoots(db).get(real);
  return id === undefined ? undefined : knownListings(root.path, real, keptListings(index, id));
}

function noteBatch(batches: Map<string, Batch[]>, prefix: string, batch: Batch): void {
  const others = batches.get(prefix);
  if (others === undefined) batches.set(prefix, [batch]);
  else others.push(batch);
}

function without(names: readonly string[], some: readonly string[]): readonly string[] {
  if (some.length === 0) return names;
  const left = new Set(some);
  return names.filter((name) => !left.has(name));
}

/** By the paths of the roots that this machine's archive took itself; what is known of each is read when it is asked for. */
function knownRoots(db: Database, index: Database | undefined): (root: string) => Known | undefined {
  const ids = ownRoots(db);
  const known = new Map<string, Known>();
  return (root) => {
    const id = ids.get(root);
    if (id === undefined) return undefined;
    const before = known.get(root);
    if (before !== undefined) return before;
    const states = statesOf(db, id, index);
    const made = { states, reached: new Uint8Array(states.count), upToDate: new Map() };
    known.set(root, made);
    return made;
  };
}

export function placeKey(root: string, name: string): string {
  return `${root}\0${name}`;
}
