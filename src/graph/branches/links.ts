/** Which entry follows which (E12, C1, R6): one parent each, no cycles, whatever the file holds. */
import type { Entry } from '../../format/entry.ts';
import { lazy } from '../../format/lazy.ts';
import { isBoundary } from '../chain.ts';
import { isAgentTranscript } from '../parts.ts';
import { NONE, type Uuids, uuidsOf } from '../uuids.ts';
import { createBridge } from './bridge.ts';
import { type Climb, createClimb } from './climb.ts';
import { beforeCompaction } from './compaction.ts';

export interface LinkOptions {
  /** Copies that got a uuid of their own → the uuid they were copied from (H1). */
  readonly identity?: (uuid: string) => string;
  /** First entries that continue another file → the entry they follow (H4). */
  readonly joins?: ReadonlyMap<Entry, Entry>;
}

export { NONE } from '../uuids.ts';

/** Nodes are entries of the conversation, named by the place of their first line; a uuid that occurs again is the same node. */
export interface Links {
  /** By place in the list: the node, or NONE for lines outside the conversation. */
  readonly nodeAt: Int32Array;
  /** By node: the entry that counts, which is the last (E12). */
  readonly content: readonly Entry[];
  /** By node: the node it follows, or NONE. */
  readonly parent: Int32Array;
  /** No uuid comes twice. */
  readonly distinct: boolean;
  /** Entries of inline sub-agents (1.0.x). In an agent's own transcript nothing is aside. */
  isAside(entry: Entry): boolean;
}

const CHAIN = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);
const SPOKEN = new Set(['user', 'assistant']);

export function linksOf(entries: readonly Entry[], options: LinkOptions = {}): Links {
  const isAgent = isAgentTranscript(entries);
  const isAside = (entry: Entry) => entry.head.isSidechain && !isAgent;
  const uuids = uuidsOf(entries, options.identity);
  const index = indexNodes(entries, uuids);
  const climb = createClimb(entries.length);
  const bridge = createBridge(index.content, index.nodeAt, isAside);
  const { parent, guessed } = findParents(entries, index, {
    isAside,
    joins: options.joins ?? new Map(),
    climb,
    bridge,
  });
  for (const cut of cutCycles(index.nodeAt, parent, guessed)) {
    // R6: where the walk comes round, it goes on from the entry before in time, unless that hangs on this one.
    const before = bridge(cut);
    if (before !== undefined && climb.ends(parent, before, (node) => node === cut) === 'top') parent[cut] = before;
  }
  return { nodeAt: index.nodeAt, content: index.content, parent, distinct: uuids.distinct, isAside };
}

interface Index {
  readonly nodeAt: Int32Array;
  readonly content: readonly Entry[];
  find(uuid: string | null | undefined): number | undefined;
  /** The node that the entry of a node names as its parent. */
  parentOf(node: number): number | undefined;
  /** The first line that makes a tool call. */
  callerOf(call: string): number | undefined;
}

function indexNodes(entries: readonly Entry[], uuids: Uuids): Index {
  const nodeAt = new Int32Array(entries.length).fill(NONE);
  const content = entries.slice();
  /** By node: the place of its content. */
  const lastAt = new Int32Array(entries.length);
  /** By number of a uuid. */
  const nodeOf = new Int32Array(uuids.count).fill(NONE);
  for (let place = 0; place < entries.length; place += 1) {
    const entry = entries[place];
    if (entry === undefined || !isOnChain(entry)) continue;
    const number = uuids.own[place] ?? NONE;
    const known = nodeOf[number] ?? NONE;
    const node = known === NONE ? place : known;
    if (number !== NONE) nodeOf[number] = node;
    nodeAt[place] = node;
    content[node] = entry;
    lastAt[node] = place;
  }
  const callers = lazy(() => firstCallers(entries, nodeAt));
  const nodeWith = (number: number) => {
    const node = nodeOf[number] ?? NONE;
    return node === NONE ? undefined : node;
  };
  return {
    nodeAt,
    content,
    find: (uuid) => (uuid ? nodeWith(uuids.find(uuid)) : undefined),
    parentOf: (node) => nodeWith(uuids.parent[lastAt[node] ?? NONE] ?? NONE),
    callerOf: (call) => callers().get(call),
  };
}

function firstCallers(entries: readonly Entry[], nodeAt: Int32Array): Map<string, number> {
  const callers = new Map<string, number>();
  for (const [place, { kind, head }] of entries.entries()) {
    const node = nodeAt[place] ?? NONE;
    if (kind !== 'assistant' || node === NONE) continue;
    for (const { id } of head.blocks) if (id !== undefined && !callers.has(id)) callers.set(id, node);
  }
  return callers;
}

interface Tools {
  isAside(entry: Entry): boolean;
  readonly joins: ReadonlyMap<Entry, Entry>;
  readonly climb: Climb;
  bridge(place: number): number | undefined;
}

