/** What a compaction follows in the chat (C1, C2): the last entry before it, whatever of that it kept for the model. */
import { type Entry, jsonOf } from '../../format/entry.ts';
import { asNumber, at } from '../../format/json.ts';
import { typedOf } from '../../format/typed.ts';
import { isBoundary } from '../chain.ts';
import type { Climb } from './climb.ts';

export interface Surroundings {
  find(uuid: string | null | undefined): number | undefined;
  readonly parent: Int32Array;
  /** The entry that stands before the boundary in its file. */
  readonly previous: number | undefined;
  readonly climb: Climb;
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

/** The end of the entries that were summed up, if as many stand between. */
function summedUp(
  from: number | undefined,
  count: number | undefined,
  { parent, previous, climb }: Surroundings,
): number | undefined {
  if (from === undefined || previous === undefined || count === undefined) return undefined;
  let left = count;
  const end = climb.ends(parent, previous, () => {
    left -= 1;
    return left < 0;
  });
  return end === from ? previous : undefined;
}

/** Whether a compaction kept an entry for the model. */
export function isKeptBy({ head }: Entry, boundary: Entry): boolean {
  const json = head.uuid !== undefined && isBoundary(boundary) ? jsonOf(boundary) : undefined;
  const compact = json === undefined ? undefined : typedOf('system', json).compact;
  if (compact === undefined || head.uuid === undefined) return false;
  return compact.preservedSegment?.tailUuid === head.uuid || compact.preservedUuids.includes(head.uuid);
}
