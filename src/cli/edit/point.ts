/** `--at` and `--branch`: the entry where a clone ends, and the session of the chat that it stands in. */
import type { SessionFile } from '../../disk/find.ts';
import { readSessionOf } from '../../disk/read.ts';
import type { Entry } from '../../format/entry.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';
import type { Library } from '../library.ts';
import { type OpenedChat, openSelected } from '../opened.ts';
import { quoted } from '../quoted.ts';
import { selectOne } from '../select.ts';
import { shortId } from '../shortid.ts';

export interface Point {
  readonly library: Library;
  readonly file: SessionFile;
  readonly uuid: string;
}

/** undefined where neither option is given. */
export function pointOf(context: Context, args: Arguments): Point | undefined {
  const at = args.value('at');
  if (at === undefined && args.value('branch') === undefined) return undefined;
  const { library, file } = selectOne(context, args);
  const opened = openSelected(context, args);
  const uuid = at === undefined ? opened.branch?.head : uuidAt(opened, at);
  if (uuid === undefined) {
    throw new CommandError('The branch has no entry to go on from.', opened.chat.id, 'See them: skein tree');
  }
  // The file asked for, where it has the entry; else the newest of the chat that does.
  const files = [file, ...opened.listed.files.toReversed()];
  const holder = files.find((each) => readSessionOf(each.file).entries.some(({ head }) => head.uuid === uuid));
  return { library, file: holder ?? file, uuid };
}

function uuidAt(opened: OpenedChat, at: string): string {
  const { turns, chat } = opened;
  const turn =
    at === 'last' ? turns.at(-1) : /^\d{1,6}$/.test(at) ? turns.find(({ number }) => number === Number(at)) : undefined;
  const ending = turn?.entries.findLast(isSaid)?.head.uuid;
  if (ending !== undefined) return ending;
  const fitting = at.length < 4 ? [] : chat.entries.filter((entry) => isSaid(entry) && entry.head.uuid?.startsWith(at));
  const uuids = [...new Set(fitting.flatMap(({ head }) => head.uuid ?? []))];
  const [found, ...others] = uuids;
  if (found !== undefined && (others.length === 0 || uuids.includes(at))) return uuids.includes(at) ? at : found;
  const what = others.length > 0 ? `"${at}" fits ${uuids.length} entries.` : `There is no turn or entry "${at}".`;
  const last = turns.at(-1)?.number ?? 0;
  throw new UsageError(
    what,
    `--at ${at}`,
    `Give a turn from 1 to ${last}, last, or a uuid: skein show ${quoted(shortId(chat.id))}`,
  );
}

function isSaid({ kind, head }: Entry): boolean {
  return (kind === 'user' || kind === 'assistant') && !head.isSidechain && head.uuid !== undefined;
}
