/** Transcripts on disk beside what the archive knows of them. */
import type { SessionFile } from '../../disk/find.ts';
import type { Root } from '../../disk/roots.ts';
import { knownSources } from '../known.ts';
import { placesOf } from '../sources.ts';
import type { Database } from '../sqlite.ts';

export interface Compared {
  /** Not archived as they are now: they are read beside the index, so that nothing is missed. */
  readonly fresh: readonly SessionFile[];
  /** How many bytes the fresh ones have now, by root and name. */
  readonly sizes: ReadonlyMap<string, number>;
  /** The path of a file that is archived as it is now; undefined for others. */
  pathOf(place: { readonly root: string; readonly name: string }): string | undefined;
}

export function compareWithDisk(db: Database, roots: readonly Root[], files: readonly SessionFile[]): Compared {
  const known = knownSources(db);
  // A root that cannot be resolved has no known file: its files are read.
  const place = placesOf(roots, () => {});
  const fresh: SessionFile[] = [];
  const sizes = new Map<string, number>();
  for (const file of files) {
    const { root, name } = place(file.file);
    const { bytes, mtimeMs } = file;
    if (known.isUpToDate({ root, name, bytes, mtimeMs })) continue;
    fresh.push(file);
    sizes.set(placeKey(root, name), bytes);
  }
  const isFresh = new Set(fresh);
  return {
    fresh,
    sizes,
    // Asked for the few that are shown.
    pathOf({ root, name }) {
      const end = name.slice(name.lastIndexOf('/') + 1);
      const isThis = (file: SessionFile) => {
        if (!file.file.endsWith(end) || isFresh.has(file)) return false;
        const at = place(file.file);
        return at.root === root && at.name === name;
      };
      return files.find(isThis)?.file;
    },
  };
}

export function placeKey(root: string, name: string): string {
  return `${root}\0${name}`;
}
