/** Sends again what may work later: after a pause that grows, or as long as the server says. */
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../disk/errors.ts';
import { TeamError } from '../errors.ts';

export interface Patience {
  readonly tries: number;
  readonly firstWaitMs: number;
  /** A server that wants a longer pause is left alone until the next push. */
  readonly longestWaitMs: number;
  readonly signal: AbortSignal;
  readonly onWait?: (ms: number, error: TeamError) => void;
}

export const PATIENCE = { tries: 6, firstWaitMs: 250, longestWaitMs: 60_000 } as const;

export async function retried<T>(call: () => Promise<T>, patience: Patience): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      patience.signal.throwIfAborted();
      if (!(error instanceof TeamError) || !error.passes) throw error;
      if (attempt >= (isAway(error) ? AWAY_TRIES : patience.tries)) throw error;
      const wait = error.retryAfterMs ?? patience.firstWaitMs * 2 ** (attempt - 1) * (0.5 + Math.random());
      if (wait > patience.longestWaitMs) throw error;
      patience.onWait?.(wait, error);
      await sleep(wait, undefined, { signal: patience.signal });
    }
  }
}

const AWAY = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN']);
const AWAY_TRIES = 2;

/** Nobody is there: that does not change in a moment. */
function isAway({ cause }: TeamError): boolean {
  return AWAY.has(codeOf(cause) ?? '');
}
