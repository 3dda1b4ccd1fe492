/** One line of a conversation, mended: its content and what else of it keeps a client from taking it. */
import { rawContentOf } from '../../format/content.ts';
import type { Entry } from '../../format/entry.ts';
import type { JsonObject } from '../../format/json.ts';
import { type BlockFates, type Flaw, mendContent, withContent } from './mend.ts';

export interface MendedLine {
  /** The same object if nothing was wrong; undefined when nothing is left of it. */
  readonly value: JsonObject | undefined;
  readonly flaws: readonly Flaw[];
}

/** What the client takes as an empty message (R14). */
export const NOTHING = '(no content)';

export function mendLine(entry: Entry, value: JsonObject, fates: BlockFates = {}): MendedLine {
  const { kind } = entry;
  if (kind === 'system' && value.compactMetadata !== undefined) return { value: withoutRecord(value), flaws: [] };
  if (kind !== 'user' && kind !== 'assistant') return { value: inMain(value), flaws: [] };
  const before = rawContentOf(value);
  const { content, flaws } = mendContent(kind, before, fates);
  if (content === undefined) return { value: undefined, flaws };
  let made = inMain(content === before ? value : withContent(value, content));
  if (changesResults(entry, fates)) {
    // S5: the client's own record of a result goes with it.
    const { toolUseResult: _, ...rest } = made;
    made = fates.orphans ? { ...rest, isMeta: true } : rest;
  }
  return { value: made, flaws };
}

function changesResults({ kind, head }: Entry, { without, orphans }: BlockFates): boolean {
  if (kind !== 'user') return false;
  return head.blocks.some(({ toolUseId }) => toolUseId && (without?.has(toolUseId) || orphans?.has(toolUseId)));
}

/** R6: a line of a side chain that is sent all the same belongs to the conversation; older clients would drop it. */
function inMain(value: JsonObject): JsonObject {
  return value.isSidechain === true ? { ...value, isSidechain: false } : value;
}

/** C2: what a compaction kept stands behind its summary now. */
function withoutRecord(value: JsonObject): JsonObject {
  const { compactMetadata } = value;
  if (typeof compactMetadata !== 'object' || compactMetadata === null || Array.isArray(compactMetadata)) return value;
  const { preservedMessages, preservedSegment, ...rest } = compactMetadata;
  return preservedMessages === undefined && preservedSegment === undefined
    ? value
    : { ...value, compactMetadata: rest };
}
