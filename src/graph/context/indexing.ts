/** R1: the conversation entries of a file by uuid, and what is told of them in passing. */
import type { Entry } from '../../format/entry.ts';
import { NONE, uuidsOf } from '../uuids.ts';
import { type ChainNode, isBoundary, isConversation, type Nodes, type OnVisit } from './node.ts';

export interface Index {
  readonly nodes: Nodes;
  /** E15: no entry has a uuid or a parent; the keys are made up. */
  readonly plain: boolean;
  readonly pin: Pin;
}

/** R2: only the newest last-prompt that names a leaf counts, and a boundary written after it cancels the pin. */
export interface Pin {
  readonly seen: boolean;
  readonly leaf?: string;
}

export function indexNodes(entries: readonly Entry[], onVisit: OnVisit): Index {
  const uuids = uuidsOf(entries);
  const nodes: ChainNode[] = [];
  /** By number of a uuid; what has none comes after them, with what has an empty one. */
  const byNumber: (ChainNode | undefined)[] = new Array(uuids.count + 1).fill(undefined);
  const unnamed = uuids.find('') === NONE ? uuids.count : uuids.find('');
  // R6: progress is bridged through its own parent, as far as it was written before the entry that hangs on it.
  const bridges = new Map<number, string | null>();
  let pin: Pin = { seen: false };
  let linked = false;
  let lines = 0;
  for (let place = 0; place < entries.length; place += 1) {
    const entry = entries[place];
    if (entry === undefined) continue;
    onVisit(entry, 'index');
    const { uuid, parentUuid } = entry.head;
    const parent = parentUuid || null;
    const bridge = parent === null ? undefined : bridges.get(uuids.parent[place] ?? NONE);
    const number = uuids.own[place] ?? NONE;
    if (entry.kind === 'progress') {
      if (number !== NONE) bridges.set(number, bridge === undefined ? parent : bridge);
      continue;
    }
    if (entry.kind === 'last-prompt' && entry.head.leafUuid !== undefined)
      pin = { seen: true, leaf: entry.head.leafUuid };
    if (!isConversation(entry)) continue;
    if (pin.leaf !== undefined && isBoundary(entry)) pin = { seen: true };
    lines += 1;
    linked ||= uuid !== undefined || parent !== null;
    const known = byNumber[number === NONE ? unnamed : number];
    const above = bridge === undefined ? parent : bridge;
    if (known === undefined) {
      const node = { key: uuid ?? '', entry, order: nodes.length, parent: above };
      byNumber[number === NONE ? unnamed : number] = node;
      nodes.push(node);
    } else {
      known.entry = entry;
      known.parent = above;
    }
  }
  if (!linked && lines > 1) return { nodes: listOf(entries, onVisit), plain: true, pin };
  const get = (key: string) => byNumber[key === '' ? unnamed : uuids.find(key)];
  return { nodes: { get, has: (key) => get(key) !== undefined, values: () => nodes }, plain: false, pin };
}

/** E15: a reduced transcript without any uuid and parent is a plain list. */
function listOf(entries: readonly Entry[], onVisit: OnVisit): Map<string, ChainNode> {
  const nodes = new Map<string, ChainNode>();
  let parent: string | null = null;
  for (const entry of entries) {
    onVisit(entry, 'list');
    if (!isConversation(entry)) continue;
    const key = `#${nodes.size}`;
    nodes.set(key, { key, entry, order: nodes.size, parent });
    parent = key;
  }
  return nodes;
}
