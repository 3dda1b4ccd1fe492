/** A pass over very many lines leaves little but garbage behind: V8 is told so while it lasts. */
import { setFlagsFromString } from 'node:v8';

export const LARGE = 256e6;

/**
 * Most of the work is done by native code; compiling the rest took a sixth of the CPU of a scan of 200 MB and won nothing, nor on
 * 1 GB. New objects are garbage at once: little room for them stays in the processor's caches, and threads that look through it
 * together wait for each other (together an eighteenth). Of a large scan more than 100 MB of garbage would gather before it is looked for.
 */
const TUNED = ['--no-opt', '--no-parallel-scavenge', '--semi-space-growth-factor=1'];
/** As V8 has them by itself. */
const USUAL = ['--opt', '--parallel-scavenge', '--semi-space-growth-factor=2', '--heap-growing-percent=0'];

export function tunedForScan<T>(bytes: number, scan: () => T): T {
  setFlags(bytes >= LARGE ? [...TUNED, '--heap-growing-percent=10'] : TUNED);
  try {
    return scan();
  } finally {
    setFlags(USUAL);
  }
}

function setFlags(flags: readonly string[]): void {
  for (const flag of flags) setFlagsFromString(flag);
}
