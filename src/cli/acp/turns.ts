/** The turns of a session: one after the other. Those that wait are cancelled with the one that runs. */

export interface Turns {
  /** Runs it when those before it are over. */
  run<T>(turn: (signal: AbortSignal) => Promise<T>): Promise<T>;
  cancel(): void;
  /** Resolves when the last one is over, however it ended. */
  over(): Promise<unknown>;
}

export function createTurns(): Turns {
  const running = new Set<AbortController>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    run: (turn) => {
      const controller = new AbortController();
      running.add(controller);
      const run = last.then(() => turn(controller.signal)).finally(() => running.delete(controller));
      last = run.catch(() => {});
      return run;
    },
    cancel: () => {
      for (const controller of running) controller.abort();
    },
    over: () => last,
  };
}
