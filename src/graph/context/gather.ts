/**
 * R9: the lines of a message that notes stand among go together, before all that stood between them, unless that is more than
 * results and notes. What stands where decides here, not what hangs on what: laid out in one chain in this order, a session is
 * read the same again.
 */
import { hasResults, isCommand, isNote, messageIdOf } from './kin.ts';
import { type ChainNode, isBoundary } from './node.ts';

export function gatherLines(nodes: readonly ChainNode[]): ChainNode[] {
  const ends = lastLines(nodes);
  const made: ChainNode[] = [];
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at];
    if (node === undefined) continue;
    made.push(node);
    const id = messageIdOf(node);
    const end = id === undefined ? undefined : ends.get(id);
    if (id === undefined || end === undefined) continue;
    // It is asked at the first line only.
    ends.delete(id);
    const others = movedPast(nodes, at, end, id);
    if (others.length === 0) continue;
    for (at += 1; at <= end; at += 1) {
      const line = nodes[at];
      if (line !== undefined && messageIdOf(line) === id) made.push(line);
    }
    for (const other of others) made.push(other);
    at = end;
  }
  return made;
}

/** By message: the place of its last line. */
function lastLines(nodes: readonly ChainNode[]): Map<string, number> {
  const ends = new Map<string, number>();
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at];
    const id = node && messageIdOf(node);
    if (id !== undefined) ends.set(id, at);
  }
  return ends;
}

/** What stands between the first and the last line of a message, where notes are among it and lines can go past all of it. */
function movedPast(nodes: readonly ChainNode[], start: number, end: number, id: string): ChainNode[] {
  const others: ChainNode[] = [];
  let noted = false;
  for (let at = start; at <= end; at += 1) {
    const node = nodes[at];
    if (node === undefined || messageIdOf(node) === id) continue;
    const passable = isNote(node) ? !isCommand(node) && !isBoundary(node.entry) : hasResults(node);
    if (!passable) return [];
    noted ||= isNote(node);
    others.push(node);
  }
  return noted ? others : [];
}
