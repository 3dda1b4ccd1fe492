/**
 * R8, R9: asides that hang beside the conversation. Those of a message with calls come back with it, a row at a time: one below
 * the other, and nothing else there but what is of the message itself. Every note that hangs on the last saying comes at the end.
 */
import { type Group, isAside, isNote, type Kinship } from './kin.ts';
import { type ChainNode, isBoundary } from './node.ts';

/** The asides that are not on the chain. */
interface Beside {
  readonly keys: ReadonlySet<string>;
  /** By what they hang on, in file order. */
  readonly below: ReadonlyMap<string, readonly ChainNode[]>;
  /** By the key of an aside: the last message on the chain that something said below it is of; infinite where it is of none. */
  readonly said: ReadonlyMap<string, number>;
}

/** Asides on the chain are of the message that they follow. */
export function addAsides(kinship: Kinship, path: readonly ChainNode[], leaf: ChainNode | undefined): void {
  const { chain, belongs } = kinship;
  let before: Group | undefined;
  for (const node of path) {
    if (isAside(node) && !isBoundary(node.entry) && before?.holds) belongs.set(node.key, before);
    before = belongs.get(node.key);
  }
  const beside = asidesOff(kinship);
  for (const [key, tops] of beside.below) {
    const group = beside.keys.has(key) ? undefined : belongs.get(key);
    const parent = chain.nodes.get(key);
    if (!group?.holds || parent === undefined || parent.entry.head.isSidechain) continue;
    for (const top of tops) {
      for (const node of rowOf(beside, top, group)) {
        belongs.set(node.key, group);
        if (group.strays.has(parent)) group.strays.add(node);
        else if (isAside(parent)) put(kinship.behind, parent, node);
        else group.added.push(node);
      }
    }
  }
  if (leaf !== undefined) addLast(kinship, beside, leaf);
}

function asidesOff(kinship: Kinship): Beside {
  const { chain, onPath } = kinship;
  const keys = new Set<string>();
  const below = new Map<string, ChainNode[]>();
  for (const node of chain.nodes.values()) {
    chain.onVisit(node.entry, 'beside');
    if (!isAside(node) || onPath.has(node)) continue;
    keys.add(node.key);
    if (node.parent !== null) put(below, node.parent, node);
  }
  return { keys, below, said: keys.size === 0 ? new Map() : saidBelow(kinship, keys) };
}

function saidBelow({ chain, belongs }: Kinship, asides: ReadonlySet<string>): Map<string, number> {
  const said = new Map<string, number>();
  for (const { key, parent, entry } of chain.nodes.values()) {
    chain.onVisit(entry, 'said below');
    if (parent === null || !asides.has(parent) || asides.has(key)) continue;
    const number = belongs.get(key)?.number ?? Number.POSITIVE_INFINITY;
    said.set(parent, Math.max(number, said.get(parent) ?? 0));
  }
  return said;
}

/** An aside and those below it, if all of them go with the message: there is no fork and no way to something else. */
function rowOf({ below, said }: Beside, top: ChainNode, group: Group): Iterable<ChainNode> {
  const row = new Set<ChainNode>();
  for (let at: ChainNode | undefined = top; at !== undefined && !row.has(at); ) {
    const next = below.get(at.key);
    const leadsAway = (said.get(at.key) ?? 0) > group.number;
    if (leadsAway || isApart(at) || (next !== undefined && next.length > 1)) return [];
    row.add(at);
    at = next?.[0];
  }
  return row;
}

function isApart({ entry }: ChainNode): boolean {
  return isBoundary(entry) || entry.head.isSidechain;
}

function put<K>(lists: Map<K, ChainNode[]>, key: K, node: ChainNode): void {
  const others = lists.get(key);
  if (others === undefined) lists.set(key, [node]);
  else others.push(node);
}

/** Each note is followed by those below it. */
function addLast({ belongs, last }: Kinship, { below }: Beside, leaf: ChainNode): void {
  const seen = new Set<ChainNode>();
  const todo = (below.get(leaf.key) ?? []).toReversed();
  for (let at = todo.pop(); at !== undefined; at = todo.pop()) {
    if (seen.has(at) || belongs.has(at.key) || !isNote(at)) continue;
    seen.add(at);
    last.push(at);
    for (const note of (below.get(at.key) ?? []).toReversed()) todo.push(note);
  }
}
