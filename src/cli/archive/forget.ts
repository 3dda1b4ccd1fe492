/** `skein archive forget` */
import { type Forgotten, forget } from '../../archive/forget.ts';
import { foldersOf } from '../../archive/select.ts';
import type { Archive } from '../../archive/store.ts';
import { allTombstones, chooseTombstones, liftTombstones, type Tombstone } from '../../archive/tombstones.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';
import { notice } from '../progress.ts';
import { chosenSurely } from './choose.ts';
import { count, withArchive, writeJson } from './open.ts';

export function forgetFiles(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { create: false }, (archive) => {
    if (args.flag('undo')) return undo(context, args, archive);
    const { what, files, sessions } = chosenSurely(archive, args.positionals[0]);
    if (!args.flag('yes')) {
      const kind = sessions.length === 0 ? '' : ` of ${count(sessions.length, 'session')}`;
      const folders = foldersOf(files).join(', ');
      const shown = `${what.slice(0, 3).join(', ')}${what.length > 3 ? ', …' : ''}${folders === '' ? '' : ` in ${folders}`}`;
      throw new UsageError(
        `This takes ${count(files.length, 'file')}${kind} out of the archive for good: ${shown}.`,
        archive.path,
        'Say so with --yes. The files on disk stay as they are.',
      );
    }
    const clear = notice(context, 'taking it out of the archive');
    const forgotten = forget(archive, files, context.now(), sessions);
    clear();
    if (args.flag('json')) {
      const named = [...new Set(files.map(({ session, name }) => session ?? name))];
      writeJson(context, { archive: archive.path, sessions: named, ...forgotten });
    } else {
      const gone = `${count(forgotten.files, 'file')} forgotten, ${humanBytes(forgotten.bytes)} removed`;
      context.out.write(`${gone}. It is not archived again. Typed prompts may also stand in history.jsonl.\n`);
    }
    warn(context, forgotten);
    return 0;
  });
}

function warn({ err }: Context, { unreadable, uncompacted }: Forgotten): void {
  const told = (words: string) => err.write(`${err.style.warn('warning:')} ${words}\n`);
  if (unreadable > 0)
    told(`${count(unreadable, 'damaged part')} of the archive could not be cleaned, and may hold some of it.`);
  if (uncompacted !== undefined)
    told(`the archive’s file was not made smaller: ${uncompacted}. What was freed in it is overwritten.`);
}

/** What was taken out does not come back by this; what is still on disk may be archived again. */
function undo(context: Context, args: Arguments, archive: Archive): number {
  const lifted = liftTombstones(archive.db, chosenStones(args, archive));
  if (args.flag('json')) writeJson(context, { archive: archive.path, lifted });
  else context.out.write(`${count(lifted.length, 'tombstone')} lifted. What is still on disk: skein archive sync\n`);
  return 0;
}

function chosenStones(args: Arguments, { db, path }: Archive): Tombstone[] {
  const [selector] = args.positionals;
  if (args.flag('all')) return allTombstones(db);
  if (selector === undefined) {
    throw new UsageError('Which session?', 'SEL is missing', 'Name an id or the end of a path, or say --all.');
  }
  const stones = chooseTombstones(db, selector);
  if (stones.length === 0) {
    throw new CommandError(`Nothing forgotten fits "${selector}".`, path, 'See what is: skein archive status --json');
  }
  if (stones.length > 1) {
    const shown = stones.slice(0, 8).map(({ what }) => `\n    ${what}`);
    throw new CommandError(`"${selector}" fits ${stones.length}:${shown.join('')}`, path, 'Write more of it.');
  }
  return stones;
}
