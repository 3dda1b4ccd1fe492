/** The change that is asked about, as a diff of the file: with its real line numbers and the lines around it. */
import type { Asked } from '../../agent/ports.ts';
import { patchOf } from '../../agent/tools/files/patch.ts';
import { type Hunk, toPatch } from '../../graph/toolresults/files.ts';
import { plannedChange } from '../terminal/planned.ts';

/** Larger files are not compared before somebody is asked. */
const MOST_BYTES = 8 << 20;
const MOST_MS = 250;

/** Undefined where the file cannot be looked into, or the edits do not fit it: then the input itself is all there is to tell. */
export async function plannedHunks({ tool, input, agent }: Asked, cwd: string): Promise<readonly Hunk[] | undefined> {
  const change = plannedChange(tool.name, input, agent?.cwd ?? cwd, MOST_BYTES);
  if (change?.kind !== 'whole' || change.before === undefined) return undefined;
  return toPatch(await patchOf(change.before, change.after, MOST_MS));
}
