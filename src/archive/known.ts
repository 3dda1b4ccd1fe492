/** How the archive knows its sources: by size and mtime, equal or not. An order of times is never asked for: clocks jump. */
import type { SourceFile } from './sources.ts';
import { all, type Database, numberOf, textOf } from './sqlite.ts';
import { archiveId } from './store.ts';

export interface KnownSources {
  /** Files this machine's archive took itself. */
  readonly count: number;
  /** Whether some state of the file is archived. */
  has(file: SourceFile): boolean;
  /** Whether its present state is, as far as can be told without opening it. */
  isUpToDate(file: SourceFile): boolean;
}

const SQL = `SELECT root.path AS root, file.name, file.mtime, coalesce(scrub.size, version.size) AS size FROM file
  JOIN root ON root.id = file.root JOIN origin ON origin.id = root.origin JOIN version ON version.id = file.current
  LEFT JOIN scrub ON scrub.version = version.id WHERE origin.key = ?`;

export function knownSources(db: Database): KnownSources {
  const states = new Map<string, { size: number; mtimeMs: number }>();
  for (const row of all(db, SQL, archiveId(db))) {
    const state = { size: numberOf(row, 'size'), mtimeMs: numberOf(row, 'mtime') };
    states.set(`${textOf(row, 'root')}\0${textOf(row, 'name')}`, state);
  }
  const stateOf = ({ root, name }: SourceFile) => states.get(`${root}\0${name}`);
  return {
    count: states.size,
    has: (file) => stateOf(file) !== undefined,
    isUpToDate(file) {
      const state = stateOf(file);
      return state !== undefined && state.size === file.bytes && state.mtimeMs === file.mtimeMs;
    },
  };
}
