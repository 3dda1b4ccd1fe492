/** Tells when a file may have changed: one watcher on its folder, and a slow clock for the events that never come. */
import { type FSWatcher, realpathSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

export interface Wake {
  /** Settles at the next event, tick of the clock or abort; at once if there was an event since the last time. */
  next(): Promise<void>;
  /** The file or its folder is another one now: watch that. */
  renew(): void;
  close(): void;
}

export interface WakeOptions {
  readonly signal?: AbortSignal;
  readonly pollMs: number;
  /** false: the clock alone. */
  readonly watch?: boolean;
}

export function wakeOn(file: string, options: WakeOptions): Wake {
  let watcher: FSWatcher | undefined;
  let changed = false;
  let release: (() => void) | undefined;

  const poke = () => {
    changed = true;
    release?.();
  };

  function start(): void {
    if (watcher !== undefined || options.watch === false) return;
    watcher = watchFile(file, poke);
    // A watcher can fail later, too (too many watches, its folder gone); the clock goes on.
    watcher?.on('error', stop);
  }

  function stop(): void {
    watcher?.close();
    watcher = undefined;
  }

  options.signal?.addEventListener('abort', poke);
  start();

  return {
    next() {
      start();
      return new Promise((resolve) => {
        const timer = setTimeout(poke, options.pollMs);
        release = () => {
          clearTimeout(timer);
          release = undefined;
          changed = false;
          resolve();
        };
        if (changed || options.signal?.aborted) release();
      });
    },
    renew() {
      stop();
      start();
      // What happened between the two watchers is seen by looking again.
      changed = true;
    },
    close() {
      stop();
      options.signal?.removeEventListener('abort', poke);
    },
  };
}

/** The folder, not the file: a watch on a file ends when the file is replaced. undefined when watching is not possible. */
function watchFile(file: string, onEvent: () => void): FSWatcher | undefined {
  const real = realPathOf(file);
  const name = basename(real);
  try {
    return watch(dirname(real), (_event, changed) => {
      if (changed === null || changed === name) onEvent();
    });
  } catch {
    return undefined;
  }
}

function realPathOf(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
