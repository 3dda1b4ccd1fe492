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
 * part of the work keeps what is made of 1 GB within its memory, and takes about a hundredth of the time. Where new objects lie V8 makes
 * room for up to 134 MB, and gives it back only when it is told that memory is short.
 */
export function collectGarbage(): void {
  const { getHeapSpaceStatistics } = process.getBuiltinModule('node:v8');
  const [young] = getHeapSpaceStatistics().filter((space) => space.space_name === 'new_space');
  if ((young?.space_size ?? 0) < LARGEST_YOUNG) collectNow();
  else giveBackGarbage();
}

/** Also gives back the room it lay in, which takes longer: where one part of the work needed much that the next does not. */
export function giveBackGarbage(): void {
  collectNow({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

function collectNow(...how: Readonly<Record<string, string>>[]): void {
  if (collect === undefined) {
    // Loaded only here: little work never comes to it.
    process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc');
    collect = process.getBuiltinModule('node:vm').runInNewContext('gc');
  }
  if (typeof collect === 'function') collect(...how);
}

/** Of both halves of it: V8 moves what is still needed from the one to the other. */
const HELD_YOUNG = 8 << 20;
let growth = 2;

/**
 * For a pass over very many lines, which leaves little but garbage behind; call it every few megabytes, and `releaseYoung` after the
 * last. The room that V8 has for new objects stays so small that the processor keeps it at hand, and what it holds is collected
 * before much of it gathers: measured on a first sync, a twentieth less CPU and less memory. To collect
 * everything now and then instead would also throw away compiled code, with the shapes that no object has at that moment.
 */
export function holdYoung(): void {
  const { getHeapSpaceStatistics } = process.getBuiltinModule('node:v8');
  const [young] = getHeapSpaceStatistics().filter((space) => space.space_name === 'new_space');
  setGrowth((young?.space_size ?? 0) < HELD_YOUNG ? 2 : 1);
}

export function releaseYoung(): void {
  setGrowth(2);
}

/** How many times as large it is made where too much of it is still needed; 2 is V8's own. */
function setGrowth(times: number): void {
  if (times !== growth) process.getBuiltinModule('node:v8').setFlagsFromString(`--semi-space-growth-factor=${times}`);
  growth = times;
}
