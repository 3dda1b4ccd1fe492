/** Sends until it is taken, refused, or the patience is over: exponential backoff with jitter, longer where the server says so. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Post, Stop } from './post.ts';

export interface Patience {
  /** How often a request is sent at most. */
  readonly tries?: number;
  readonly firstWaitMs?: number;
  readonly longestWaitMs?: number;
  /** A server that asks for more than this is not waited for; as long as any other wait unless told otherwise. */
  readonly longestAfterMs?: number;
  /** Told before each wait. */
  readonly onWait?: (ms: number) => void;
  /** Milliseconds on the clock: nothing is waited for beyond it. */
  readonly deadline?: number;
  /** Whoever has a deadline, too, gives it at that time. */
  readonly signal?: AbortSignal;
  readonly random?: () => number;
  readonly now?: () => number;
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

const TRIES = 6;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;

export async function sendPatiently(post: Post, body: string, patience: Patience = {}): Promise<Answer> {
  const { tries = TRIES, deadline = Number.POSITIVE_INFINITY, now = Date.now, wait = pause } = patience;
  for (let done = 1; ; done += 1) {
    const answer = await post(body, stopOf(patience, now()));
    if (answer.type !== 'busy' || done >= tries || patience.signal?.aborted) return answer;
    const ms = waitBefore(done, answer.afterMs, patience);
    if (ms === undefined || now() + ms >= deadline) return answer;
    patience.onWait?.(ms);
    await wait(ms, patience.signal);
    if (patience.signal?.aborted) return answer;
  }
}

/** Of both the signal comes first, since what is stopped is not what got no answer; with a deadline nothing need listen to it. */
const AFTER_SIGNAL_MS = 50;

function stopOf({ signal, deadline }: Patience, now: number): Stop {
  if (deadline === undefined) return { signal };
  return { leftMs: Math.max(0, Math.ceil(deadline - now)) + (signal === undefined ? 0 : AFTER_SIGNAL_MS) };
}

/** undefined: longer than we are ready to wait. */
export function waitBefore(done: number, afterMs: number | undefined, patience: Patience): number | undefined {
  const { firstWaitMs = FIRST_WAIT_MS, longestWaitMs = LONGEST_WAIT_MS, random = Math.random } = patience;
  const grown = Math.min(longestWaitMs, firstWaitMs * 2 ** (done - 1));
  // Half of it by chance, so that those who were turned away together do not come back together.
  const own = grown / 2 + (grown / 2) * random();
  if (afterMs === undefined) return own;
  return afterMs > (patience.longestAfterMs ?? longestWaitMs) ? undefined : Math.max(afterMs, own);
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    // Whoever stops it sees the signal.
  }
}
