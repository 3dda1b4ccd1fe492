/**
 * The lines of a session in the order in which they are sent, for edits that look at a conversation as a whole: what a
 * compaction kept of before stands behind its summary (C2), so that no record of it is needed, which older clients ignore.
 */
import type { Entry } from '../../format/entry.ts';
import { type Chain, chainOf, isBoundary } from '../../graph/chain.ts';
import { resumedNodes } from '../../graph/context/context.ts';
import { type BranchLine, branchLines } from '../branch.ts';

export interface Placed {
  readonly lines: readonly BranchLine[];
  /** The place of the first line that a resume sends. */
  readonly sentFrom: number;
  /** Entries that are not carried over. */
  readonly left: readonly Entry[];
}

/** All entries of one file in file order. */
export function placedLines(entries: readonly Entry[]): Placed {
  const { lines, unseen, others } = branchLines(entries);
  const chain = chainOf(entries);
  const placed = chain.preserved === undefined ? lines : inSentOrder(lines, sentIn(chain));
  const sentFrom = placed.findLastIndex(({ entry }) => isBoundary(entry)) + 1;
  return { lines: placed, sentFrom, left: [...unseen, ...others] };
}

function sentIn(chain: Chain): Entry[] {
  const path = resumedNodes(chain).map(({ entry }) => entry);
  return path.slice(path.findLastIndex(isBoundary) + 1);
}

/** Each sent line goes right behind the one sent before it, if it does not stand after that already. */
function inSentOrder(lines: readonly BranchLine[], sent: readonly Entry[]): BranchLine[] {
  const places = new Map(sent.map((entry, place) => [entry, place]));
  const boundary = lines.findLastIndex(({ entry }) => isBoundary(entry) && !places.has(entry));
  const early = new Set(lines.slice(0, boundary + 1).map(({ entry }) => entry));
  const kept = new Set(sent.filter((entry) => early.has(entry)));
  if (kept.size === 0) return [...lines];
  const placed: BranchLine[] = [];
  let next = 0;
  for (const line of lines) {
    if (kept.has(line.entry)) continue;
    const place = places.get(line.entry) ?? -1;
    for (; next < place; next += 1) placed.push({ entry: sent[next] ?? line.entry, linked: true });
    placed.push(line);
    if (place >= 0) next = place + 1;
  }
  for (; next < sent.length; next += 1) {
    const entry = sent[next];
    if (entry !== undefined) placed.push({ entry, linked: true });
  }
  return placed;
}
