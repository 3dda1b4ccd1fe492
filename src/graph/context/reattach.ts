/**
 * R8, R9: parallel calls branch the graph (E5), so a parent walk loses lines and results. Every message on the chain gets its
 * other lines back, and every call of it its results, wherever their parents point.
 */
import type { Chain } from '../chain.ts';
import type { ChainNode } from './node.ts';

/** A message on the chain: its lines and results there, and those to be added, which come in file order. */
interface Group {
  readonly members: ChainNode[];
  readonly added: ChainNode[];
}

export function reattach(chain: Chain, path: readonly ChainNode[]): ChainNode[] {
  const onPath = new Set(path);
  const groups = groupsOf(path);
  if (groups.size === 0) return [...path];
  const owners = addLines(chain, groups, onPath);
  addResults(chain, groups, onPath, owners);
  joinResults(chain, groups, path, owners);
  return insert(path, groups);
}

function groupsOf(path: readonly ChainNode[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const node of path) {
    const id = messageIdOf(node);
    if (id !== undefined && !groups.has(id)) groups.set(id, { members: [], added: [] });
  }
  return groups;
}

/** Adds the other lines of each message; returns for each call the message of the first line that uses its id (R8). */
function addLines(
  chain: Chain,
  groups: ReadonlyMap<string, Group>,
  onPath: ReadonlySet<ChainNode>,
): Map<string, string | undefined> {
  const owners = new Map<string, string | undefined>();
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'lines');
    if (node.entry.kind !== 'assistant') continue;
    const id = messageIdOf(node);
    for (const block of node.entry.head.blocks) {
      if (block.type === 'tool_use' && block.id !== undefined && !owners.has(block.id)) owners.set(block.id, id);
    }
    if (id !== undefined && !onPath.has(node)) groups.get(id)?.added.push(node);
  }
  return owners;
}

function addResults(
  chain: Chain,
  groups: ReadonlyMap<string, Group>,
  onPath: ReadonlySet<ChainNode>,
  owners: ReadonlyMap<string, string | undefined>,
): void {
  for (const node of chain.nodes.values()) {
    if (!onPath.has(node)) ownerOf(chain, node, groups, owners)?.added.push(node);
  }
  // Lines were put in before results: file order is what counts.
  for (const group of groups.values()) group.added.sort((a, b) => a.order - b.order);
}

/** The lines and results of each message that are on the chain already, in chain order. */
function joinResults(
  chain: Chain,
  groups: ReadonlyMap<string, Group>,
  path: readonly ChainNode[],
  owners: ReadonlyMap<string, string | undefined>,
): void {
  for (const node of path) {
    const id = messageIdOf(node);
    if (id !== undefined) {
      groups.get(id)?.members.push(node);
      continue;
    }
    const group = ownerOf(chain, node, groups, owners);
    // A result that stands before its message stays where it is.
    if (group !== undefined && group.members.length > 0) group.members.push(node);
  }
}

/** The message on the chain that a result line belongs to: that of its first result which has one. */
function ownerOf(
  chain: Chain,
  node: ChainNode,
  groups: ReadonlyMap<string, Group>,
  owners: ReadonlyMap<string, string | undefined>,
): Group | undefined {
  if (node.entry.kind !== 'user') return undefined;
  chain.onVisit(node.entry, 'results');
  for (const block of node.entry.head.blocks) {
    if (block.type !== 'tool_result' || block.toolUseId === undefined) continue;
    const group = groups.get(owners.get(block.toolUseId) ?? '');
    if (group !== undefined) return group;
  }
  return undefined;
}

/** R9: the first line stays first; an added node goes before the first later member that follows it in the file, else last. */
function insert(path: readonly ChainNode[], groups: ReadonlyMap<string, Group>): ChainNode[] {
  const before = new Map<ChainNode, ChainNode[]>();
  const after = new Map<ChainNode, ChainNode[]>();
  for (const { members, added } of groups.values()) {
    let next = 1;
    for (const node of added) {
      let member = members[next];
      while (member !== undefined && member.order < node.order) {
        next += 1;
        member = members[next];
      }
      const last = members.at(-1);
      if (member !== undefined) push(before, member, node);
      else if (last !== undefined) push(after, last, node);
    }
  }
  return path.flatMap((node) => [...(before.get(node) ?? []), node, ...(after.get(node) ?? [])]);
}

function push(lists: Map<ChainNode, ChainNode[]>, key: ChainNode, node: ChainNode): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [node]);
  else list.push(node);
}

function messageIdOf(node: ChainNode): string | undefined {
  return node.entry.kind === 'assistant' ? node.entry.head.message?.id || undefined : undefined;
}
