/** How the archive knows its sources: by size and mtime, equal or not. An order of times is never asked for: clocks jump. */
import type { SourceFile } from './sources.ts';
import { all, type Database, numberOf, type Row, textOf } from './sqlite.ts';
import { archiveId } from './store.ts';

export interface KnownSources {
  /** Files this machine's archive took itself. */
  readonly count: number;
  /** Whether some state of the file is archived. */
  has(file: SourceFile): boolean;
  /** Whether its present state is, as far as can be told without opening it. */
  isUpToDate(file: SourceFile): boolean;
}

const ROOTS = 'SELECT root.id, root.path FROM root JOIN origin ON origin.id = root.origin WHERE origin.key = ?';
const FILES = `SELECT file.name, file.mtime, coalesce(scrub.size, version.size) AS size FROM file
  JOIN version ON version.id = file.current LEFT JOIN scrub ON scrub.version = version.id WHERE file.root = ?`;

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
  return {
    count,
    has: (file) => stateOf(file) !== undefined,
    isUpToDate(file) {
      const row = stateOf(file);
      return row !== undefined && numberOf(row, 'size') === file.bytes && numberOf(row, 'mtime') === file.mtimeMs;
    },
  };
}
