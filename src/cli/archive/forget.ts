/** `skein archive forget` */
import { forget } from '../../archive/forget.ts';
import type { Archive } from '../../archive/store.ts';
import { allTombstones, chooseTombstones, liftTombstones, type Tombstone } from '../../archive/tombstones.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';
import { notice } from '../progress.ts';
import { chosenFiles } from './choose.ts';
import { count, withArchive, writeJson } from './open.ts';

export function forgetFiles(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { create: false }, (archive) => {
    if (args.flag('undo')) return undo(context, args, archive);
    const files = chosenFiles(archive, args.positionals[0]);
    const sessions = [...new Set(files.map(({ session, name }) => session ?? name))];
    if (!args.flag('yes')) {
      throw new UsageError(
        `This takes ${count(files.length, 'file')} out of the archive for good: ${sessions.slice(0, 3).join(', ')}${sessions.length > 3 ? ', …' : ''}.`,
        archive.path,
        'Say so with --yes. The files on disk stay as they are.',
      );
    }
    const clear = notice(context, 'taking it out of the archive');
    const forgotten = forget(archive, files, context.now());
    clear();
    if (args.flag('json')) writeJson(context, { archive: archive.path, sessions, ...forgotten });
    else {
      const gone = `${count(forgotten.files, 'file')} forgotten, ${humanBytes(forgotten.bytes)} removed`;
      context.out.write(`${gone}. It is not archived again. Typed prompts may also stand in history.jsonl.\n`);
    }
    return 0;
  });
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
