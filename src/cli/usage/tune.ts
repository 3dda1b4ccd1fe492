/** A pass over very many lines leaves little but garbage behind: V8 is told so while it lasts. */
import { setFlagsFromString } from 'node:v8';

export const LARGE = 256e6;

/**
 * Most of the work is done by native code; compiling the rest took a sixth of the CPU of a scan of 200 MB and won nothing,
 * nor on 1 GB. Of a large scan more than 100 MB of garbage would gather before it is looked for.
 */
export function tunedForScan<T>(bytes: number, scan: () => T): T {
  const isLarge = bytes >= LARGE;
  setFlagsFromString('--no-opt');
  if (isLarge) setGarbage({ growth: 1, percent: 10 });
  try {
    return scan();
  } finally {
    setFlagsFromString('--opt');
    // As V8 has them by itself.
    if (isLarge) setGarbage({ growth: 2, percent: 0 });
  }
}

function setGarbage({ growth, percent }: { growth: number; percent: number }): void {
  setFlagsFromString(`--semi-space-growth-factor=${growth}`);
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
