/** R6: where a walk goes on when a parent is missing or was met already. */
import { type Chain, type ChainNode, timeOf } from './node.ts';

/** R6: how far back in time the far side of a gap may lie. */
const WIDEST_GAP_MS = 5000;

/** The entries by time, and for each place the next one before it that may still be unseen. */
export interface Timeline {
  readonly times: readonly number[];
  readonly nodes: readonly ChainNode[];
  readonly next: Int32Array;
}

/** In order of time; of several at one time the first in the file stands last, so that a search backwards meets it first. */
export function timelineOf(chain: Chain): Timeline {
  const timed: { time: number; node: ChainNode }[] = [];
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'time');
    const time = timeOf(node.entry);
    if (time !== Number.NEGATIVE_INFINITY && !node.entry.head.isSidechain) timed.push({ time, node });
  }
  timed.sort((a, b) => a.time - b.time || b.node.order - a.node.order);
  return {
    times: timed.map(({ time }) => time),
    nodes: timed.map(({ node }) => node),
    next: Int32Array.from(timed, (_, i) => i - 1),
  };
}

/** The newest entry not seen yet that is at most as old as a gap may be wide and not newer than the node itself. */
export function newestBefore(timeline: Timeline, node: ChainNode, seen: ReadonlySet<ChainNode>): ChainNode | undefined {
  const time = timeOf(node.entry);
  const at = firstUnseen(timeline, firstAfter(timeline.times, time) - 1, seen);
  const found = timeline.nodes[at];
  return found !== undefined && time - timeOf(found.entry) <= WIDEST_GAP_MS ? found : undefined;
}

/** Every seen entry that is passed is passed only once more: its place then points beyond all that were passed with it. */
function firstUnseen({ nodes, next }: Timeline, from: number, seen: ReadonlySet<ChainNode>): number {
  const isSeen = (at: number): boolean => {
    const node = nodes[at];
    return node !== undefined && seen.has(node);
  };
  let found = from;
  while (isSeen(found)) found = next[found] ?? -1;
  for (let at = from; at !== found && isSeen(at); ) {
    const after = next[at] ?? -1;
    next[at] = found;
    at = after;
  }
  return found;
}

/** The index of the first of ascending times that is later. */
function firstAfter(times: readonly number[], time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