function findParents(
  entries: readonly Entry[],
  index: Index,
  { isAside, joins, climb, bridge }: Tools,
): { parent: Int32Array; guessed: Uint8Array } {
  const { nodeAt, content, find } = index;
  const joinedNodes = new Map(joins.size > 0 ? entries.map((entry, place) => [entry, nodeAt[place] ?? NONE]) : []);
  const parent = new Int32Array(entries.length).fill(NONE);
  const guessed = new Uint8Array(entries.length);
  /** By file: the last entry of the main conversation so far. */
  const previous = new Map<string, number>();
  const compactedBefore = (entry: Entry, before: number | undefined) =>
    isBoundary(entry) ? beforeCompaction(entry, { find, parent, previous: before, climb }) : undefined;
  for (let place = 0; place < content.length; place += 1) {
    const entry = content[place];
    if (entry === undefined || nodeAt[place] !== place) continue;
    const before = previous.get(entry.source.name);
    const joined = joins.get(entry);
    const known = joined
      ? joinedNodes.get(joined)
      : (compactedBefore(entry, before) ?? namedParent(entry, place, index));
    if (known !== undefined && known !== place) {
      parent[place] = entry.kind === 'unknown' ? insideTurn(known, bridge(place), parent, content, climb) : known;
    } else if (isAside(entry) || !isRoot(entry, before !== undefined)) {
      // A side chain begins where its call stands.
      const isLost = typeof entry.head.parentUuid === 'string' && !isAside(entry);
      parent[place] = (isLost ? bridge(place) : undefined) ?? before ?? NONE;
      guessed[place] = 1;
    }
    if (!isAside(entry)) previous.set(entry.source.name, place);
  }
  return { parent, guessed };
}

/** The client does not follow unknown types, but goes on in time (R6): right within a turn, while across a prompt it would join branches. */
function insideTurn(
  named: number,
  inTime: number | undefined,
  parent: Int32Array,
  content: readonly Entry[],
  climb: Climb,
): number {
  if (inTime === undefined) return named;
  const stop = (node: number) => node === named || isPrompt(content[node]);
  return climb.ends(parent, inTime, stop) === named ? inTime : named;
}

function isPrompt(entry: Entry | undefined): boolean {
  if (entry?.kind !== 'user' || entry.head.isMeta) return false;
  return !entry.head.blocks.some(({ type }) => type === 'tool_result');
}

/** An unknown type that names a parent stands in the chain like any other; what was said counts even without a uuid (E15). */
function isOnChain({ kind, head }: Entry): boolean {
  if (SPOKEN.has(kind)) return true;
  if (head.uuid === undefined) return false;
  return CHAIN.has(kind) || (kind === 'unknown' && head.parentUuid !== undefined);
}

/** The parent an entry names; a result whose parent is lost follows its call (R8). */
function namedParent({ kind, head }: Entry, node: number, { find, parentOf, callerOf }: Index): number | undefined {
  const named = parentOf(node);
  if (named !== undefined) return named;
  if (head.parentUuid === null) return find(head.logicalParentUuid);
  const call = kind === 'user' ? head.blocks.find(({ toolUseId }) => toolUseId !== undefined)?.toolUseId : undefined;
  return find(head.sourceToolAssistantUUID) ?? (call === undefined ? undefined : callerOf(call));
}

/** A prompt without parent was typed at the start, or after a rewind to it; anything else without one goes on from what was before. */
function isRoot(entry: Entry, hasPrevious: boolean): boolean {
  return !hasPrevious || (entry.head.parentUuid === null && isPrompt(entry));
}

/** Each cycle is cut once: at a guessed link, else at its first line. Gives the nodes that lost their parent. */
function cutCycles(nodeAt: Int32Array, parent: Int32Array, guessed: Uint8Array): number[] {
  const cuts: number[] = [];
  const seenFrom = new Int32Array(parent.length).fill(NONE);
  for (let start = 0; start < parent.length; start += 1) {
    if (nodeAt[start] !== start) continue;
    let node = start;
    while (node !== NONE && seenFrom[node] === NONE) {
      seenFrom[node] = start;
      node = parent[node] ?? NONE;
    }
    if (node === NONE || seenFrom[node] !== start) continue;
    const cut = weakest(node, parent, guessed);
    parent[cut] = NONE;
    cuts.push(cut);
  }
  return cuts;
}

function weakest(inCycle: number, parent: Int32Array, guessed: Uint8Array): number {
  let best = inCycle;
  for (let node = parent[inCycle] ?? NONE; node !== inCycle && node !== NONE; node = parent[node] ?? NONE) {
    const weaker = (guessed[node] ?? 0) - (guessed[best] ?? 0);
    if (weaker > 0 || (weaker === 0 && node < best)) best = node;
  }
  return best;
}
