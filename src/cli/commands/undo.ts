/** `skein undo`: takes back what a rewriting verb did to files that were there. */
import { basename } from 'node:path';
import { safeLine } from '../../views/safe.ts';
import type { Arguments, Command } from '../command.ts';
import type { Context } from '../context.ts';
import {
  type Backup,
  isAsLeft,
  isWhole,
  listBackups,
  restoreFile,
  type SavedFile,
  saveBackup,
  takingBack,
} from '../edit/backup.ts';
import { CommandError } from '../errors.ts';
import { jsonText } from '../jsontext.ts';
import { ago, homePath } from '../layout.ts';

export const undo: Command = {
  name: 'undo',
  usage: '[SEL] [--list] [--force]',
  summary: 'take back the last change made in place',
  details: [
    'Every verb that changes or removes a file makes a backup first, under backups/ of $SKEIN_HOME. Undo puts the files of the last backup back as they were; with SEL, of the last one that has this session (its id, the start of it, or its path). Files that the change made are removed. It makes a backup itself, so that a second undo takes the first one back.',
    'A file that was written to since then is left alone, and nothing is done: with --force it is replaced all the same, and what was written since is in the new backup.',
  ],
  options: {
    list: { type: 'boolean', help: 'List the backups, newest first, and do nothing' },
    force: { type: 'boolean', help: 'Also replace files that were written to since the change' },
    'dry-run': { type: 'boolean', help: 'Show what would be put back and do nothing' },
    json: { type: 'boolean', help: 'Print JSON, stable and documented in docs/json.md' },
  },
  examples: [
    ['skein undo', 'take back the last change'],
    ['skein undo 4f0c --dry-run', 'what would be put back of this session'],
    ['skein undo --list', 'all that can be taken back'],
  ],
  completes: 'selector',
  takes: 1,
  run,
};

function run(context: Context, args: Arguments): number {
  const [selector] = args.positionals;
  const backups = listBackups(context).filter((backup) => selector === undefined || has(backup, selector));
  if (args.flag('list')) return list(context, args, backups.toReversed());
  const backup = backups.at(-1);
  if (backup === undefined) {
    const what = selector === undefined ? 'There is nothing to take back.' : `No backup has "${selector}".`;
    throw new CommandError(what, selector ?? 'skein undo', 'See what there is: skein undo --list');
  }
  refuse(backup, args.flag('force'));
  if (!args.flag('dry-run')) {
    saveBackup(context, { verb: 'undo', changes: takingBack(backup) });
    for (const file of backup.files) restoreFile(backup, file);
  }
  print(context, args, backup);
  return 0;
}

function has({ files }: Backup, selector: string): boolean {
  return files.some(({ path }) => path === selector || basename(path).startsWith(selector));
}

function refuse(backup: Backup, force: boolean): void {
  const broken = backup.files.find((file) => !isWhole(backup, file));
  if (broken !== undefined) {
    throw new CommandError(
      'The backup is damaged: nothing was done.',
      backup.folder,
      'Look at what is left of it there.',
    );
  }
  const changed = force ? undefined : backup.files.find((file) => !isAsLeft(file));
  if (changed === undefined) return;
  throw new CommandError(
    `The file was written to after "${backup.verb}": nothing was done.`,
    changed.path,
    'Undo all the same with --force (what was written since is kept in a backup), or make a copy first: skein clone',
  );
}

function list(context: Context, args: Arguments, backups: readonly Backup[]): number {
  const { out, home } = context;
  if (args.flag('json')) out.write(`${jsonText({ backups: backups.map(toJson) })}\n`);
  else {
    for (const { verb, time, files, folder } of backups) {
      const [first] = files;
      const more = files.length > 1 ? ` and ${files.length - 1} more` : '';
      const what = `${ago(time, context.now())}  ${verb}  ${homePath(first?.path ?? '', home)}${more}`;
      out.write(`${safeLine(what)}  ${out.style.dim(safeLine(homePath(folder, home)))}\n`);
    }
    if (backups.length === 0) out.write('There are no backups.\n');
  }
  return backups.length > 0 ? 0 : 1;
}

function print(context: Context, args: Arguments, backup: Backup): void {
  const { out, home } = context;
  const dryRun = args.flag('dry-run');
  if (args.flag('json')) {
    out.write(`${jsonText({ ...summary(backup), ...toJson(backup), dryRun })}\n`);
    return;
  }
  const did = dryRun ? 'Would be taken back' : 'Taken back';
  out.write(`${out.style.good(did)}: ${backup.verb} of ${backup.time}\n`);
  for (const file of backup.files) {
    out.write(`${out.style.dim(file.before ? 'as it was:' : 'removed:  ')} ${safeLine(homePath(file.path, home))}\n`);
  }
}

/** As every verb that writes says it: the session, before and after. */
function summary({ files }: Backup): object {
  const sessions = files.filter(
    ({ path }) => /[/\\][^/\\]+\.jsonl$/.test(path) && !basename(path).startsWith('agent-'),
  );
  const main = sessions.find(({ before }) => before !== undefined) ?? sessions[0] ?? files[0];
  return {
    sessionId: main === undefined ? null : basename(main.path, '.jsonl'),
    file: main?.path ?? null,
    before: { bytes: main?.after?.bytes ?? null },
    after: { bytes: main?.before?.bytes ?? null },
  };
}

function toJson({ folder, verb, time, files }: Backup): object {
  return { folder, verb, time, files: files.map(fileJson) };
}

function fileJson({ path, before, after }: SavedFile): object {
  return { path, bytes: before?.bytes ?? null, changedTo: after?.bytes ?? null };
}
