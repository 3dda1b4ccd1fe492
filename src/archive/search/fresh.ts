/** Transcripts on disk beside what the archive knows of them. */
import type { SessionFile } from '../../disk/find.ts';
import type { Root } from '../../disk/roots.ts';
import { knownSources } from '../known.ts';
import { placesOf } from '../sources.ts';
import type { Database } from '../sqlite.ts';

export interface Compared {
  /** Not archived as they are now: they are read beside the index, so that nothing is missed. */
  readonly fresh: readonly SessionFile[];
  /** Archived as they are now and quickly read, by root and name as the archive has them. */
  readonly same: ReadonlyMap<string, string>;
  /** How many bytes the fresh ones have now, by root and name. */
  readonly sizes: ReadonlyMap<string, number>;
}

/** Of a larger file a line is found sooner in the archive. */
const QUICKLY_READ = 4 << 20;

export function compareWithDisk(db: Database, roots: readonly Root[], files: readonly SessionFile[]): Compared {
  const known = knownSources(db);
  // A root that cannot be resolved has no known file: its files are read.
  const place = placesOf(roots, () => {});
  const fresh: SessionFile[] = [];
  const same = new Map<string, string>();
  const sizes = new Map<string, number>();
  for (const file of files) {
    const { root, name } = place(file.file);
    const { kind, bytes, mtimeMs } = file;
    const source = { path: file.file, root, name, kind, bytes, mtimeMs, session: () => undefined };
    if (!known.isUpToDate(source)) {
      fresh.push(file);
      sizes.set(placeKey(root, name), bytes);
    } else if (bytes <= QUICKLY_READ) same.set(placeKey(root, name), file.file);
  }
  return { fresh, same, sizes };
}

export function placeKey(root: string, name: string): string {
  return `${root}\0${name}`;
}
