/**
 * R8, R9: parallel calls branch the graph (E5), so a parent walk loses lines and results. Every message on the chain gets its
 * other lines back, every call of it its results wherever their parents point, and what is attached to either.
 */
import { lazy } from '../lazy.ts';
import { type Chain, type ChainNode, isBoundary } from './node.ts';

/** A message on the chain: what of it is there, and what is to be added, which comes in file order. */
interface Group {
  readonly members: ChainNode[];
  readonly added: ChainNode[];
  /** Results that hang elsewhere than on a line of the message. */
  readonly strays: ChainNode[];
  /** Whether attachments and system lines that hang on it belong to it. */
  holds: boolean;
}

/** What is found out about the nodes of a file in relation to the messages on the chain. */
interface Kinship {
  readonly chain: Chain;
  readonly onPath: ReadonlySet<ChainNode>;
  /** By message id. */
  readonly groups: Map<string, Group>;
  /**
   * By call of a message on the chain: the id of the message that makes it; of those that do where an id comes again, the
   * first in the file first.
   */
  readonly callers: Map<string, string | Set<string>>;
  /** By key of a line, a result, or what hangs on one. */
  readonly belongs: Map<string, Group>;
}

export function reattach(chain: Chain, path: readonly ChainNode[]): ChainNode[] {
  const kinship = kinshipOf(chain, path);
  addLines(kinship);
  addResults(kinship);
  const leaf = path.findLast((node) => !isBeside(node));
  const atLeaf = holdLeaf(kinship, leaf);
  addBeside(kinship, leaf);
  const groups = [...kinship.groups.values(), ...(atLeaf === undefined ? [] : [atLeaf])];
  // Each kind was added by itself: file order is what counts.
  for (const { added } of groups) added.sort((a, b) => a.order - b.order);
  for (const node of path) joinMember(kinship, node);
  return linesFirst(kinship, insert(kinship, groups, path));
}

function kinshipOf(chain: Chain, path: readonly ChainNode[]): Kinship {
  const groups = new Map<string, Group>();
  for (const node of path) {
    const id = messageIdOf(node);
    if (id !== undefined && !groups.has(id)) groups.set(id, { members: [], added: [], strays: [], holds: false });
  }
  return { chain, onPath: new Set(path), groups, callers: new Map(), belongs: new Map() };
}

/** The other lines of each message, and which messages make its calls. A message without calls holds no attachments. */
function addLines(kinship: Kinship): void {
  const { chain, groups } = kinship;
  const calls = new Set<string>();
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'lines');
    const group = groups.get(messageIdOf(node) ?? '');
    if (group === undefined) continue;
    for (const { type, id } of node.entry.head.blocks) {
      if (type !== 'tool_use' || id === undefined) continue;
      calls.add(id);
      group.holds = true;
    }
    add(kinship, group, node);
  }
  findCallers(kinship, calls);
}

/** Of a long file the messages on the chain are few: the calls of all others are passed over. */
function findCallers({ chain, callers }: Kinship, calls: ReadonlySet<string>): void {
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'callers');
    if (node.entry.kind !== 'assistant') continue;
    for (const { type, id: call } of node.entry.head.blocks) {
      if (type !== 'tool_use' || call === undefined || !calls.has(call)) continue;
      const id = messageIdOf(node) ?? '';
      const others = callers.get(call);
      if (others === undefined) callers.set(call, id);
      else if (typeof others !== 'string') others.add(id);
      else if (others !== id) callers.set(call, new Set([others, id]));
    }
  }
}

/** R8: a result belongs to the message that it hangs on, if that makes the call; else to the first message that does. */
function addResults(kinship: Kinship): void {
  const { chain, groups } = kinship;
  const above = messagesAbove(kinship);
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'results');
    const caller = isResult(node) ? callerIn(kinship, node, above.get(node.key)) : undefined;
    const group = groups.get(caller ?? '');
    if (group === undefined) continue;
    const line = chain.nodes.get(node.parent ?? '');
    if (kinship.onPath.has(node) || (line && messageIdOf(line) === caller)) add(kinship, group, node);
    else {
      kinship.belongs.set(node.key, group);
      group.strays.push(node);
    }
  }
}

/**
 * By key: the message that a line is of, or that a row of results hangs on, as far as it stands before them. Only for calls
 * that several messages make.
 */
