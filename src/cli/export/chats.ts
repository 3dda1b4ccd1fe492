/** Which chats are exported, and each as it is to be shared: read again from a copy in which nothing is left that must not leave. */
import { join } from 'node:path';
import type { SessionFile } from '../../disk/find.ts';
import { createSharing, type RedactorOptions, type Sharing } from '../../export/sharing.ts';
import type { Branch } from '../../graph/branches.ts';
import { turnsOf } from '../../graph/turns.ts';
import type { Turn } from '../../graph/types.ts';
import { listChats } from '../chats.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';
import { type Library, NOTHING_KNOWN } from '../library.ts';
import { chosenTurns, type OpenedChat, openFile } from '../opened.ts';
import { notice } from '../progress.ts';
import { nothing, select, selectOne } from '../select.ts';
import { joinReviews, NOTHING_MASKED, type Review, reviewOf } from './review.ts';
import { withWorkFolder } from './workfolder.ts';

/** A chat with all that goes into its file. */
export interface SharedChat {
  readonly opened: OpenedChat;
  /** With `--all-branches` every one, else the one that was chosen. */
  readonly branches: readonly SharedBranch[];
  /** A path as it is shown to others. */
  readonly shownPath: (file: string) => string;
}

export interface ReviewedChat extends SharedChat {
  readonly review: Review;
}

export interface SharedBranch {
  readonly branch: Branch | undefined;
  readonly turns: readonly Turn[];
}

export interface Shared {
  readonly chats: readonly ReviewedChat[];
  /** Of all of them. */
  readonly review: Review;
}

interface Chosen {
  readonly library: Library;
  readonly file: SessionFile;
}

export const isProject = (selector: string | undefined): boolean => selector?.startsWith('project:') ?? false;

/** Does something with the chats that were asked for. They can be read until it is done. */
export async function withShared<T>(
  context: Context,
  args: Arguments,
  options: RedactorOptions,
  use: (shared: Shared) => Promise<T>,
): Promise<T> {
  const chosen = chosenChats(context, args);
  if (args.flag('reveal')) {
    const chats = chosen.map(({ library, file }) => ({
      ...sharedFrom(context, args, openFile(context, args, library, file)),
      review: NOTHING_MASKED,
    }));
    return use({ chats, review: NOTHING_MASKED });
  }
  return withWorkFolder((folder) => {
    const clear = notice(context, 'looking for secrets');
    const shared = redacted(context, args, chosen, createSharing(options), folder);
    clear();
    return use(shared);
  });
}

function chosenChats(context: Context, args: Arguments): Chosen[] {
  const [selector] = args.positionals;
  if (selector === undefined || !isProject(selector)) return [selectOne(context, args, selector)];
  for (const name of ['branch', 'turn'] as const) {
    if (args.values(name).length > 0 || args.value(name) !== undefined) {
      throw new UsageError('A project is exported as a whole.', `--${name}`, 'Leave it out, or name one chat.');
    }
  }
  const { library, files } = select(context, args, selector);
  const wanted = new Set(files);
  const chats = listChats(context, library).filter((chat) => chat.files.some((file) => wanted.has(file)));
  if (chats.length === 0) throw nothing(selector);
  return chats.map(({ file }) => ({ library, file }));
}

/** Read once to know which files belong to it, once to learn, once to copy; then the copy is read. */
function redacted(
  context: Context,
  args: Arguments,
  chosen: readonly Chosen[],
  sharing: Sharing,
  folder: string,
): Shared {
  const plans = chosen.map(({ library, file }) => {
    const { chat, listed } = openFile(context, args, library, file);
    const agents = new Set(chat.allAgents.map((agent) => agent.file));
    const files = [...listed.files, ...library.files.filter((each) => each.kind === 'agent' && agents.has(each.file))];
    return { library, file, files: [...new Set(files)], project: listed.project };
  });
  for (const { files } of plans) sharing.learn(files);
  const chats = plans.map(({ library, file, files, project }, place) => {
    const copy = sharing.copy(files, join(folder, String(place)));
    const placed = new Map(copy.files.map((each, index) => [each.file, sharing.text(files[index]?.file ?? '')]));
    const own = copy.files[files.indexOf(file)];
    if (own === undefined) throw nothing(file.file);
    if (own.bytes === 0) {
      const next = 'Look at the file itself: skein cat, skein check';
      throw new CommandError('No line of it can be looked into, so nothing of it can be shared.', file.file, next);
    }
    const near = copy.files.map((each) => (each === own ? own : { ...each, slug: own.slug }));
    const read = openFile(context, args, { ...library, files: near, known: NOTHING_KNOWN, team: undefined }, own);
    const opened = { ...read, listed: { ...read.listed, project: sharing.text(project) } };
    const chat = sharedFrom(context, args, opened, (path) => placed.get(path) ?? sharing.text(path));
    return { ...chat, review: reviewOf(copy, chat) };
  });
  return { chats, review: joinReviews(chats.map(({ review }) => review)) };
}

function sharedFrom(
  context: Context,
  args: Arguments,
  opened: OpenedChat,
  shownPath: (file: string) => string = (file) => file,
): SharedChat {
  const { chat } = opened;
  const all = args.flag('all-branches') && chat.branches.length > 0;
  const branches = all
    ? chat.branches.map((branch) => ({
        branch,
        turns: turnsOf(chat.entriesOf(branch), { now: context.now().getTime() }),
      }))
    : [{ branch: opened.branch, turns: chosenTurns(args, opened.turns) }];
  return { opened, branches, shownPath };
}
