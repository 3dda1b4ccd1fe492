/**
 * Which push a team's file is of. Its bytes and time are those of the file on the machine it came from, which stay the same when it is
 * pushed again with more masked or by another machine; the store mounts it anew then, and only then.
 */
import { type MountedFile, mountedAt } from '../../disk/mounts.ts';
import { TEAM_ROOT } from '../../team/paths.ts';

const numbers = new WeakMap<MountedFile, number>();
let last = 0;

/** Another number after each push of the file; 0 for what is no team's. */
export function pushOf(path: string): number {
  const mounted = path.startsWith(TEAM_ROOT) ? mountedAt(path) : undefined;
  if (mounted === undefined) return 0;
  const known = numbers.get(mounted);
  if (known !== undefined) return known;
  last += 1;
  numbers.set(mounted, last);
  return last;
}
