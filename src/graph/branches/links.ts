/** Which entry follows which (E12, C1, R6): one parent each, no cycles, whatever the file holds. */
import type { Entry } from '../../format/entry.ts';
import { isAgentTranscript } from '../parts.ts';
import { createBridge } from './bridge.ts';
import { type Climb, createClimb, NONE } from './climb.ts';
import { beforeCompaction } from './compaction.ts';

export interface LinkOptions {
  /** Copies that got a uuid of their own → the uuid they were copied from (H1). */
  readonly identity?: (uuid: string) => string;
  /** First entries that continue another file → the entry they follow (H4). */
  readonly joins?: ReadonlyMap<Entry, Entry>;
}

export { NONE } from './climb.ts';

/** Nodes are entries of the conversation, named by the place of their first line; a uuid that occurs again is the same node. */
export interface Links {
  /** By place in the list: the node, or NONE for lines outside the conversation. */
  readonly nodeAt: Int32Array;
  /** By node: the entry that counts, which is the last (E12). */
  readonly content: readonly Entry[];
  /** By node: the node it follows, or NONE. */
  readonly parent: Int32Array;
  /** Entries of inline sub-agents (1.0.x). In an agent's own transcript nothing is aside. */
  isAside(entry: Entry): boolean;
}

const CHAIN = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);
const SPOKEN = new Set(['user', 'assistant']);

export function linksOf(entries: readonly Entry[], options: LinkOptions = {}): Links {
  const isAgent = isAgentTranscript(entries);
  const isAside = (entry: Entry) => entry.head.isSidechain && !isAgent;
  const index = indexNodes(entries, options.identity ?? ((uuid) => uuid));
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
  return { nodeAt: index.nodeAt, content: index.content, parent, isAside };
}

interface Index {
  readonly nodeAt: Int32Array;
  readonly content: readonly Entry[];
  find(uuid: string | null | undefined): number | undefined;
  /** The first line that makes a tool call. */
  readonly byCall: ReadonlyMap<string, number>;
}

function indexNodes(entries: readonly Entry[], identity: (uuid: string) => string): Index {
  const nodeAt = new Int32Array(entries.length).fill(NONE);
  const content = [...entries];
  const byId = new Map<string, number>();
  const byCall = new Map<string, number>();
  entries.forEach((entry, place) => {
    if (!isOnChain(entry)) return;
    const id = entry.head.uuid === undefined ? undefined : identity(entry.head.uuid);
    const node = (id === undefined ? undefined : byId.get(id)) ?? place;
    if (id !== undefined) byId.set(id, node);
    nodeAt[place] = node;
    content[node] = entry;
    if (entry.kind !== 'assistant') return;
    for (const block of entry.head.blocks) {
      if (block.id !== undefined && !byCall.has(block.id)) byCall.set(block.id, node);
    }
  });
  return { nodeAt, content, find: (uuid) => (uuid ? byId.get(identity(uuid)) : undefined), byCall };
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
  content.forEach((entry, place) => {
    if (nodeAt[place] !== place) return;
    const before = previous.get(entry.source.name);
    const joined = joins.get(entry);
    const known = joined
      ? joinedNodes.get(joined)
      : (beforeCompaction(entry, { find, parent, previous: before, climb }) ?? namedParent(entry, index));
    if (known !== undefined && known !== place) {
      parent[place] = entry.kind === 'unknown' ? insideTurn(known, bridge(place), parent, content, climb) : known;
    } else if (isAside(entry) || !isRoot(entry, before !== undefined)) {
      // A side chain begins where its call stands.
      const isLost = typeof entry.head.parentUuid === 'string' && !isAside(entry);
      parent[place] = (isLost ? bridge(place) : undefined) ?? before ?? NONE;
      guessed[place] = 1;
    }
    if (!isAside(entry)) previous.set(entry.source.name, place);
  });
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
function namedParent({ kind, head }: Entry, { find, byCall }: Index): number | undefined {
  const named = find(head.parentUuid);
  if (named !== undefined) return named;
  if (head.parentUuid === null) return find(head.logicalParentUuid);
  const call = kind === 'user' ? head.blocks.find(({ toolUseId }) => toolUseId !== undefined)?.toolUseId : undefined;
  return find(head.sourceToolAssistantUUID) ?? (call === undefined ? undefined : byCall.get(call));
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
