/** The two lines of a compaction, as the newest client writes them (C1, C2). */
import { type Entry, jsonOf } from '../../format/entry.ts';
import { asNumber, at, type JsonObject } from '../../format/json.ts';
import { isBoundary } from '../../graph/context/node.ts';
import type { CompactionFields } from '../ports.ts';
import { type Shape, userShape } from '../transcript/shapes.ts';

export interface BoundaryPlace {
  /** The last entry before. */
  readonly leaf: string;
  /** The summary. */
  readonly anchor: string;
  /** Entries that follow the anchor as they are. */
  readonly preserved: readonly string[];
  /** Of all compactions of the session. */
  readonly dropped: number;
}

export function boundaryShape(fields: CompactionFields, place: BoundaryPlace): Shape {
  const { trigger, preTokens, postTokens, durationMs, running } = fields;
  const { leaf, anchor, preserved, dropped } = place;
  const [head, tail] = [preserved[0], preserved.at(-1)];
  const kept = head !== undefined &&
    tail !== undefined && {
      preservedSegment: { headUuid: head, anchorUuid: anchor, tailUuid: tail },
      preservedMessages: { anchorUuid: anchor, uuids: [...preserved], allUuids: [...preserved] },
    };
  const compactMetadata: JsonObject = {
    trigger,
    preTokens,
    durationMs,
    ...kept,
    postTokens,
    cumulativeDroppedTokens: dropped,
    ...(running && { runningTurnPrompt: {} }),
  };
  const before = { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', isMeta: false };
  return { before: { logicalParentUuid: leaf, ...before }, after: { level: 'info', compactMetadata } };
}

export function summaryShape({ summary, running }: CompactionFields, promptId: string, turnIndex: number): Shape {
  return {
    before: userShape(summary, promptId, { isVisibleInTranscriptOnly: true, isCompactSummary: true }),
    after: {
      turnPosition: { promptIndex: 0, turnIndex },
      ...(running && { summarizedTurnPromptUuids: [...running] }),
    },
  };
}

/** Tokens that earlier compactions of the session dropped. */
export function droppedBefore(entries: readonly Entry[]): number {
  const last = entries.findLast(isBoundary);
  return last === undefined ? 0 : (asNumber(at(jsonOf(last), 'compactMetadata', 'cumulativeDroppedTokens')) ?? 0);
}
