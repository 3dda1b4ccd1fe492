/** What a compaction follows in the chat (C1, C2): the last entry before it, whatever of that it kept for the model. */
import { type Entry, jsonOf } from '../../format/entry.ts';
import { asNumber, at } from '../../format/json.ts';
import { typedOf } from '../../format/typed.ts';
import { isBoundary } from '../chain.ts';
import { NONE } from './links.ts';

export interface Surroundings {
  find(uuid: string | null | undefined): number | undefined;
  readonly parent: Int32Array;
  /** The entry that stands before the boundary in its file. */
  readonly previous: number | undefined;
  /** How many entries may still be climbed over: keeps the whole linear. */
  readonly budget: { left: number };
}

/** Undefined for anything but a boundary without a parent of its own; copies of `/branch` have one. */
export function beforeCompaction(entry: Entry, around: Surroundings): number | undefined {
  const { head } = entry;
  if (!isBoundary(entry) || head.parentUuid !== null) return undefined;
  const json = jsonOf(entry);
  const compact = json === undefined ? undefined : typedOf('system', json).compact;
  const logical = around.find(head.logicalParentUuid);
  const anchor = compact?.anchorUuid ?? compact?.preservedSegment?.anchorUuid;
  // "Summarize from here" keeps what is before and sums up what follows; that was said all the same.
  if (anchor === head.uuid) {
    return summedUp(logical, asNumber(at(json, 'compactMetadata', 'messagesSummarized')), around) ?? logical;
  }
  // "Summarize up to here" names an earlier parent; what it kept was said after that.
  return around.find(compact?.preservedSegment?.tailUuid ?? compact?.preservedUuids.at(-1)) ?? logical;
}

/** The end of the entries that were summed up, if they are what stands between. */
function summedUp(from: number | undefined, count: number | undefined, around: Surroundings): number | undefined {
  let node = around.previous ?? NONE;
  for (let step = 0; step < (count ?? 0) && node !== NONE && around.budget.left > 0; step += 1) {
    around.budget.left -= 1;
    node = around.parent[node] ?? NONE;
  }
  return from !== undefined && node === from ? around.previous : undefined;
}
