/** Tells when something below the roots may have changed: file system events, gathered for a moment, and a slow clock. */
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import type { Root } from '../../disk/roots.ts';

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** A burst of events is answered once. */
  readonly gatherMs?: number;
  /** How often to look without being told: events get lost, and not every file system has them. */
  readonly pollMs?: number | (() => number);
}

/** The paths that events named; undefined where anything may have changed. */
export type Changed = ReadonlySet<string> | undefined;

/** Yields at once, and then whenever it is worth looking again; ends with the signal. */
export async function* watchRoots(roots: readonly Root[], options: WatchOptions): AsyncGenerator<Changed> {
  const { signal, gatherMs = 1000, pollMs = 30_000 } = options;
  const events = createEvents();
  let wake: (() => void) | undefined;
  const poke = (path?: string) => {
    events.add(path);
    wake?.();
  };
  const watchers = roots.flatMap((root) =>
    watchFolder(root.kind === 'config' ? join(root.path, 'projects') : root.path, poke),
  );
  const stop = () => poke();
  signal.addEventListener('abort', stop);
  try {
    let changed: Changed;
    while (!signal.aborted) {
      yield changed;
      if (events.isEmpty())
        await pause(typeof pollMs === 'number' ? pollMs : pollMs(), signal, (release) => (wake = release));
      const isTold = !events.isEmpty();
      if (!signal.aborted) await pause(gatherMs, signal);
      changed = isTold ? events.take() : undefined;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    for (const watcher of watchers) watcher.close();
  }
}

function createEvents() {
  let any = false;
  let named = new Set<string>();
  return {
    add(path: string | undefined): void {
      if (path === undefined) any = true;
      else named.add(path);
    },
    isEmpty: () => !any && named.size === 0,
    take(): Changed {
      const taken = any ? undefined : named;
      any = false;
      named = new Set();
      return taken;
    },
  };
}

/** Without a watcher (too many, no such folder yet) the clock alone does. */
function watchFolder(folder: string, onEvent: (path?: string) => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { recursive: true }, (_event, name) =>
      onEvent(name === null ? undefined : join(folder, name)),
    );
    watcher.on('error', () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}

function pause(ms: number, signal: AbortSignal, early?: (release: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const release = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', release);
      resolve();
    };
    const timer = setTimeout(release, ms);
    signal.addEventListener('abort', release);
    if (signal.aborted) release();
    early?.(release);
  });
}
