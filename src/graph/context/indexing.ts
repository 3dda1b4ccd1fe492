/** R1: the conversation entries of a file by uuid. */
import type { Entry } from '../../format/entry.ts';
import { type ChainNode, isConversation, type OnVisit } from './node.ts';

export interface Index {
  readonly nodes: Map<string, ChainNode>;
  /** E15: no entry has a uuid or a parent; the keys are made up. */
  readonly plain: boolean;
}

export function indexNodes(entries: readonly Entry[], onVisit: OnVisit): Index {
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
    putNode(nodes, { key: uuid ?? '', entry, order: nodes.size, parent: bridge === undefined ? parent : bridge });
  }
  return linked || lines < 2 ? { nodes, plain: false } : { nodes: listOf(entries, onVisit), plain: true };
}

function putNode(nodes: Map<string, ChainNode>, node: ChainNode): void {
  const earlier = nodes.get(node.key);
  if (earlier === undefined) nodes.set(node.key, node);
  else Object.assign(earlier, { entry: node.entry, parent: node.parent });
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
