/** Tells when something below the roots may have changed: file system events, gathered for a moment, and a slow clock. */
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import type { Root } from '../disk/roots.ts';

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** A burst of events is answered once. */
  readonly gatherMs?: number;
  /** How often to look without being told: events get lost, and not every file system has them. */
  readonly pollMs?: number;
}

/** Yields at once, and then whenever it is worth looking again; ends with the signal. */
export async function* watchRoots(roots: readonly Root[], options: WatchOptions): AsyncGenerator<void> {
  const { signal, gatherMs = 1000, pollMs = 30_000 } = options;
  let changed = false;
  let wake: (() => void) | undefined;
  const poke = () => {
    changed = true;
    wake?.();
  };
  const watchers = roots.flatMap((root) =>
    watchFolder(root.kind === 'config' ? join(root.path, 'projects') : root.path, poke),
  );
  signal.addEventListener('abort', poke);
  try {
    while (!signal.aborted) {
      changed = false;
      yield;
      if (!changed) await pause(pollMs, signal, (release) => (wake = release));
      if (!signal.aborted) await pause(gatherMs, signal);
    }
  } finally {
    signal.removeEventListener('abort', poke);
    for (const watcher of watchers) watcher.close();
  }
}

/** Without a watcher (too many, no such folder yet) the clock alone does. */
function watchFolder(folder: string, onEvent: () => void): FSWatcher[] {
  try {
    const watcher = watch(folder, { recursive: true }, onEvent);
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
