/** How the archive knows its sources: by size and mtime, equal or not. An order of times is never asked for: clocks jump. */

import { all, allLists, type Database, numberOf, textOf } from '../sqlite.ts';
import { archiveId } from '../store.ts';
import type { SourceFile } from './sources.ts';

export type SourceState = Pick<SourceFile, 'root' | 'name' | 'bytes' | 'mtimeMs'>;

export interface KnownSources {
  /** Files this machine's archive took itself. */
  readonly count: number;
  /** Whether some state of the file is archived. */
  has(file: SourceState): boolean;
  /** Whether its present state is, as far as can be told without opening it. */
  isArchived(file: SourceState): boolean;
  /** The same, and it is just what is kept as the present state, not the beginning of it. */
  isUpToDate(file: SourceState): boolean;
}

const ROOTS = 'SELECT root.id, root.path FROM root JOIN origin ON origin.id = root.origin WHERE origin.key = ?';
const FILES = `SELECT file.name, file.mtime, coalesce(scrub.size, version.size) AS size, seen.size AS seen FROM file
  JOIN version ON version.id = file.current LEFT JOIN scrub ON scrub.version = version.id
  LEFT JOIN seen ON seen.file = file.id WHERE file.root = ?`;

/** Its name, its mtime, the size of its source as it is archived, and as it was last seen where that is another. */
type Row = ReturnType<typeof allLists>[number];

/** Of the roots that this machine's archive took itself, by path: the id. */
export function ownRoots(db: Database): ReadonlyMap<string, number> {
  return new Map(all(db, ROOTS, archiveId(db)).map((row) => [textOf(row, 'path'), numberOf(row, 'id')]));
}

export function knownSources(db: Database): KnownSources {
  // By root and by name: a key of both would be made for thousands of files.
  const roots = new Map<string, Map<unknown, Row>>();
  let count = 0;
  for (const [path, id] of ownRoots(db)) {
    const rows = allLists(db, FILES, id);
    const files = new Map<unknown, Row>();
    for (const row of rows) files.set(row[0], row);
    roots.set(path, files);
    count += rows.length;
  }
  const stateOf = ({ root, name }: SourceState) => roots.get(root)?.get(name);
  return {
    count,
    has: (file) => stateOf(file) !== undefined,
    isArchived(file) {
      const [, mtime, size, seen] = stateOf(file) ?? [];
      return mtime === file.mtimeMs && (seen ?? size) === file.bytes;
    },
    isUpToDate(file) {
      const row = stateOf(file);
      return row !== undefined && row[3] === null && row[2] === file.bytes && row[1] === file.mtimeMs;
    },
  };
}
