/** One follower for everything: file system events, and a clock for those that never come. */
import { watchRoots } from '../../archive/sync/watch.ts';
import type { Root } from '../../disk/roots.ts';
import type { Catalog } from './catalog.ts';

const GATHER_MS = 120;
const POLL_MS = 5000;
/** Looking without being told takes at most this part of the time. */
const POLL_SHARE = 1 / 50;

export interface Following {
  readonly signal: AbortSignal;
  /** After each look. */
  readonly onLooked: () => void;
  readonly onFault: (error: unknown) => void;
}

/** Until the signal. */
export async function followCatalog(catalog: Catalog, { signal, onLooked, onFault }: Following): Promise<void> {
  const pollMs = () => Math.max(POLL_MS, catalog.cost / POLL_SHARE);
  while (!signal.aborted) {
    const roots = rootsOf(catalog);
    for await (const changed of watchRoots(roots, { signal, gatherMs: GATHER_MS, pollMs })) {
      try {
        await catalog.look(changed);
        onLooked();
      } catch (error) {
        // The next look may go well.
        if (!signal.aborted) onFault(error);
      }
      // A folder came or went: others are to be watched.
      if (rootsOf(catalog).map(keyOf).join() !== roots.map(keyOf).join()) break;
    }
  }
}

function rootsOf({ library }: Catalog): readonly Root[] {
  return library?.roots ?? [];
}

function keyOf({ path, kind }: Root): string {
  return `${kind} ${path}`;
}
