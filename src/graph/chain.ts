/**
 * Which entries of a file form its conversation: an index by uuid, the leaf a resume goes on from, and the walk from there
 * to the root (R1–R6). Everything works on metadata and in linear time; no payload is read but that of compaction boundaries.
 */
import type { Entry } from '../format/entry.ts';
import { type ChainNode, isBoundary, isConversation, type OnVisit } from './context/node.ts';
import { placePreserved } from './context/preserved.ts';

export interface Chain {
  readonly nodes: ReadonlyMap<string, ChainNode>;
  /** R3: the last line of the conversation. */
  readonly tip: ChainNode | undefined;
  /** R2: whether a last-prompt line names a leaf, and the entry that it pins. */
  readonly lastPrompt: boolean;
  readonly pin: ChainNode | undefined;
  readonly onVisit: OnVisit;
}

export type { ChainNode, OnVisit } from './context/node.ts';
export { isBoundary };

const noVisit: OnVisit = () => {};

export function timeOf(entry: Entry): number {
  const time = Date.parse(entry.head.timestamp ?? '');
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}

/** All entries of one file, in file order. */
export function chainOf(entries: readonly Entry[], onVisit: OnVisit = noVisit): Chain {
  const index = indexNodes(entries, onVisit);
  const nodes = index.plain ? index.nodes : placePreserved(index.nodes, onVisit);
  const tip = index.plain ? [...nodes.values()].at(-1) : findTip(entries, nodes, onVisit);
  const pinned = findPin(entries, onVisit);
  const pin = pinned.leaf === undefined ? undefined : nodes.get(pinned.leaf);
  return { nodes, tip, lastPrompt: pinned.seen, pin, onVisit };
}

/** The entry a resume goes on from (R2–R5). */
export function leafOf(chain: Chain): ChainNode | undefined {
  const { tip, pin } = chain;
  if (tip === undefined) return pin;
  if (pin !== undefined) {
    if (reaches(chain, tip, pin)) return tip;
    // The client cannot resume at a side chain; the conversation itself is the best answer.
    return pin.entry.head.isSidechain ? tip : pin;
  }
  return chain.lastPrompt ? tip : newestBelow(chain, tip);
}

