/** `skein merge`: two projects that are the same place. */
import type { Arguments, Command } from '../command.ts';
import type { Context } from '../context.ts';
import { chooseProject, projectPathOf } from '../edit/projects.ts';
import { RELOCATE_OPTIONS, relocateAll } from '../edit/relocated.ts';
import { UsageError } from '../errors.ts';
import { nothing } from '../select.ts';

export const merge: Command = {
  name: 'merge',
  usage: 'PROJECT INTO [--delete-source]',
  summary: 'put the sessions of two projects that are one place together',
  details: [
    'A folder that was renamed, or reached by another path, has its sessions under two names. Merge brings those of the first project to the second, as skein move does: same ids, cwd set to the folder of the second, sub-agents and outputs with them. The originals stay unless --delete-source.',
    'A session that both have is taken once: the one that goes on from the other. Two that went on differently both stay where they are; exit code 1 tells.',
    'Both are project:NAME or the path of the folder.',
  ],
  options: RELOCATE_OPTIONS,
  examples: [
    ['skein merge /old/app ~/work/app', 'all sessions under the folder as it is called now'],
    ['skein merge project:old-name project:new-name --delete-source --dry-run', 'what would become of each'],
  ],
  completes: 'selector',
  takes: 2,
  run,
};

function run(context: Context, args: Arguments): number {
  const [from, into] = args.positionals;
  if (from === undefined || into === undefined) {
    throw new UsageError(
      'Which two projects?',
      'PROJECT INTO',
      'Name both: project:NAME, or the paths of their folders.',
    );
  }
  const { library, files } = chooseProject(context, args, from);
  const target = chooseProject(context, args, into);
  if (files.length === 0) throw nothing(from);
  if (target.files.length === 0) throw nothing(into);
  const there = new Set(target.files.map(({ file }) => file));
  if (files.every(({ file }) => there.has(file))) {
    throw new UsageError('Both are the same project.', `${from} ${into}`, 'See what there is: skein list');
  }
  return relocateAll(context, args, { verb: 'merge', library, files, folder: projectPathOf(target.files, into) });
}
