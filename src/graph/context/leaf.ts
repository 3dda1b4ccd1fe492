/** R2–R5: from which entry a resume goes on. */
import type { Entry } from '../../format/entry.ts';
import { type Chain, type ChainNode, isConversation, isSpoken, type Nodes, type OnVisit, timeOf } from './node.ts';
import type { Placed } from './preserved.ts';

/** As much of a chain as a walk needs. */
type Walked = Pick<Chain, 'nodes' | 'onVisit'>;

/** The entry that a resume goes on from; it may be an attachment or a system line after the last thing said. */
export function leafOf(chain: Chain): ChainNode | undefined {
  const pinned = pinnedLeaf(chain);
  // The client cannot resume at a side chain; the conversation itself is the best answer.
  if (pinned && !pinned.entry.head.isSidechain && lastSaid(chain, pinned) !== undefined) return pinned;
  const leaf = unpinned(chain);
  return lastSaid(chain, leaf) === undefined ? newestSaying(chain) : leaf;
}

/** R4: where a pin makes the client go on. */
export function pinnedLeaf(chain: Chain): ChainNode | undefined {
  const { tip, pin } = chain;
  const leaf = pin !== undefined && tip !== undefined && reaches(chain, tip, pin) ? tip : pin;
  return leaf && (lastPreserved(chain, leaf) ?? leaf);
}

/** The last thing said at a leaf: where the walk starts. What hangs on it unsaid comes with it (R8). */
export function lastSaid(chain: Walked, leaf: ChainNode | undefined): ChainNode | undefined {
  for (const node of leaf === undefined ? [] : plainWalk(chain, leaf)) if (isSpoken(node)) return node;
  return undefined;
}

function unpinned(chain: Chain): ChainNode | undefined {
  const { tip } = chain;
  if (tip === undefined) return undefined;
  return lastPreserved(chain, tip) ?? (chain.lastPrompt ? tip : newestBelow(chain, tip));
}

/** What was preserved follows its anchor, so an anchor is never the last word (C2). */
function lastPreserved(chain: Chain, leaf: ChainNode): ChainNode | undefined {
  const { anchor, tail } = chain.preserved ?? {};
  return leaf.key === anchor ? chain.nodes.get(tail ?? '') : undefined;
}

/**
 * R3: where a session without a pin goes on. After a compaction that kept messages (C2) that is not a note on what somebody
 * went on from.
 */
export function findTip(
  entries: readonly Entry[],
  { nodes, preserved }: Placed,
  onVisit: OnVisit,
): ChainNode | undefined {
  const tip = lastLine(entries, nodes, onVisit, () => true);
  if (preserved === undefined || tip === undefined || isSpoken(tip)) return tip;
  const said = lastSaid({ nodes, onVisit }, tip);
  if (said !== undefined && !followedSayings({ nodes, onVisit }).has(said)) return tip;
  return lastLine(entries, nodes, onVisit, isSpoken);
}

/** The last line that is not of a side chain; a repeated uuid stands at its last line. */
function lastLine(
  entries: readonly Entry[],
  nodes: Nodes,
  onVisit: OnVisit,
  counts: (node: ChainNode) => boolean,
): ChainNode | undefined {
  for (let i = entries.length - 1; i >= 0; i -= 1) {
    const entry = entries[i];
    if (entry === undefined || !isConversation(entry) || entry.head.isSidechain) continue;
    onVisit(entry, 'tip');
    const node = nodes.get(entry.head.uuid ?? '');
    if (node !== undefined && counts(node)) return node;
  }
  return undefined;
}

/** R3: what a leaf gives way to that hangs on nothing anyone said, such as a boundary with nothing after it. */
function newestSaying(chain: Chain): ChainNode | undefined {
  const followed = followedSayings(chain);
  let newest: ChainNode | undefined;
  let time = Number.NEGATIVE_INFINITY;
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'saying');
    if (!isSpoken(node) || node.entry.head.isSidechain || followed.has(node) || timeOf(node.entry) < time) continue;
    newest = node;
    time = timeOf(node.entry);
  }
  return newest;
}

/** Everything said to which something else was said. */
function followedSayings(chain: Walked): Set<ChainNode> {
  const followed = new Set<ChainNode>();
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'followed');
    if (!isSpoken(node)) continue;
    // Unsaid lines between are marked too, so that none is passed twice.
    for (let at = chain.nodes.get(node.parent ?? ''); at !== undefined && !followed.has(at); ) {
      followed.add(at);
      at = isSpoken(at) ? undefined : chain.nodes.get(at.parent ?? '');
    }
  }
  return followed;
}

/** R4: whether a plain parent walk, without repair of gaps, meets the pin or another call or result parallel to it. */
function reaches(chain: Chain, from: ChainNode, pin: ChainNode): boolean {
  const result = resultOf(chain, pin);
  const line = callLineOf(chain, result ?? pin);
  for (const node of plainWalk(chain, from)) {
    if (node === pin) return true;
    const other = line === undefined || node === line || node === result ? undefined : callLineOf(chain, node);
    if (other !== undefined && other.entry.head.message?.id === line?.entry.head.message?.id) return true;
  }
  return false;
}

/** The result that a note hangs on, directly or below other notes. */
function resultOf(chain: Chain, pin: ChainNode): ChainNode | undefined {
  for (const node of plainWalk(chain, pin)) if (isSpoken(node)) return isResult(node) ? node : undefined;
  return undefined;
}

/** The line with the call that a node is or answers. */
function callLineOf(chain: Chain, node: ChainNode): ChainNode | undefined {
  const line = isResult(node) ? chain.nodes.get(node.parent ?? '') : node;
  return line !== undefined && isCallLine(line) && line.entry.head.message?.id ? line : undefined;
}

function isResult({ entry }: ChainNode): boolean {
  return entry.kind === 'user' && entry.head.blocks.some((block) => block.type === 'tool_result');
}

function isCallLine({ entry }: ChainNode): boolean {
  return entry.kind === 'assistant' && entry.head.blocks.some((block) => block.type === 'tool_use');
}

function* plainWalk(chain: Walked, from: ChainNode): Generator<ChainNode> {
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
  const below = new Set<ChainNode>();
  // Mostly the tip is the last word: then the rest need not be sorted by parent.
  if (!hasChild(chain, top)) return below;
  const children = new Map<string, ChainNode[]>();
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'children');
    if (node.parent === null) continue;
    const siblings = children.get(node.parent);
    if (siblings === undefined) children.set(node.parent, [node]);
    else siblings.push(node);
  }
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

function hasChild(chain: Chain, { key }: ChainNode): boolean {
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'child');
    if (node.parent === key) return true;
  }
  return false;
}