/** R6: from the leaf to the root, root first. A gap is bridged to the newest entry that is not newer than the one above the gap. */
export function walk(chain: Chain, leaf: ChainNode): ChainNode[] {
  const seen = new Set<ChainNode>();
  const path: ChainNode[] = [];
  const before = lazy(() => byTime(chain));
  for (let at: ChainNode | undefined = leaf; at !== undefined; at = above(chain, at, seen, before)) {
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
  before: () => readonly Timed[],
): ChainNode | undefined {
  if (node.parent === null) return undefined;
  const parent = chain.nodes.get(node.parent);
  if (parent !== undefined && !seen.has(parent)) return parent;
  if (parent === undefined && node.bridged) return undefined;
  const near = newestBefore(before(), node);
  return near === undefined || seen.has(near) ? undefined : near;
}

interface Index {
  readonly nodes: Map<string, ChainNode>;
  /** E15: no entry has a uuid or a parent; the keys are made up. */
  readonly plain: boolean;
}

function indexNodes(entries: readonly Entry[], onVisit: OnVisit): Index {
  const nodes = new Map<string, ChainNode>();
  // R6: progress is bridged through its own parent, as far as it was written before the entry that hangs on it.
  const bridges = new Map<string, string | null>();
  let linked = false;
  let lines = 0;
  for (const entry of entries) {
    onVisit(entry, 'index');
    const { uuid, parentUuid } = entry.head;
    const parent = parentUuid || null;
    const bridge = parent === null ? undefined : bridges.get(parent);
    if (entry.kind === 'progress') {
      if (uuid !== undefined) bridges.set(uuid, bridge === undefined ? parent : bridge);
      continue;
    }
    if (!isConversation(entry)) continue;
    lines += 1;
    linked ||= uuid !== undefined || parent !== null;
    const bridged = bridge !== undefined;
    putNode(nodes, { key: uuid ?? '', entry, order: nodes.size, parent: bridged ? bridge : parent, bridged });
  }
  return linked || lines < 2 ? { nodes, plain: false } : { nodes: listOf(entries, onVisit), plain: true };
}

function putNode(nodes: Map<string, ChainNode>, node: ChainNode): void {
  const earlier = nodes.get(node.key);
  if (earlier === undefined) nodes.set(node.key, node);
  else Object.assign(earlier, { entry: node.entry, parent: node.parent, bridged: node.bridged });
}

/** E15: a reduced transcript without any uuid and parent is a plain list. */
function listOf(entries: readonly Entry[], onVisit: OnVisit): Map<string, ChainNode> {
  const nodes = new Map<string, ChainNode>();
  let parent: string | null = null;
  for (const entry of entries) {
    onVisit(entry, 'list');
    if (!isConversation(entry)) continue;
    const key = `#${nodes.size}`;
    nodes.set(key, { key, entry, order: nodes.size, parent, bridged: false });
    parent = key;
  }
  return nodes;
}

/** R2: only the newest last-prompt that names a leaf counts, and a boundary written after it cancels the pin. */
function findPin(entries: readonly Entry[], onVisit: OnVisit): { seen: boolean; leaf?: string } {
  let compacted = false;
  for (let i = entries.length - 1; i >= 0; i -= 1) {
    const entry = entries[i];
    if (entry === undefined) continue;
    onVisit(entry, 'pin');
    if (isBoundary(entry)) compacted = true;
    const leaf = entry.kind === 'last-prompt' ? entry.head.leafUuid : undefined;
    if (leaf !== undefined) return compacted ? { seen: true } : { seen: true, leaf };
  }
  return { seen: false };
}

/** R3: boundaries with nothing after them do not count, unless there is nothing else. */
function findTip(
  entries: readonly Entry[],
  nodes: ReadonlyMap<string, ChainNode>,
  onVisit: OnVisit,
): ChainNode | undefined {
  let boundary: ChainNode | undefined;
  for (let i = entries.length - 1; i >= 0; i -= 1) {
    const entry = entries[i];
    if (entry === undefined || !isConversation(entry) || entry.head.isSidechain) continue;
    onVisit(entry, 'tip');
    const node = nodes.get(entry.head.uuid ?? '');
    if (node === undefined) continue;
    if (!isBoundary(entry)) return node;
    boundary ??= node;
  }
  return boundary;
}

/** R4: a plain parent walk, without repair of gaps. */
function reaches(chain: Chain, from: ChainNode, to: ChainNode): boolean {
  const seen = new Set<ChainNode>();
  let at: ChainNode | undefined = from;
  while (at !== undefined && !seen.has(at)) {
    if (at === to) return true;
    chain.onVisit(at.entry, 'reach');
    seen.add(at);
    at = at.parent === null ? undefined : chain.nodes.get(at.parent);
  }
  return false;
}

/** R5: the newest of the tip and its descendants; of several at one time the last in the file. */
function newestBelow(chain: Chain, tip: ChainNode): ChainNode {
  const below = descendants(chain, tip);
  let best = tip;
  let bestTime = timeOf(tip.entry);
  for (const node of below.size === 0 ? [] : chain.nodes.values()) {
    if (!below.has(node) || node.entry.head.isSidechain) continue;
    chain.onVisit(node.entry, 'newest');
    const time = timeOf(node.entry);
    if (time < bestTime || time === Number.NEGATIVE_INFINITY) continue;
    best = node;
    bestTime = time;
  }
  return best;
}

function descendants(chain: Chain, top: ChainNode): Set<ChainNode> {
  const children = new Map<string, ChainNode[]>();
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'children');
    if (node.parent === null) continue;
    const siblings = children.get(node.parent);
    if (siblings === undefined) children.set(node.parent, [node]);
    else siblings.push(node);
  }
  const below = new Set<ChainNode>();
  const todo = [top];
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    for (const child of children.get(at.key) ?? []) {
      if (child === top || below.has(child)) continue;
      below.add(child);
      todo.push(child);
    }
  }
  return below;
}

interface Timed {
  readonly time: number;
  readonly node: ChainNode;
}

function byTime(chain: Chain): Timed[] {
  const timed: Timed[] = [];
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'time');
    const time = timeOf(node.entry);
    if (time !== Number.NEGATIVE_INFINITY && !node.entry.head.isSidechain) timed.push({ time, node });
  }
  return timed.sort((a, b) => a.time - b.time || a.node.order - b.node.order);
}

/** The other entry of greatest time not after the node's own; of several at that time the first in the file. */
function newestBefore(timed: readonly Timed[], node: ChainNode): ChainNode | undefined {
  let end = firstAfter(timed, timeOf(node.entry));
  while (end > 0) {
    const time = timed[end - 1]?.time ?? 0;
    // Times are whole milliseconds, so the group of equal times starts where those before it end.
    const start = firstAfter(timed, time - 1);
    const other = timed[start]?.node === node ? start + 1 : start;
    if (other < end) return timed[other]?.node;
    end = start;
  }
  return undefined;
}

/** The index of the first item later than a time. */
function firstAfter(timed: readonly Timed[], time: number): number {
  let low = 0;
  let high = timed.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((timed[middle]?.time ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
