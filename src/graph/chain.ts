/**
 * Which entries of a file form its conversation: an index by uuid, the leaf a resume goes on from, and the walk from there
 * to the root (R1–R6). Everything works on metadata and in linear time; no payload is read but that of compaction boundaries.
 */
import type { Entry } from '../format/entry.ts';
import { type ChainNode, isBoundary, isConversation, type OnVisit } from './context/node.ts';
import { type PreservedSpan, placePreserved } from './context/preserved.ts';

export interface Chain {
  readonly nodes: ReadonlyMap<string, ChainNode>;
  /** R3: the last line of the conversation that is not of a side chain. */
  readonly tip: ChainNode | undefined;
  /** R2: whether a last-prompt line names a leaf, and the entry that it pins. */
  readonly lastPrompt: boolean;
  readonly pin: ChainNode | undefined;
  /** C2: the entry that preserved messages were hung on, and the last of them. */
  readonly preserved: PreservedSpan | undefined;
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
  const { nodes, preserved } = index.plain ? { nodes: index.nodes } : placePreserved(index.nodes, onVisit);
  const tip = index.plain ? [...nodes.values()].at(-1) : findTip(entries, nodes, onVisit);
  const pinned = findPin(entries, onVisit);
  const pin = pinned.leaf === undefined ? undefined : nodes.get(pinned.leaf);
  return { nodes, tip, lastPrompt: pinned.seen, pin, preserved, onVisit };
}

/** The entry a resume goes on from (R2–R5). */
export function leafOf(chain: Chain): ChainNode | undefined {
  const { pin } = chain;
  if (pin === undefined) return unpinnedLeaf(chain);
  if (chain.tip !== undefined && reaches(chain, chain.tip, pin)) return chain.tip;
  // The client cannot resume at a side chain; the conversation itself is the best answer.
  return pin.entry.head.isSidechain ? unpinnedLeaf(chain) : pin;
}

function unpinnedLeaf(chain: Chain): ChainNode | undefined {
  const tip = spokenTip(chain);
  if (tip === undefined || tip !== chain.tip) return tip;
  const kept = lastPreserved(chain, tip);
  if (kept !== undefined) return kept;
  return chain.lastPrompt ? tip : newestBelow(chain, tip);
}

/** What was preserved follows its anchor, so an anchor is never the last word (C2). */
function lastPreserved(chain: Chain, tip: ChainNode): ChainNode | undefined {
  const { anchor, tail } = chain.preserved ?? {};
  return tip.key === anchor ? chain.nodes.get(tail ?? '') : undefined;
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
  if (parent === undefined && node.bridged) return undefined;
  return newestBefore(timeline(), node, seen);
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

function findTip(
  entries: readonly Entry[],
  nodes: ReadonlyMap<string, ChainNode>,
  onVisit: OnVisit,
): ChainNode | undefined {
  for (let i = entries.length - 1; i >= 0; i -= 1) {
    const entry = entries[i];
    if (entry === undefined || !isConversation(entry) || entry.head.isSidechain) continue;
    onVisit(entry, 'tip');
    const node = nodes.get(entry.head.uuid ?? '');
    if (node !== undefined) return node;
  }
  return undefined;
}

/** R3: a tip that hangs on nothing anyone said, such as a boundary with nothing after it, gives way to the newest saying. */
function spokenTip(chain: Chain): ChainNode | undefined {
  const { tip } = chain;
  if (tip === undefined) return undefined;
  for (const node of plainWalk(chain, tip)) if (isSpoken(node)) return tip;
  let newest = tip;
  let time = Number.NEGATIVE_INFINITY;
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'spoken');
    if (!isSpoken(node) || node.entry.head.isSidechain || timeOf(node.entry) < time) continue;
    newest = node;
    time = timeOf(node.entry);
  }
  return newest;
}

function isSpoken({ entry }: ChainNode): boolean {
  return entry.kind === 'user' || entry.kind === 'assistant';
}

/** R4: whether a plain parent walk, without repair of gaps, meets the pin or what runs parallel to it. */
function reaches(chain: Chain, from: ChainNode, pin: ChainNode): boolean {
  const line = callLineOf(chain, pin);
  for (const node of plainWalk(chain, from)) {
    if (node === pin) return true;
    const parallel = line !== undefined && node !== line && isCallLine(node);
    if (parallel && node.entry.head.message?.id === line.entry.head.message?.id) return true;
  }
  return false;
}

/** The line with the call that an entry is, answers, or is attached to. */
function callLineOf(chain: Chain, pin: ChainNode): ChainNode | undefined {
  const parentOf = (node: ChainNode | undefined) => chain.nodes.get(node?.parent ?? '');
  let node = pin.entry.kind === 'attachment' ? parentOf(pin) : pin;
  if (node?.entry.head.blocks.some((block) => block.type === 'tool_result')) node = parentOf(node);
  return node !== undefined && isCallLine(node) && node.entry.head.message?.id ? node : undefined;
}

function isCallLine({ entry }: ChainNode): boolean {
  return entry.kind === 'assistant' && entry.head.blocks.some((block) => block.type === 'tool_use');
}

function* plainWalk(chain: Chain, from: ChainNode): Generator<ChainNode> {
  const seen = new Set<ChainNode>();
  let at: ChainNode | undefined = from;
  while (at !== undefined && !seen.has(at)) {
    chain.onVisit(at.entry, 'plain walk');
    yield at;
    seen.add(at);
    at = at.parent === null ? undefined : chain.nodes.get(at.parent);
  }
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

/** R6: how far back in time the far side of a gap may lie. */
const WIDEST_GAP_MS = 5000;

/** The entries by time, and for each place the next one before it that may still be unseen. */
interface Timeline {
  readonly times: readonly number[];
  readonly nodes: readonly ChainNode[];
  readonly next: Int32Array;
}

/** In order of time; of several at one time the first in the file stands last, so that a search backwards meets it first. */
function timelineOf(chain: Chain): Timeline {
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
function newestBefore(timeline: Timeline, node: ChainNode, seen: ReadonlySet<ChainNode>): ChainNode | undefined {
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

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
