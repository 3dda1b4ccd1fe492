/** The way of an export: chats are made ready, what was masked is shown, a person says yes, files are written. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../views/counted.ts';
import type { ToolDetail } from '../../views/options.ts';
import { ask, canAsk } from '../ask.ts';
import { humanBytes } from '../bytes.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { jsonText } from '../jsontext.ts';
import { write } from '../write.ts';
import { isProject, type ReviewedChat, type Shared, type SharedChat, withShared } from './chats.ts';
import type { ExportOptions, Format, IndexRow } from './format.ts';
import { printReview, type Review, reviewJson, withoutSignatures } from './review.ts';
import { fileName, refuseToReplace, STDOUT, save, targetOf } from './save.ts';

export function shareAs(format: Format): (context: Context, args: Arguments) => Promise<number> {
  return (context, args) => {
    checkOptions(args);
    const redaction = { home: context.home, images: args.flag('images') };
    return withShared(context, args, redaction, async (all) => {
      const shared = format.holds === 'blocks' ? all : forTexts(all);
      const options = optionsOf(context, args);
      const target = isProject(args.positionals[0])
        ? targetOf(context, args, projectName(shared))
        : targetOf(context, args, nameOf(shared.chats[0], format));
      tellReview(context, args, shared.review);
      if (args.flag('dry-run')) return dryRun(context, args, format, shared);
      if (!(await agreed(context, args, shared.review, target))) return 1;
      if (target === STDOUT) return toStdout(context, format, shared, options);
      const rows = isProject(args.positionals[0])
        ? saveProject(args, format, shared, options, target)
        : saveChats(format, shared, options, () => target);
      return report(context, args, format, target, rows, shared.review);
    });
  };
}

function forTexts({ chats, review }: Shared): Shared {
  return {
    chats: chats.map((chat) => ({ ...chat, review: withoutSignatures(chat.review) })),
    review: withoutSignatures(review),
  };
}

function checkOptions(args: Arguments): void {
  const clash = (a: string, b: string, next: string) => {
    throw new UsageError(`${a} and ${b} do not go together.`, `${a} ${b}`, next);
  };
  const toStdout = args.value('to') === STDOUT;
  if (args.flag('all-branches') && args.value('branch') !== undefined) clash('--all-branches', '--branch', 'Say one.');
  if (args.flag('all-branches') && args.values('turn').length > 0) clash('--all-branches', '--turn', 'Say one.');
  if (toStdout && args.flag('json') && !args.flag('dry-run')) clash('--to -', '--json', 'Name a file with --to.');
  if (toStdout && isProject(args.positionals[0])) clash('--to -', 'project:NAME', 'Name a folder with --to.');
}

function optionsOf(context: Context, args: Arguments): ExportOptions {
  const tools = args.value('tools');
  const detail: ToolDetail = tools === 'none' || tools === 'brief' ? tools : 'full';
  return {
    thinking: args.flag('thinking'),
    tools: detail,
    replay: args.flag('replay'),
    reveal: args.flag('reveal'),
    made: context.now(),
  };
}

function nameOf(chat: SharedChat | undefined, { extension }: Format): string {
  const { title, id = 'chat' } = chat?.opened.listed ?? {};
  return fileName(title, id, extension);
}

function projectName({ chats }: Shared): string {
  const [first] = chats;
  const last = first?.opened.listed.project.split(/[\\/]/).findLast((part) => /\w/.test(part));
  return `${(last ?? 'project').replace(/[^\p{L}\p{N}_-]+/gu, '-')}-export`;
}

function tellReview(context: Context, args: Arguments, review: Review): void {
  if (args.flag('reveal')) {
    context.err.write(`${context.err.style.warn('warning:')} nothing is masked, nothing is left out (--reveal)\n`);
  } else if (!args.flag('json')) printReview(context, review);
}

async function agreed(context: Context, args: Arguments, review: Review, target: string): Promise<boolean> {
  const isClean = review.found.length === 0 && review.leftOut.length === 0 && !args.flag('reveal');
  if (args.flag('yes') || args.flag('json') || isClean || !canAsk(context)) return true;
  return ask(context, target === STDOUT ? 'Go on?' : `Save ${target}?`);
}

async function toStdout(context: Context, format: Format, shared: Shared, options: ExportOptions): Promise<number> {
  for (const chat of shared.chats) {
    for (const piece of format.content(chat, chat.review, options)) await write(context.out, piece);
  }
  return 0;
}

function saveChats(
  format: Format,
  { chats }: Shared,
  options: ExportOptions,
  pathOf: (chat: ReviewedChat) => string,
): IndexRow[] {
  return chats.map((chat) => {
    const { id, title, started, updated } = chat.opened.listed;
    const file = pathOf(chat);
    return {
      id,
      title: title ?? id,
      file,
      bytes: save(file, format.content(chat, chat.review, options), options.reveal),
      turns: turnsOf(chat),
      started: started ?? null,
      updated: updated ?? null,
    };
  });
}

/** Turns that several branches have count once. */
function turnsOf({ branches }: SharedChat): number {
  const uuids = branches.flatMap(({ turns }) => turns.map(({ uuid, number }) => uuid ?? String(number)));
  return new Set(uuids).size;
}

function saveProject(
  args: Arguments,
  format: Format,
  shared: Shared,
  options: ExportOptions,
  folder: string,
): IndexRow[] {
  const names = new Map(shared.chats.map((chat) => [chat, nameOf(chat, format)]));
  const index = join(folder, `index.${format.extension}`);
  const paths = [...names.values()].map((name) => join(folder, name));
  for (const path of [index, ...paths]) refuseToReplace(path, args);
  mkdirSync(folder, { recursive: true, mode: options.reveal ? 0o700 : 0o777 });
  const rows = saveChats(format, shared, options, (chat) => join(folder, names.get(chat) ?? ''));
  const chats = rows.map((row, place) => ({ ...row, file: [...names.values()][place] ?? row.file }));
  const project = shared.chats[0]?.opened.listed.project ?? '';
  save(index, [format.index({ project, options, chats, review: shared.review })], options.reveal);
  return rows;
}

function report(
  context: Context,
  args: Arguments,
  format: Format,
  file: string,
  chats: readonly IndexRow[],
  review: Review,
): number {
  const sum = (count: (row: IndexRow) => number) => chats.reduce((total, row) => total + count(row), 0);
  const [bytes, turns] = [sum((row) => row.bytes), sum((row) => row.turns)];
  if (args.flag('json')) {
    printJson(context, { format: format.extension, dryRun: false, file, bytes, turns, chats, ...reviewJson(review) });
  } else {
    const many = chats.length > 1 ? `${chats.length} chats, ` : '';
    context.out.write(`${file}, ${many}${counted(turns, 'turn')}, ${humanBytes(bytes)}\n`);
  }
  return 0;
}

function dryRun(context: Context, args: Arguments, format: Format, { chats, review }: Shared): number {
  const turns = chats.reduce((total, chat) => total + turnsOf(chat), 0);
  if (args.flag('json')) {
    printJson(context, {
      format: format.extension,
      dryRun: true,
      file: null,
      bytes: null,
      turns,
      chats: [],
      ...review,
    });
  }
  return 0;
}

function printJson(context: Context, value: object): void {
  context.out.write(`${jsonText(value)}\n`);
}
