/** The files of a rewind: what would change, and changing it. */
import { expectedFiles } from '../../agent/history/expected.ts';
import { type History, historyOf } from '../../agent/history/plan.ts';
import { isForeign, type Step, stepsTo, takeStep, type Where } from '../../agent/history/rewind.ts';
import type { Entry } from '../../format/entry.ts';
import type { Context } from '../context.ts';
import { saveBackup } from '../edit/backup.ts';
import { CommandError } from '../errors.ts';
import type { Goal } from './goal.ts';

export interface FileRewind {
  readonly steps: readonly Step[];
  /** Files that someone else changed: what they hold is nowhere in the session. */
  readonly foreign: readonly string[];
}

/** Throws CommandError where the session has kept nothing for this prompt. */
export async function fileRewind(
  entries: readonly Entry[],
  goal: Goal,
  where: Where,
  file: string,
): Promise<FileRewind> {
  const history = historyOf(entries);
  const steps = stepsTo(history, goal.uuid, where);
  if (steps === undefined) throw noSnapshot(history, goal, file);
  const expected = await expectedFiles(entries, where.root);
  const changing = steps.filter(({ change }) => change === 'restore' || change === 'remove');
  const foreign = changing.filter(({ path }) => isForeign(path, expected.get(path), history, where));
  return { steps, foreign: foreign.map(({ path }) => path) };
}

function noSnapshot({ snapshots }: History, { turn }: Goal, file: string): CommandError {
  const next =
    snapshots.size === 0
      ? 'Nothing was kept in this session; go back in the conversation alone: --conversation'
      : 'Choose another turn (--to), or go back in the conversation alone: --conversation';
  return new CommandError(`The session kept no files for turn ${turn}.`, file, next);
}

/** Makes a backup first, which `skein undo` takes back; undefined when nothing changes. Throws DiskError. */
export function rewindFiles(context: Context, { steps }: FileRewind): string | undefined {
  const changing = steps.filter(({ change }) => change === 'restore' || change === 'remove');
  if (changing.length === 0) return undefined;
  const changes = changing.map(({ path, copy }) => ({ path, ...(copy !== undefined && { after: copy }) }));
  const backup = saveBackup(context, { verb: 'rewind', changes });
  for (const step of changing) takeStep(step);
  return backup;
}
