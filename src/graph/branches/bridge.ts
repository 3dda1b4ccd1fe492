/** R6: an entry whose parent was never written goes on from the entry of the greatest time not after its own. */
import type { Entry } from '../../format/entry.ts';
import { millisOf } from '../time.ts';

interface Timed {
  readonly time: number;
  readonly place: number;
}

const CANDIDATES = new Set(['user', 'assistant', 'system', 'attachment']);

/** Sorted only when the first gap is met: sound files never pay for it. */
export function createBridge(
  content: readonly Entry[],
  nodeAt: Int32Array,
  isAside: (entry: Entry) => boolean,
): (place: number) => number | undefined {
  let bySource: Map<string, Timed[]> | undefined;

  function sorted(): Map<string, Timed[]> {
    const sources = new Map<string, Timed[]>();
    for (const [place, entry] of content.entries()) {
      if (nodeAt[place] !== place || !CANDIDATES.has(entry.kind) || isAside(entry)) continue;
      const time = millisOf(entry.head.timestamp);
      if (time === undefined) continue;
      const list = sources.get(entry.source.name);
      if (list) list.push({ time, place });
      else sources.set(entry.source.name, [{ time, place }]);
    }
    // Of equal times the earlier line counts, so it stands last.
    for (const list of sources.values()) list.sort((a, b) => a.time - b.time || b.place - a.place);
    return sources;
  }

  return (place) => {
    const entry = content[place];
    const time = millisOf(entry?.head.timestamp);
    if (entry === undefined || time === undefined) return undefined;
    bySource ??= sorted();
    const list = bySource.get(entry.source.name) ?? [];
    const end = countUpTo(list, time);
    const found = list[end - 1];
    return (found?.place === place ? list[end - 2] : found)?.place;
  };
}

/** How many of the sorted list are not later than a time. */
function countUpTo(list: readonly Timed[], time: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.time ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
