/** Ends a request that nobody wants any more, or that has gone silent. */

export interface Limits {
  /** Milliseconds until the first byte. */
  readonly answerMs: number;
  /** Milliseconds without a byte while an answer is on its way; the API sends a ping now and then. */
  readonly idleMs: number;
  /** Milliseconds for all of it, where there is a limit. */
  readonly totalMs?: number;
}

const END_MS = 1000;

export interface Watch {
  /** Fires when the connection is to be closed. */
  readonly signal: AbortSignal;
  /** Why, if it was a limit. */
  readonly expired: string | undefined;
  headersCame(): void;
  bytesCame(): void;
  /** All was said: only the end of the connection is waited for, and not long. */
  lastCame(): void;
  /** Closes the connection, if it is still open, and stops all timers. */
  close(): void;
}

export function createWatch({ answerMs, idleMs, totalMs }: Limits, outer: AbortSignal): Watch {
  const controller = new AbortController();
  let expired: string | undefined;
  const abort = (): void => controller.abort();
  const expire = (what: string, ms: number) => () => {
    expired ??= `${what} within ${seconds(ms)}`;
    abort();
  };
  let silence = setTimeout(expire('no answer', answerMs), answerMs);
  const total = totalMs === undefined ? undefined : setTimeout(expire('the answer did not end', totalMs), totalMs);
  if (outer.aborted) abort();
  outer.addEventListener('abort', abort);
  const listen = (ms: number): void => {
    clearTimeout(silence);
    silence = setTimeout(expire('the answer stopped: nothing came', ms), ms);
  };
  return {
    signal: controller.signal,
    get expired() {
      return expired;
    },
    headersCame: () => listen(idleMs),
    bytesCame: () => void silence.refresh(),
    lastCame: () => listen(END_MS),
    close: () => {
      clearTimeout(silence);
      clearTimeout(total);
      outer.removeEventListener('abort', abort);
      abort();
    },
  };
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`;
}
