/** Long work in small parts: done at once, or in turns with the rest of the process, so that Ctrl-C is heard. */
import { setImmediate as turn } from 'node:timers/promises';

/** Yields where it may be interrupted. */
export type Work<T> = Generator<void, T>;

export function atOnce<T>(work: Work<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

const TURN_MS = 50;

/** `performance` takes two milliseconds to load, and a clock may be set. */
const now = () => process.uptime() * 1000;

export async function inTurns<T>(work: Work<T>): Promise<T> {
  let since = now();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    if (now() - since < TURN_MS) continue;
    await turn();
    since = now();
  }
}

let collect: unknown;
const LARGEST_YOUNG = 48 << 20;

/**
 * Lines and parsed lines are garbage at once, but V8 lets more than 100 MB of them gather before it looks. Asking for it after each
 * part of the work keeps a sync of 1 GB within its memory, and takes about a hundredth of the time. Where new objects lie V8 makes
 * room for up to 134 MB, and gives it back only when it is told that memory is short.
 */
export function collectGarbage(): void {
  // Loaded only here: little work never comes to it.
  const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule('node:v8');
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = process.getBuiltinModule('node:vm').runInNewContext('gc');
  }
  if (typeof collect !== 'function') return;
  const [young] = getHeapSpaceStatistics().filter((space) => space.space_name === 'new_space');
  if ((young?.space_size ?? 0) < LARGEST_YOUNG) collect();
  else collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
