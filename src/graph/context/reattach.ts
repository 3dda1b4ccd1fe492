/**
 * R8, R9: parallel calls branch the graph (E5), so a parent walk loses lines and results. Every message on the chain gets its
 * other lines back, every call of it its results wherever their parents point, and what is attached to either.
 */
import { addAsides } from './beside.ts';
import { gatherLines } from './gather.ts';
import { insertAdded } from './insert.ts';
import { add, type Group, hasResults, isNote, type Kinship, messageIdOf } from './kin.ts';
import type { Chain, ChainNode } from './node.ts';

export function reattach(chain: Chain, path: readonly ChainNode[]): ChainNode[] {
  const kinship = kinshipOf(chain, path);
  addLines(kinship);
  addResults(kinship);
  const leaf = path.findLast((node) => !isNote(node));
  addAsides(kinship, path, leaf);
  // Each kind was added by itself: file order is what counts.
  for (const { added } of kinship.groups.values()) added.sort((a, b) => a.order - b.order);
  return gatherLines(insertAdded(kinship, path));
}

function kinshipOf(chain: Chain, path: readonly ChainNode[]): Kinship {
  const groups = new Map<string, Group>();
  for (const node of path) {
    const id = messageIdOf(node);
    if (id === undefined || groups.has(id)) continue;
    groups.set(id, { number: groups.size, added: [], strays: new Set(), holds: false });
  }
  return { chain, onPath: new Set(path), groups, callers: new Map(), belongs: new Map(), behind: new Map(), last: [] };
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
  const elsewhere: ChainNode[] = [];
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'results');
    const caller = hasResults(node) ? callerIn(kinship, node, above.get(node.key)) : undefined;
    const group = groups.get(caller ?? '');
    if (group === undefined) continue;
    const line = chain.nodes.get(node.parent ?? '');
    if (kinship.onPath.has(node) || (line && messageIdOf(line) === caller)) add(kinship, group, node);
    else if (!node.entry.head.isSidechain) {
      kinship.belongs.set(node.key, group);
      elsewhere.push(node);
    }
  }
  addStrays(kinship, elsewhere);
}

/** Of results that hang elsewhere those are added whose calls have no other. */
function addStrays({ chain, belongs }: Kinship, elsewhere: readonly ChainNode[]): void {
  if (elsewhere.length === 0) return;
  const strays = new Set(elsewhere);
  const answered = new Set<string>();
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'answered');
    if (belongs.has(node.key) && !strays.has(node)) for (const call of answersIn(node)) answered.add(call);
  }
  for (const node of elsewhere) {
    if (answersIn(node).every((call) => answered.has(call))) belongs.delete(node.key);
    else belongs.get(node.key)?.strays.add(node);
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
    const above = hasResults(node) ? messages.get(node.parent ?? '') : undefined;
    if (above !== undefined) messages.set(node.key, above);
  }
  return messages;
}

function answersIn({ entry }: ChainNode): string[] {
  return entry.head.blocks.flatMap(({ type, toolUseId }) => (type === 'tool_result' && toolUseId ? [toolUseId] : []));
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