function messagesAbove({ chain, callers }: Kinship): Map<string, string> {
  const messages = new Map<string, string>();
  if (![...callers.values()].some((ids) => typeof ids !== 'string')) return messages;
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'above');
    if (node.entry.kind === 'assistant') messages.set(node.key, messageIdOf(node) ?? '');
    const above = isResult(node) ? messages.get(node.parent ?? '') : undefined;
    if (above !== undefined) messages.set(node.key, above);
  }
  return messages;
}

/** The first message on the chain that makes one of the calls that a node answers. */
function callerIn(kinship: Kinship, { entry }: ChainNode, above: string | undefined): string | undefined {
  for (const { type, toolUseId } of entry.head.blocks) {
    const caller = type === 'tool_result' && toolUseId ? callerOf(kinship, toolUseId, above) : '';
    if (kinship.groups.has(caller)) return caller;
  }
  return undefined;
}

function callerOf({ callers }: Kinship, call: string, above: string | undefined): string {
  const ids = callers.get(call) ?? '';
  if (typeof ids === 'string') return ids;
  if (above !== undefined && ids.has(above)) return above;
  const [first = ''] = ids;
  return first;
}

/** Where the conversation stands is the last thing said together with all that hangs on it unsaid. */
function holdLeaf({ belongs }: Kinship, leaf: ChainNode | undefined): Group | undefined {
  if (leaf === undefined || belongs.get(leaf.key)?.holds) return undefined;
  const group: Group = { members: [leaf], added: [], strays: [], holds: true };
  belongs.set(leaf.key, group);
  return group;
}

/** Attachments and system lines by what they hang on, unless another branch of the conversation goes on from there. */
function addBeside(kinship: Kinship, leaf: ChainNode | undefined): void {
  const passed = passedThrough(kinship);
  const ofLeaf = new Set([leaf?.key]);
  for (const node of kinship.chain.nodes.values()) {
    kinship.chain.onVisit(node.entry, 'beside');
    if (!isBeside(node)) continue;
    const parent = node.parent ?? '';
    const group = kinship.belongs.get(parent);
    const lost = passed.has(node) && !kinship.onPath.has(node);
    if (isBoundary(node.entry) && (lost || !ofLeaf.has(parent))) continue;
    if (ofLeaf.has(parent)) ofLeaf.add(node.key);
    else if (lost) continue;
    if (group?.holds) add(kinship, group, node);
  }
}

/** Attachments and system lines that lead on to something said outside of the messages on the chain. */
function passedThrough({ chain, belongs }: Kinship): Set<ChainNode> {
  const passed = new Set<ChainNode>();
  const beside = besideOf(chain);
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'passed');
    let at = isBeside(node) ? undefined : beside.get(node.parent ?? '');
    if (at === undefined || belongs.has(node.key)) continue;
    while (at !== undefined && !passed.has(at)) {
      passed.add(at);
      at = beside.get(at.parent ?? '');
    }
  }
  return passed;
}

/** Those alone: most lines hang on none, and a small map says so sooner. */
function besideOf(chain: Chain): Map<string, ChainNode> {
  const beside = new Map<string, ChainNode>();
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'beside of');
    if (isBeside(node)) beside.set(node.key, node);
  }
  return beside;
}

function add({ onPath, belongs }: Kinship, group: Group, node: ChainNode): void {
  belongs.set(node.key, group);
  if (!onPath.has(node)) group.added.push(node);
}

/** What of a message is on the chain, in chain order. A result that stands before its message stays outside. */
function joinMember({ belongs, groups }: Kinship, node: ChainNode): void {
  const group = node.entry.kind === 'assistant' ? groups.get(messageIdOf(node) ?? '') : belongs.get(node.key);
  const first = group?.members[0];
  if (node.entry.kind === 'assistant' || (first !== undefined && first !== node)) group?.members.push(node);
}

