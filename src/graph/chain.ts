/**
 * Which entries of a file form its conversation: an index by uuid, the leaf a resume goes on from, and the walk from there
 * to the root (R1–R6). Everything works on metadata and in linear time; no payload is read but that of compaction boundaries.
 */
import type { Entry } from '../format/entry.ts';
import { lazy } from '../format/lazy.ts';
import { newestBefore, type Timeline, timelineOf } from './context/gap.ts';
import { indexNodes } from './context/indexing.ts';
import { findTip } from './context/leaf.ts';
import { type Chain, type ChainNode, isSpoken, type OnVisit } from './context/node.ts';
import { type Placed, placePreserved } from './context/preserved.ts';

export { lastSaid, leafOf, pinnedLeaf } from './context/leaf.ts';
export { type Chain, type ChainNode, isBoundary, type OnVisit } from './context/node.ts';

export const noVisit: OnVisit = () => {};

/** Branches and context ask for the chain of the same list, one after the other. */
const made = new WeakMap<readonly Entry[], Chain>();

/** All entries of one file, in file order. */
export function chainOf(entries: readonly Entry[], onVisit: OnVisit = noVisit): Chain {
  const known = onVisit === noVisit ? made.get(entries) : undefined;
  if (known !== undefined) return known;
  const chain = makeChain(entries, onVisit);
  if (onVisit === noVisit) made.set(entries, chain);
  return chain;
}

function makeChain(entries: readonly Entry[], onVisit: OnVisit): Chain {
  const index = indexNodes(entries, onVisit);
  const placed: Placed = index.plain ? { nodes: index.nodes } : placePreserved(index.nodes, onVisit);
  const { nodes, preserved } = placed;
  const tip = index.plain ? [...nodes.values()].at(-1) : findTip(entries, placed, onVisit);
  const { seen, leaf } = index.pin;
  const pinned = leaf === undefined ? undefined : nodes.get(leaf);
  // C2: after a compaction that kept messages no note is where a resume goes on.
  const pin = pinned === undefined || preserved === undefined || isSpoken(pinned) ? pinned : undefined;
  return { nodes, tip, lastPrompt: seen, pin, preserved, onVisit };
}

/** R6: from the leaf to the root, root first. A gap is bridged to the newest entry not walked yet that lies shortly before it. */
export function walk(chain: Chain, leaf: ChainNode): ChainNode[] {
  const seen = new Set<ChainNode>();
  const path: ChainNode[] = [];
  const timeline = lazy(() => timelineOf(chain));
  for (let at: ChainNode | undefined = leaf; at !== undefined; at = above(chain, at, seen, timeline)) {
    chain.onVisit(at.entry, 'walk');
    seen.add(at);
    path.push(at);
  }
  return path.reverse();
}

function above(
  chain: Chain,
  node: ChainNode,
  seen: ReadonlySet<ChainNode>,
  timeline: () => Timeline,
): ChainNode | undefined {
  if (node.parent === null) return undefined;
  const parent = chain.nodes.get(node.parent);
  if (parent !== undefined && !seen.has(parent)) return parent;
  // A side chain ends where it began.
  if (node.entry.head.isSidechain) return undefined;
  return newestBefore(timeline(), node, seen);
}
