/** Ctrl-C, and being told to end: the first ends the turn as it should be ended, the second the process. */

const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export interface Signals {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** What to exit with; undefined as long as no signal came. */
  readonly code: number | undefined;
  /** For what is no signal of the system: output that nobody reads any more. */
  stop(code: number): void;
  close(): void;
}

export function listenForSignals(): Signals {
  const controller = new AbortController();
  let code: number | undefined;
  const stop = (with_: number) => {
    code ??= with_;
    controller.abort();
  };
  const listeners = Object.entries(CODES).map(([name, exit]) => {
    const listener = () => {
      // A terminal that goes away says so more than once: that is nobody's impatience.
      if (code !== undefined && name !== 'SIGHUP') process.exit(exit);
      stop(exit);
    };
    process.on(name, listener);
    return () => process.off(name, listener);
  });
  return {
    signal: controller.signal,
    get code() {
      return code;
    },
    stop,
    close: () => {
      for (const remove of listeners) remove();
    },
  };
}
