/** S8: the transcript of a sub-agent goes with a copy of its session, under the same new names. Its shape stays. */
import { bytesOf, type Entry, jsonOf } from '../format/entry.ts';
import { isCarried } from './clone.ts';
import type { Draft, OutLine } from './log.ts';
import { patchLine } from './patch.ts';
import { originOf, type Remap, remapEntry } from './remap.ts';

/** `from` is the session it belongs to, where its lines do not say so. */
export function copyAgent(entries: readonly Entry[], remap: Remap, from: string): Draft {
  const carried = entries.filter(isCarried);
  for (const { head } of carried) if (head.uuid !== undefined) remap.keep(head.uuid);
  return { lines: carried.map((entry) => agentLine(entry, remap, from)), notes: [] };
}

function agentLine(entry: Entry, remap: Remap, from: string): OutLine {
  return {
    get bytes() {
      const value = jsonOf(entry);
      if (value === undefined) return bytesOf(entry);
      const now = remapEntry(value, remap);
      if (value.parentUuid !== undefined && now.parentUuid === undefined) now.parentUuid = null;
      const origin = remap.inPlace ? undefined : originOf(value, from);
      if (origin !== undefined) now.forkedFrom = origin;
      return patchLine(bytesOf(entry), value, now);
    },
  };
}
