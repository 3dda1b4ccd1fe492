/** `skein clone`: a session, or a part of it, as a session of its own. */
import { entriesUpTo } from '../../edit/branch.ts';
import { clone as cloneEntries } from '../../edit/clone.ts';
import type { Entry } from '../../format/entry.ts';
import { outlineOf } from '../../graph/outline.ts';
import type { Arguments, Command } from '../command.ts';
import type { Context } from '../context.ts';
import { EDIT_OPTIONS } from '../edit/options.ts';
import { pointOf } from '../edit/point.ts';
import { printWritten } from '../edit/print.ts';
import { type EditSource, openSource, readSource } from '../edit/source.ts';
import { writeEdit } from '../edit/write.ts';
import { CommandError } from '../errors.ts';
import { BRANCH_OPTION } from '../opened.ts';
import { editedTitle, titleGiven } from '../slim/title.ts';

export const clone: Command = {
  name: 'clone',
  usage: 'SEL [--at UUID|TURN] [--branch BRANCH] [--title TITLE]',
  summary: 'a session, or its beginning, as a new session',
  details: [
    'Writes a new session beside the one named, which stays as it is: new session id, new uuids, every reference remapped, one chain of parents. A resume of the clone sends exactly what a resume of the original would. Sub-agents, large outputs and checkpoints go with it. Each entry says where it came from (forkedFrom), so that Skein knows copies from originals.',
    'With --at it ends at a point: at the end of a turn (3, last), or at the message with a uuid, kept whole with its results. Entries of other branches are left out; --branch takes another branch than the one a resume goes on from.',
    'Everything is checked before the new file shows: the rules of docs/format.md, one chain, no dangling reference, the same history.',
  ],
  options: {
    at: { type: 'string', value: 'UUID|TURN', help: 'End here: a turn (3, last), or the start of an entry’s uuid' },
    branch: BRANCH_OPTION,
    title: {
      type: 'string',
      value: 'TITLE',
      help: 'The title of the clone (default: that of the original with "(clone)")',
    },
    ...EDIT_OPTIONS,
  },
  examples: [
    ['skein clone @last', 'a copy to try something out in'],
    ['skein clone 4f0c --at 3 --title "without the detour"', 'go on after the third turn'],
    ['skein clone 4f0c --branch 2 --json', 'what a rewind left behind, as a session of its own'],
  ],
  completes: 'selector',
  takes: 1,
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const point = pointOf(context, args);
  const source = point === undefined ? openSource(context, args) : readSource(point.library, point.file);
  const leaf = point === undefined ? undefined : entryWith(source, point.uuid);
  const entries = leaf === undefined ? source.entries : entriesUpTo(source.entries, leaf);
  const { lastPrompt } = leaf === undefined ? source.outline : outlineOf(entries);
  const title = titleGiven(args) ?? (source.title === undefined ? 'Clone' : editedTitle(source.title, 'clone'));
  const written = writeEdit(context, args, {
    verb: 'clone',
    source,
    make: (target) => cloneEntries(source.entries, { ...target, leaf, title, lastPrompt }),
    sends: entries,
    allAgents: leaf === undefined,
    title,
  });
  await printWritten(context, args, written, { did: 'Cloned', title });
  return 0;
}

function entryWith({ entries, file }: EditSource, uuid: string): Entry {
  const entry = entries.findLast(({ head }) => head.uuid === uuid);
  if (entry !== undefined) return entry;
  throw new CommandError(`The session has no entry ${uuid}.`, file.file, 'See its entries: skein show, skein tree');
}
