/** Which entry follows which (E12, C1, R6): one parent each, no cycles, whatever the file holds. */
import type { Entry } from '../../format/entry.ts';
import { createBridge } from './bridge.ts';
import { beforeCompaction } from './compaction.ts';

export interface LinkOptions {
  /** Copies that got a uuid of their own → the uuid they were copied from (H1). */
  readonly identity?: (uuid: string) => string;
  /** First entries that continue another file → the entry they follow (H4). */
  readonly joins?: ReadonlyMap<Entry, Entry>;
}

export const NONE = -1;

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
  const identity = options.identity ?? ((uuid: string) => uuid);
  const isAgent = isAgentTranscript(entries);
  const isAside = (entry: Entry) => entry.head.isSidechain && !isAgent;
  const nodeAt = new Int32Array(entries.length).fill(NONE);
  const content = [...entries];
  const byId = new Map<string, number>();
  const byCall = new Map<string, number>();
  for (const [place, entry] of entries.entries()) {
    if (!isOnChain(entry)) continue;
    const node = nodeOf(entry, place, byId, identity);
    nodeAt[place] = node;
    content[node] = entry;
    for (const { id } of entry.kind === 'assistant' ? entry.head.blocks : []) {
      if (id !== undefined && !byCall.has(id)) byCall.set(id, node);
    }
  }
  const find = (uuid: string | null | undefined) => (uuid ? byId.get(identity(uuid)) : undefined);
  const places = new Map(options.joins === undefined ? [] : entries.map((entry, place) => [entry, place]));
  const parent = new Int32Array(entries.length).fill(NONE);
  const guessed = new Uint8Array(entries.length);
  const bridge = createBridge(content, nodeAt, isAside);
  const previous = new Map<Entry['source'], number>();
  const budget = { left: entries.length };

  for (let place = 0; place < entries.length; place += 1) {
    const entry = content[place];
    if (entry === undefined || nodeAt[place] !== place) continue;
    const joined = options.joins?.get(entry);
    const around = { find, parent, previous: previous.get(entry.source), budget };
    const known = joined ? places.get(joined) : (beforeCompaction(entry, around) ?? namedParent(entry, find, byCall));
    if (known !== undefined && known !== place) parent[place] = known;
    else if (isAside(entry) || !isRoot(entry, previous.has(entry.source))) {
      // A side chain begins where its call stands.
      const isLost = typeof entry.head.parentUuid === 'string' && !isAside(entry);
      parent[place] = (isLost ? bridge(place) : undefined) ?? previous.get(entry.source) ?? NONE;
      guessed[place] = 1;
    }
    if (!isAside(entry)) previous.set(entry.source, place);
  }
  cutCycles(nodeAt, parent, guessed);
  return { nodeAt, content, parent, isAside };
}

function isAgentTranscript(entries: readonly Entry[]): boolean {
  let spoken = false;
  for (const { kind, head } of entries) {
    if (!SPOKEN.has(kind)) continue;
    if (!head.isSidechain) return false;
    spoken = true;
  }
  return spoken;
}

/** An unknown type that names a parent stands in the chain like any other; what was said counts even without a uuid (E15). */
function isOnChain({ kind, head }: Entry): boolean {
  if (SPOKEN.has(kind)) return true;
  if (head.uuid === undefined) return false;
  return CHAIN.has(kind) || (kind === 'unknown' && head.parentUuid !== undefined);
}

function nodeOf(entry: Entry, place: number, byId: Map<string, number>, identity: (uuid: string) => string): number {
  if (entry.head.uuid === undefined) return place;
  const id = identity(entry.head.uuid);
  const known = byId.get(id);
  if (known !== undefined) return known;
  byId.set(id, place);
  return place;
}

/** The parent an entry names; a result whose parent is lost follows its call (R8). */
function namedParent(
  { kind, head }: Entry,
  find: (uuid: string | null | undefined) => number | undefined,
  byCall: ReadonlyMap<string, number>,
): number | undefined {
  const named = find(head.parentUuid);
  if (named !== undefined) return named;
  if (head.parentUuid === null) return find(head.logicalParentUuid);
  const call = kind === 'user' ? head.blocks.find(({ toolUseId }) => toolUseId !== undefined)?.toolUseId : undefined;
  return find(head.sourceToolAssistantUUID) ?? (call === undefined ? undefined : byCall.get(call));
}

/** A prompt without parent was typed at the start, or after a rewind to it; anything else without one goes on from what was before. */
function isRoot({ kind, head }: Entry, hasPrevious: boolean): boolean {
  if (!hasPrevious) return true;
  if (head.parentUuid !== null || kind !== 'user' || head.isMeta) return false;
  return !head.blocks.some(({ type }) => type === 'tool_result');
}

/** Each cycle is cut once: at a guessed link, else at its first line. */
function cutCycles(nodeAt: Int32Array, parent: Int32Array, guessed: Uint8Array): void {
  const seenFrom = new Int32Array(parent.length).fill(NONE);
  for (let start = 0; start < parent.length; start += 1) {
    if (nodeAt[start] !== start) continue;
    let node = start;
    while (node !== NONE && seenFrom[node] === NONE) {
      seenFrom[node] = start;
      node = parent[node] ?? NONE;
    }
    if (node !== NONE && seenFrom[node] === start) parent[weakest(node, parent, guessed)] = NONE;
  }
}

function weakest(inCycle: number, parent: Int32Array, guessed: Uint8Array): number {
  let best = inCycle;
  for (let node = parent[inCycle] ?? NONE; node !== inCycle && node !== NONE; node = parent[node] ?? NONE) {
    const weaker = (guessed[node] ?? 0) - (guessed[best] ?? 0);
    if (weaker > 0 || (weaker === 0 && node < best)) best = node;
  }
  return best;
}