/** What is to be added to a message goes among what is there of it, the rest of it where the message ends. */
function insert({ belongs }: Kinship, groups: readonly Group[], path: readonly ChainNode[]): ChainNode[] {
  const places = lazy(() => new Map(path.map((node, place) => [node, place])));
  const before = new Map<ChainNode, ChainNode[]>();
  const after = new Map<ChainNode, ChainNode[]>();
  for (const group of groups) {
    if (group.added.length + group.strays.length === 0) continue;
    let waiting: ChainNode[] = [];
    for (const node of inOrder(group)) {
      if (!places().has(node)) waiting.push(node);
      else if (waiting.length > 0) {
        before.set(node, waiting);
        waiting = [];
      }
    }
    const line = group.members.findLast(isLine) ?? group.members.at(-1);
    if (line === undefined || waiting.length === 0) continue;
    // What follows the lines without a break is of the message: something typed, say, is one.
    let end = places().get(line) ?? 0;
    for (let next = path[end + 1]; next && belongs.get(next.key) === group; next = path[end + 1]) end += 1;
    const last = path[end] ?? line;
    after.set(last, [...(after.get(last) ?? []), ...waiting]);
  }
  return path.flatMap((node) => [...(before.get(node) ?? []), node, ...(after.get(node) ?? [])]);
}

/**
 * R9: where a note stands in a message with calls, its results come after all its lines, as far as nothing else stands between.
 * What stands where decides here, not what hangs on what: laid out in one chain in this order, a session is read the same again.
 */
function linesFirst(kinship: Kinship, nodes: readonly ChainNode[]): ChainNode[] {
  const { owners, noted } = ownersIn(kinship, nodes);
  if (noted.size === 0) return [...nodes];
  const made: ChainNode[] = [];
  let others: ChainNode[] = [];
  let group: Group | undefined;
  for (const [at, node] of nodes.entries()) {
    if (owners[at] !== group) {
      for (const other of others) made.push(other);
      others = [];
      group = owners[at];
    }
    if (group !== undefined && noted.has(group) && !isLine(node)) others.push(node);
    else made.push(node);
  }
  return [...made, ...others];
}

/**
 * The message that each node is of, where it stands, and the messages that have notes: not those after all that was said, nor
 * messages with the output of a command among them. What stands before the first line of a message is not of it.
 */
function ownersIn({ groups, belongs }: Kinship, nodes: readonly ChainNode[]) {
  const noted = new Set<Group>();
  const barred = new Set<Group>();
  const begun = new Set<Group>();
  const end = nodes.findLastIndex((node) => !isBeside(node));
  let owner: Group | undefined;
  const owners = nodes.map((node, at) => {
    if (isBeside(node)) {
      if (owner?.holds && at < end) (isCommand(node) ? barred : noted).add(owner);
      else owner = undefined;
      return owner;
    }
    owner = isLine(node) ? groups.get(messageIdOf(node) ?? '') : isResult(node) ? belongs.get(node.key) : undefined;
    if (owner === undefined) return undefined;
    if (isLine(node)) begun.add(owner);
    else if (!begun.has(owner)) owner = undefined;
    return owner;
  });
  for (const group of barred) noted.delete(group);
  return { owners, noted };
}

function isLine({ entry }: ChainNode): boolean {
  return entry.kind === 'assistant';
}

/** R9: the first line stays first and the rest goes in by file order; stray results come after all lines. */
function inOrder({ members, added, strays }: Group): ChainNode[] {
  const all = merged(members, added, 1);
  return merged(all, strays, all.findLastIndex(isLine) + 1);
}

/** Each added node goes before the first one from `start` on that follows it in the file, else to the end. */
function merged(nodes: readonly ChainNode[], added: readonly ChainNode[], start: number): ChainNode[] {
  const all = nodes.slice(0, start);
  let next = 0;
  for (const node of nodes.slice(start)) {
    for (let at = added[next]; at !== undefined && at.order < node.order; at = added[next]) {
      all.push(at);
      next += 1;
    }
    all.push(node);
  }
  for (const node of added.slice(next)) all.push(node);
  return all;
}

function isResult({ entry }: ChainNode): boolean {
  if (entry.kind !== 'user') return false;
  for (const { type, toolUseId } of entry.head.blocks) if (type === 'tool_result' && toolUseId) return true;
  return false;
}

function messageIdOf(node: ChainNode): string | undefined {
  return node.entry.kind === 'assistant' ? node.entry.head.message?.id || undefined : undefined;
}

function isBeside({ entry }: ChainNode): boolean {
  return entry.kind === 'attachment' || entry.kind === 'system';
}

/** What a command put out that the client itself carried out. */
function isCommand({ entry }: ChainNode): boolean {
  return entry.kind === 'system' && entry.head.subtype === 'local_command';
}
