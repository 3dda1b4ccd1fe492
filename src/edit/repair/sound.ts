/** A conversation without anything that the API refuses, for edits that take something out of it. */
import type { Entry } from '../../format/entry.ts';
import { concat } from '../../format/lines.ts';
import { readSession } from '../../format/session.ts';
import { linearise } from '../chain.ts';
import type { FreshUuid } from '../ids.ts';
import { isCarriedOver } from '../kinds.ts';
import { encodeDraft, type Note } from '../log.ts';
import { pairLines } from './pairing.ts';
import { mendedParts } from './parts.ts';
import { type Placed, placedLines } from './placed.ts';
import { isSuspect } from './suspect.ts';

export interface SoundOptions {
  /** The id of the session. */
  readonly from: string;
  readonly freshUuid: FreshUuid;
  readonly now: string;
}

export interface Sound extends Placed {
  /** What had to be mended. */
  readonly notes: readonly Note[];
}

/** All entries of one file in file order. One that is damaged is mended in memory first, and then read again. */
export function soundLines(entries: readonly Entry[], { from, freshUuid, now }: SoundOptions): Sound {
  const placed = placedLines(entries);
  const sent = new Set(sentIn(placed));
  const pairing = pairLines(sent);
  const { parts, notes, empty } = mendedParts(placed.lines, {
    pairing,
    sentFrom: placed.sentFrom,
    // Nobody refuses what is not sent.
    isSuspect: (entry) => sent.has(entry) && (pairing.without.has(entry) || isSuspect(entry)),
  });
  // R6: what the conversation goes through is a part of it, though it be marked as of a sub-agent.
  const isMarked = [...sent].some(({ head }) => head.isSidechain);
  if (notes.length === 0 && !isMarked) return { ...placed, notes };
  const { lines } = linearise(
    parts.filter(({ entry }) => entry === undefined || isCarriedOver(entry)),
    { sessionId: from, from, freshUuid, now, left: [...placed.left, ...empty], inPlace: true },
  );
  const mended = readSession(concat([...encodeDraft({ lines })]), entries[0]?.source.name);
  return { ...placedLines(mended.entries), notes };
}

/** The lines that a resume sends. */
export function sentIn({ lines, sentFrom }: Placed): Entry[] {
  return lines.slice(sentFrom).flatMap(({ entry, linked }) => (linked ? entry : []));
}
