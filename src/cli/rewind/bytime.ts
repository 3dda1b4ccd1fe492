/** A session and its agents as one: what they did to files, in the order in which they did it. */
import type { Entry } from '../../format/entry.ts';
import { parseTimestamp } from '../../format/time.ts';

/** Each file in its own order; a line without a time belongs to the one before it. */
export function byTime(files: readonly (readonly Entry[])[]): readonly Entry[] {
  const [only, ...others] = files;
  if (only !== undefined && others.length === 0) return only;
  const timed = files.flatMap((entries) => {
    let latest = 0;
    return entries.map((entry) => {
      latest = Math.max(latest, parseTimestamp(entry.head.timestamp ?? '') || 0);
      return { entry, time: latest };
    });
  });
  return timed.sort((a, b) => a.time - b.time).map(({ entry }) => entry);
}
