/** However the screen ends, the terminal is left as it was found. */
import type { AltScreen } from './screen.ts';

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export interface Guard {
  /** Resolves with the code to exit with. */
  readonly ended: Promise<number>;
  end(code: number): void;
  fail(error: unknown): void;
  /** Stops as Ctrl-Z does; `then` when we go on. */
  suspendSelf(then: () => void): void;
  close(): void;
}

const STOPPED_MS = 50;

export function guard(screen: AltScreen, onStop: () => void): Guard {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const removals: (() => void)[] = [];
  const listen = (name: string, listener: (...args: unknown[]) => void) => {
    process.on(name, listener);
    removals.push(() => void process.off(name, listener));
  };
  for (const [name, code] of Object.entries(CODES)) {
    listen(name, () => {
      // Another program has the terminal: Ctrl-C is meant for that one.
      if (name !== 'SIGINT' || screen.isEntered) resolve(code);
    });
  }
  listen('exit', () => screen.restoreNow());
  listen('uncaughtException', reject);
  listen('unhandledRejection', reject);
  const gone = () => resolve(CODES.SIGHUP);
  process.stdin.on('error', gone).on('end', gone);
  const hasJobs = process.platform !== 'win32';
  if (hasJobs) listen('SIGTSTP', onStop);
  return {
    ended: promise,
    end: resolve,
    fail: reject,
    suspendSelf(then) {
      if (!hasJobs) {
        then();
        return;
      }
      process.off('SIGTSTP', onStop);
      process.kill(0, 'SIGTSTP');
      // Time stands still until we are continued; where no shell could do that, the system does not stop us.
      setTimeout(() => {
        process.on('SIGTSTP', onStop);
        then();
      }, STOPPED_MS);
    },
    close: () => {
      for (const remove of removals) remove();
      process.stdin.off('error', gone).off('end', gone);
    },
  };
}
