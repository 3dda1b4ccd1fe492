/** `skein archive forget` */
import { type Forgotten, forget } from '../../archive/forget/forget.ts';
import type { ForgottenSpan } from '../../archive/forget/forgottenspans.ts';
import { allTombstones, chooseTombstones, liftTombstones, type Tombstone } from '../../archive/forget/tombstones.ts';
import { chooseFiles, foldersOf } from '../../archive/select.ts';
import type { Archive } from '../../archive/store.ts';
import { counted } from '../../views/counted.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';
import { notice } from '../progress.ts';
import { chosenSurely, selectorOf, wantsAll } from './choose.ts';
import { type LostChat, lostChats, PROJECT } from './lostchats.ts';
import { withArchive, writeJson } from './open.ts';

export function forgetFiles(context: Context, args: Arguments): Promise<number> {
  return withArchive(context, { create: false }, async (archive) => {
    if (args.flag('undo')) return undo(context, args, archive);
    if (args.flag('all')) {
      const next = 'Name a session or project:NAME; --all is for --undo.';
      throw new UsageError('Not everything is forgotten at once.', 'skein archive forget --all', next);
    }
    const selector = await selectorOf(context, args, archive, { takesLost: true });
    const lost = await lostBy(context, args, archive, selector);
    if (lost.length > 0) return forgetLost(context, args, archive, lost);
    const { what, files, sessions } = chosenSurely(archive, selector);
    const more = selector?.startsWith(PROJECT) ? await lostIn(context, args, foldersOf(files)) : [];
    if (!args.flag('yes')) {
      const beside = more.length === 0 ? '' : ` and ${chatsOf(more)}`;
      const kind = `${sessions.length === 0 ? '' : ` of ${counted(sessions.length, 'session')}`}${beside}`;
      const folders = foldersOf(files).join(', ');
      const shown = `${what.slice(0, 3).join(', ')}${what.length > 3 ? ', …' : ''}${folders === '' ? '' : ` in ${folders}`}`;
      throw new UsageError(
        `This takes ${counted(files.length, 'file')}${kind} out of the archive for good: ${shown}.`,
        archive.path,
        'Say so with --yes. The files on disk stay as they are.',
      );
    }
    const clear = notice(context, 'taking it out of the archive');
    const ids = more.map(({ id }) => id);
    const forgotten = forget(archive, files, context.now(), [...sessions, ...ids], spansOf(more));
    clear();
    const named = [...new Set([...files.map(({ session, name }) => session ?? name), ...ids])];
    return tell(context, args, archive, named, forgotten);
  });
}

/** Of a selector that fits nothing archived, the chats that only their prompts are left of: one, unless it names a project. */
async function lostBy(
  context: Context,
  args: Arguments,
  { db, path }: Archive,
  selector: string | undefined,
): Promise<LostChat[]> {
  if (selector === undefined || chooseFiles(db, selector).files.length > 0) return [];
  const lost = await lostChats(context, args, selector);
  if (lost.length < 2 || selector.startsWith(PROJECT)) return lost;
  const shown = lost.slice(0, 8).map(({ id, slug }) => `\n    ${id} in ${slug}`);
  throw new CommandError(`"${selector}" fits ${lost.length} chats:${shown.join('')}`, path, 'Write more of the id.');
}

/** Chats of a project's folder beside those that are archived. */
async function lostIn(context: Context, args: Arguments, folders: readonly string[]): Promise<LostChat[]> {
  const all = await Promise.all(folders.map((folder) => lostChats(context, args, PROJECT + folder)));
  return all.flat();
}

function spansOf(lost: readonly LostChat[]): ForgottenSpan[] {
  return lost.flatMap(({ span }) => span ?? []);
}

function chatsOf(lost: readonly LostChat[]): string {
  const prompts = lost.reduce((sum, each) => sum + each.prompts, 0);
  return `${counted(prompts, 'prompt')} of ${counted(lost.length, 'chat')} that only prompts are left of`;
}

function forgetLost(context: Context, args: Arguments, archive: Archive, lost: readonly LostChat[]): number {
  const ids = lost.map(({ id }) => id);
  if (!args.flag('yes')) {
    const shown = `${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''} in ${lost[0]?.slug}`;
    throw new UsageError(
      `This takes ${chatsOf(lost)} out of the archive for good: ${shown}.`,
      archive.path,
      'Say so with --yes. history.jsonl on disk stays as it is.',
    );
  }
  const clear = notice(context, 'taking it out of the archive');
  const forgotten = forget(archive, [], context.now(), ids, spansOf(lost));
  clear();
  return tell(context, args, archive, ids, forgotten);
}

function tell(
  context: Context,
  args: Arguments,
  archive: Archive,
  sessions: readonly string[],
  forgotten: Forgotten,
): number {
  if (args.flag('json')) writeJson(context, { archive: archive.path, sessions, ...forgotten });
  else {
    const { files, prompts, bytes } = forgotten;
    const typed = prompts > 0 ? counted(prompts, 'typed prompt') : '';
    const what = [files > 0 || prompts === 0 ? counted(files, 'file') : '', typed].filter((part) => part !== '');
    context.out.write(
      `${what.join(' and ')} forgotten, ${humanBytes(bytes)} removed. It is not archived again. Files on disk are as they were.\n`,
    );
  }
  warn(context, forgotten);
  return 0;
}

function warn({ err }: Context, { unreadable, uncompacted }: Forgotten): void {
  const told = (words: string) => err.write(`${err.style.warn('warning:')} ${words}\n`);
  if (unreadable > 0)
    told(`${counted(unreadable, 'damaged part')} of the archive could not be cleaned, and may hold some of it.`);
  if (uncompacted !== undefined)
    told(`the archive’s file was not made smaller: ${uncompacted}. What was freed in it is overwritten.`);
}

/** What was taken out does not come back by this; what is still on disk may be archived again. */
function undo(context: Context, args: Arguments, archive: Archive): number {
  const lifted = liftTombstones(archive.db, chosenStones(args, archive));
  if (args.flag('json')) writeJson(context, { archive: archive.path, lifted });
  else context.out.write(`${counted(lifted.length, 'tombstone')} lifted. What is still on disk: skein archive sync\n`);
  return 0;
}

function chosenStones(args: Arguments, { db, path }: Archive): Tombstone[] {
  const [selector] = args.positionals;
  if (wantsAll(args)) return allTombstones(db);
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
