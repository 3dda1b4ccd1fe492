/** C2: messages that a compaction kept are hung between its anchor and what follows; the rest before the boundary is gone. */
import { jsonOf } from '../../format/entry.ts';
import { asArray, asObject, asString, type Json } from '../../format/json.ts';
import { type ChainNode, isBoundary, isSpoken, type Nodes, type OnVisit } from './node.ts';

interface Kept {
  readonly anchor: string;
  /** In the order in which they are to follow the anchor; undefined when the record does not fit the file. */
  readonly keys: readonly string[] | undefined;
}

/** The entry that preserved messages were hung on, and the last of them. */
export interface PreservedSpan {
  readonly anchor: string;
  readonly tail: string;
}

export interface Placed {
  readonly nodes: Nodes;
  readonly preserved?: PreservedSpan;
}

/**
 * Only the record of the last boundary is placed. Where an older boundary has one and the last has none, nothing is placed,
 * but all that stands before the last boundary is gone just the same.
 */
export function placePreserved(nodes: Nodes, onVisit: OnVisit): Placed {
  const boundaries = [...nodes.values()].filter((node) => isBoundary(node.entry)).reverse();
  const last = boundaries[0];
  if (last === undefined) return { nodes };
  for (const boundary of boundaries) {
    onVisit(boundary.entry, 'preserved');
    const record = preservedAt(nodes, boundary);
    if (record === undefined) continue;
    if (boundary !== last) return { nodes: dropBefore(nodes, last, []) };
    if (record.keys === undefined) return { nodes };
    relink(nodes, record.anchor, record.keys);
    const tail = record.keys.at(-1);
    const kept = dropBefore(nodes, last, record.keys);
    return tail === undefined ? { nodes: kept } : { nodes: kept, preserved: { anchor: record.anchor, tail } };
  }
  return { nodes };
}

function preservedAt(nodes: Nodes, boundary: ChainNode): Kept | undefined {
  const meta = asObject(jsonOf(boundary.entry)?.compactMetadata);
  const listed = asObject(meta?.preservedMessages);
  if (listed !== undefined) return { anchor: asString(listed.anchorUuid) ?? '', keys: listedKeys(nodes, listed.uuids) };
  const segment = asObject(meta?.preservedSegment);
  if (segment === undefined) return undefined;
  const keys = segmentKeys(nodes, asString(segment.headUuid), asString(segment.tailUuid));
  return { anchor: asString(segment.anchorUuid) ?? '', keys };
}

/** All or nothing: one message that is not there makes the record void. */
function listedKeys(nodes: Nodes, uuids: Json | undefined): string[] | undefined {
  const keys = new Set<string>();
  for (const uuid of asArray(uuids) ?? []) {
    if (typeof uuid !== 'string' || !nodes.has(uuid)) return undefined;
    keys.add(uuid);
  }
  return [...keys];
}

/** The older form names the first and the last message; the parents lead from one to the other. */
function segmentKeys(nodes: Nodes, head: string | undefined, tail: string | undefined): string[] | undefined {
  const keys = new Set<string>();
  let at = tail;
  while (at !== undefined && !keys.has(at)) {
    const node = nodes.get(at);
    if (node === undefined) return undefined;
    keys.add(at);
    if (at === head) return [...keys].reverse();
    at = node.parent ?? undefined;
  }
  return undefined;
}

function relink(nodes: Nodes, anchor: string, keys: readonly string[]): void {
  const tail = keys.at(-1);
  if (tail === undefined) return;
  const kept = new Set(keys);
  for (const node of nodes.values()) if (node.parent === anchor && !kept.has(node.key)) node.parent = tail;
  let parent = anchor;
  for (const key of keys) {
    const node = nodes.get(key);
    if (node !== undefined) node.parent = parent;
    parent = key;
  }
}

/** What was said to a dropped entry then hangs on the last preserved message. */
function dropBefore(nodes: Nodes, boundary: ChainNode, keys: readonly string[]): Nodes {
  const preserved = new Set(keys);
  const tail = keys.at(-1);
  const kept = new Map<string, ChainNode>();
  for (const node of nodes.values()) {
    if (node.order >= boundary.order || preserved.has(node.key)) kept.set(node.key, node);
  }
  if (tail === undefined) return kept;
  for (const node of kept.values()) {
    const dropped = node.parent !== null && !kept.has(node.parent) && nodes.has(node.parent);
    if (dropped && isSpoken(node) && !preserved.has(node.key)) node.parent = tail;
  }
  return kept;
}
