/** Time and chance, handed in so that tests need not wait for either. */
import { setTimeout as later } from 'node:timers/promises';

export interface Clock {
  now(): number;
  /** Ends early, without complaint, when the signal fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** 0 ≤ n < 1 */
  random(): number;
}

export const CLOCK: Clock = {
  now: Date.now,
  random: Math.random,
  sleep: async (ms, signal) => {
    try {
      await later(ms, undefined, { signal });
    } catch {
      // Whoever stops it sees the signal.
    }
  },
};
