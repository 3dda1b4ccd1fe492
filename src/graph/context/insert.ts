/**
 * R9: what is added to a message goes in by file order: before the first node of the chain, from the first line of the message
 * to its end, that comes later in the file. What comes later than all of them goes to the end.
 */
import { type Group, isLine, type Kinship } from './kin.ts';
import type { ChainNode } from './node.ts';
import { createQueue } from './queue.ts';

/** Where a message that something is added to stands on the chain. */
interface Span {
  readonly first: number;
  /** Its last line. */
  line: number;
  /** The last of what follows the lines without a break: something typed, say, is one. */
  end: number;
}

interface Added {
  readonly node: ChainNode;
  readonly order: number;
}

export function insertAdded(kinship: Kinship, path: readonly ChainNode[]): ChainNode[] {
  const { belongs, behind, last } = kinship;
  const spans = spansOn(kinship, path);
  if (spans.size === 0 && behind.size === 0) return [...path, ...last];
  const queue = createQueue(inFile);
  const made: ChainNode[] = [];
  const placed = new Set<ChainNode>();
  const place = ({ node }: Added): void => {
    if (!placed.has(node)) made.push(node);
    placed.add(node);
  };
  for (const [at, node] of path.entries()) {
    for (let next = queue.first(); next !== undefined && next.order < node.order; next = queue.first()) {
      place(next);
      queue.dropFirst();
    }
    made.push(node);
    for (const note of behind.get(node) ?? []) made.push(note);
    const group = belongs.get(node.key);
    const span = group && spans.get(group);
    if (group === undefined || span === undefined) continue;
    if (at === span.first) for (const added of amongLines(group)) queue.add(added);
    if (at === span.line) for (const added of afterLines(group)) queue.add(added);
    if (at === span.end) for (const added of [...amongLines(group), ...afterLines(group)].sort(inFile)) place(added);
  }
  return [...made, ...last];
}

function spansOn({ groups, belongs }: Kinship, path: readonly ChainNode[]): Map<Group, Span> {
  const spans = new Map<Group, Span>();
  const growing = new Set<Group>();
  for (const group of groups.values()) if (group.added.length + group.strays.size > 0) growing.add(group);
  for (const [at, node] of growing.size === 0 ? [] : path.entries()) {
    const group = belongs.get(node.key);
    if (group === undefined || !growing.has(group)) continue;
    const span = spans.get(group);
    if (isLine(node)) {
      if (span === undefined) spans.set(group, { first: at, line: at, end: at });
      else span.line = at;
    }
    if (span !== undefined && (isLine(node) || span.end === at - 1)) span.end = at;
  }
  return spans;
}

function amongLines({ added }: Group): Added[] {
  return added.map((node) => ({ node, order: node.order }));
}

/** R9: results that hang elsewhere come after all lines. */
function afterLines({ added, strays }: Group): Added[] {
  const line = added.findLast(isLine)?.order ?? -1;
  return Array.from(strays, (node) => ({ node, order: Math.max(node.order, line + 0.5) }));
}

function inFile(a: Added, b: Added): number {
  return a.order - b.order || a.node.order - b.node.order;
}
