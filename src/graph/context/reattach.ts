/**
 * R8, R9: parallel calls branch the graph (E5), so a parent walk loses lines and results. Every message on the chain gets its
 * other lines back, every call of it its results wherever their parents point, and what is attached to either.
 */
import type { Chain } from '../chain.ts';
import { type ChainNode, isBoundary } from './node.ts';

/** A message on the chain: its lines and results there, and those to be added, which come in file order. */
interface Group {
  readonly members: ChainNode[];
  readonly added: ChainNode[];
}

/** What is found out about the nodes of a file in relation to the messages on the chain. */
interface Kinship {
  readonly chain: Chain;
  readonly onPath: ReadonlySet<ChainNode>;
  /** By message id. */
  readonly groups: ReadonlyMap<string, Group>;
  /** By call: the id of the message whose line is the first to use it (R8). */
  readonly callers: Map<string, string | undefined>;
  /** By key of a line, a result or an attachment. */
  readonly belongs: Map<string, Group>;
}

export function reattach(chain: Chain, path: readonly ChainNode[]): ChainNode[] {
  const kinship = kinshipOf(chain, path);
  if (kinship.groups.size === 0) return [...path];
  addLines(kinship);
  addResults(kinship);
  addBeside(kinship);
  // Each kind was added by itself: file order is what counts.
  for (const group of kinship.groups.values()) group.added.sort((a, b) => a.order - b.order);
  for (const node of path) joinMember(kinship, node);
  return insert(path, kinship.groups);
}

function kinshipOf(chain: Chain, path: readonly ChainNode[]): Kinship {
  const groups = new Map<string, Group>();
  for (const node of path) {
    const id = messageIdOf(node);
    if (id !== undefined && !groups.has(id)) groups.set(id, { members: [], added: [] });
  }
  return { chain, onPath: new Set(path), groups, callers: new Map(), belongs: new Map() };
}

function addLines(kinship: Kinship): void {
  const { chain, groups, callers } = kinship;
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'lines');
    if (node.entry.kind !== 'assistant') continue;
    const id = messageIdOf(node);
    for (const block of node.entry.head.blocks) {
      if (block.type === 'tool_use' && block.id !== undefined && !callers.has(block.id)) callers.set(block.id, id);
    }
    const group = groups.get(id ?? '');
    if (group !== undefined) add(kinship, group, node);
  }
}

function addResults(kinship: Kinship): void {
  for (const node of kinship.chain.nodes.values()) {
    kinship.chain.onVisit(node.entry, 'results');
    const group = answered(kinship, node);
    if (group !== undefined) add(kinship, group, node);
  }
}

/** Attachments and system lines by what they hang on, unless another branch of the conversation goes on from there. */
function addBeside(kinship: Kinship): void {
  const passed = passedThrough(kinship);
  for (const node of kinship.chain.nodes.values()) {
    kinship.chain.onVisit(node.entry, 'beside');
    if (!isBeside(node) || isBoundary(node.entry)) continue;
    const group = kinship.belongs.get(node.parent ?? '');
    if (group !== undefined && (kinship.onPath.has(node) || !passed.has(node))) add(kinship, group, node);
  }
}

function add({ onPath, belongs }: Kinship, group: Group, node: ChainNode): void {
  belongs.set(node.key, group);
  if (!onPath.has(node)) group.added.push(node);
}

/** Attachments and system lines that lead on to something said outside of the messages on the chain. */
function passedThrough({ chain, belongs }: Kinship): Set<ChainNode> {
  const passed = new Set<ChainNode>();
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'passed');
    if (isBeside(node) || belongs.has(node.key)) continue;
    let at = chain.nodes.get(node.parent ?? '');
    while (at !== undefined && isBeside(at) && !passed.has(at)) {
      passed.add(at);
      at = chain.nodes.get(at.parent ?? '');
    }
  }
  return passed;
}

function isBeside({ entry }: ChainNode): boolean {
  return entry.kind === 'attachment' || entry.kind === 'system';
}

/** The message on the chain that a result line belongs to: that of its first result which has one. */
function answered(kinship: Kinship, node: ChainNode): Group | undefined {
  if (node.entry.kind !== 'user') return undefined;
  for (const block of node.entry.head.blocks) {
    if (block.type !== 'tool_result' || block.toolUseId === undefined) continue;
    const group = kinship.groups.get(callerOf(kinship, node, block.toolUseId) ?? '');
    if (group !== undefined) return group;
  }
  return undefined;
}

/** The message of the line that a result names or hangs on, if that makes the call; else of the first line that does. */
function callerOf({ chain, callers }: Kinship, { entry, parent }: ChainNode, call: string): string | undefined {
  for (const key of [entry.head.sourceToolAssistantUUID, parent]) {
    const line = chain.nodes.get(key ?? '');
    if (line?.entry.head.blocks.some((block) => block.type === 'tool_use' && block.id === call)) return messageIdOf(line);
  }
  return callers.get(call);
}

/** What of a message is on the chain, in chain order. A result that stands before its message stays outside. */
function joinMember({ belongs }: Kinship, node: ChainNode): void {
  const group = belongs.get(node.key);
  if (group !== undefined && (group.members.length > 0 || node.entry.kind === 'assistant')) group.members.push(node);
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
