/** How the archive knows its sources: by size and mtime, equal or not. An order of times is never asked for: clocks jump. */
import type { SourceFile } from './sources.ts';
import { all, type Database, maybeNumber, numberOf, type Row, textOf } from './sqlite.ts';
import { archiveId } from './store.ts';

export interface KnownSources {
  /** Files this machine's archive took itself. */
  readonly count: number;
  /** Whether some state of the file is archived. */
  has(file: SourceFile): boolean;
  /** Whether its present state is, as far as can be told without opening it. */
  isArchived(file: SourceFile): boolean;
  /** The same, and it is just what is kept as the present state, not the beginning of it. */
  isUpToDate(file: SourceFile): boolean;
}

const ROOTS = 'SELECT root.id, root.path FROM root JOIN origin ON origin.id = root.origin WHERE origin.key = ?';
const FILES = `SELECT file.name, file.mtime, coalesce(scrub.size, version.size) AS size, seen.size AS seen FROM file
  JOIN version ON version.id = file.current LEFT JOIN scrub ON scrub.version = version.id
  LEFT JOIN seen ON seen.file = file.id WHERE file.root = ?`;

export function knownSources(db: Database): KnownSources {
  // By root and by name: a key of both would be made for thousands of files.
  const roots = new Map<string, Map<string, Row>>();
  let count = 0;
  for (const root of all(db, ROOTS, archiveId(db))) {
    const files = all(db, FILES, numberOf(root, 'id'));
    roots.set(textOf(root, 'path'), new Map(files.map((row) => [textOf(row, 'name'), row])));
    count += files.length;
  }
  const stateOf = ({ root, name }: SourceFile) => roots.get(root)?.get(name);
  const isSame = (row: Row, size: number, file: SourceFile) =>
    size === file.bytes && numberOf(row, 'mtime') === file.mtimeMs;
  return {
    count,
    has: (file) => stateOf(file) !== undefined,
    isArchived(file) {
      const row = stateOf(file);
      return row !== undefined && isSame(row, maybeNumber(row, 'seen') ?? numberOf(row, 'size'), file);
    },
    isUpToDate(file) {
      const row = stateOf(file);
      return row?.seen === null && isSame(row, numberOf(row, 'size'), file);
    },
  };
}
