/** `skein move`: sessions of a folder that was renamed, or of another machine. */
import type { Arguments, Command } from '../command.ts';
import type { Context } from '../context.ts';
import { chooseSessions, folderGiven } from '../edit/projects.ts';
import { RELOCATE_OPTIONS, relocateAll } from '../edit/relocated.ts';
import { UsageError } from '../errors.ts';

export const move: Command = {
  name: 'move',
  usage: 'SEL|PROJECT --to DIR [--delete-source]',
  summary: 'bring sessions to a folder that was renamed or moved',
  details: [
    'The client looks for sessions by the folder it is started in: after the folder was renamed, or on another machine, it does not find them any more. Move writes them where it looks for those of DIR, with their sub-agents, large outputs and titles, and sets cwd to the new folder where it was the old one or one below it. Nothing else changes: they are the same sessions, with the same ids, and a resume sends the same.',
    'PROJECT is project:NAME or the path of the old folder, which may be gone; all its sessions are moved. The originals stay where they are unless --delete-source, which removes them after everything is in its new place, with a backup. A session that is there already is left as it is if it goes on from ours, and replaced (with a backup) if ours goes on from it.',
    'history.jsonl, the trust given to a folder and its settings are not touched.',
  ],
  options: {
    to: { type: 'string', value: 'DIR', help: 'The folder of the project, as it is called now' },
    ...RELOCATE_OPTIONS,
  },
  examples: [
    ['skein move project:app --to ~/work/new-app', 'after `mv app new-app`: all sessions of the project'],
    ['skein move /work/app --to /work/new-app --delete-source', 'the same by path, leaving nothing behind'],
    ['skein move 4f0c --to .', 'one session into the project of this folder'],
    ['skein move project:app --root /mnt/old/.claude --into ~/.claude --to ~/app', 'from the disk of another machine'],
  ],
  completes: 'selector',
  takes: 1,
  run,
};

function run(context: Context, args: Arguments): number {
  const [selector] = args.positionals;
  if (selector === undefined) {
    throw new UsageError('Which session or project?', 'SEL is missing', 'Name a session, project:NAME or a folder.');
  }
  const to = args.value('to');
  if (to === undefined || to === '') {
    throw new UsageError('Where to?', '--to is missing', 'Name the folder of the project: --to DIR');
  }
  return relocateAll(context, args, {
    verb: 'move',
    ...chooseSessions(context, args, selector),
    folder: folderGiven(context, to),
  });
}
