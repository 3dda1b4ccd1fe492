/** `skein rewind`: files and conversation as they were before a prompt. */
import { appendLines } from '../../disk/append.ts';
import type { Arguments, Command } from '../command.ts';
import type { Context } from '../context.ts';
import { refuseLive } from '../edit/live.ts';
import { EDIT_OPTIONS } from '../edit/options.ts';
import { type AgentCopy, agentsOf } from '../edit/sidecars.ts';
import { type EditSource, readSource } from '../edit/source.ts';
import { isSameState, stateOf } from '../edit/state.ts';
import { CommandError, UsageError } from '../errors.ts';
import { openMask } from '../mask.ts';
import { version } from '../mcp/version.ts';
import { openFile } from '../opened.ts';
import { quoted } from '../quoted.ts';
import { byTime } from '../rewind/bytime.ts';
import { entryBefore, type Pin, pinAt } from '../rewind/conversation.ts';
import { type FileRewind, fileRewind, rewindFiles } from '../rewind/files.ts';
import { type Goal, goalOf } from '../rewind/goal.ts';
import { type Plan, print, toJson } from '../rewind/print.ts';
import { selectOne } from '../select.ts';
import { shortId } from '../shortid.ts';

export const rewind: Command = {
  name: 'rewind',
  usage: 'SEL [--to TURN|UUID] [--files | --conversation | --both]',
  summary: 'files and conversation as they were before a prompt',
  details: [
    'Both clients keep copies of the files that their tools change (file-history/). Rewind puts them back as they were before the prompt of a turn, the last one unless --to names another, and removes those that were made since. Files that only commands changed are not known to it.',
    'The conversation goes on from before that prompt, in either client; nothing is taken out of the transcript. What was said since stays there as a branch: skein tree shows it, skein clone --branch takes it up, and skein rewind --to end --conversation goes back to it.',
    'A file that someone else has changed since is left alone, and nothing is done: with --force it is replaced all the same. Every file is kept in a backup first: skein undo brings them back.',
  ],
  options: {
    to: {
      type: 'string',
      value: 'TURN',
      help: 'The turn to undo first: 3, last (default), or the start of its prompt uuid; end: the newest line again',
    },
    files: { type: 'boolean', help: 'Only the files' },
    conversation: { type: 'boolean', help: 'Only the conversation' },
    both: { type: 'boolean', help: 'Files and conversation (default)' },
    force: { type: 'boolean', help: 'Also replace files that someone else changed' },
    ...EDIT_OPTIONS,
  },
  examples: [
    ['skein rewind @last --dry-run', 'what undoing the last turn would change'],
    ['skein rewind 4f0c --to 3', 'before the third prompt again, files and conversation'],
    ['skein rewind 4f0c --to 3 --files', 'the files alone; the conversation goes on where it is'],
  ],
  completes: 'selector',
  takes: 1,
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const plan = await planOf(context, args);
  if (!args.flag('force') && !args.flag('dry-run')) refuseForeign(plan);
  const backup = args.flag('dry-run') ? undefined : carryOut(context, plan);
  const mask = await openMask(context, args);
  if (args.flag('json')) context.out.write(`${mask.json(toJson(plan, backup, args.flag('dry-run')))}\n`);
  else print(context, mask, plan, backup, args.flag('dry-run'));
  return 0;
}

function whatOf(args: Arguments): { files: boolean; conversation: boolean } {
  const [files, conversation, both] = [args.flag('files'), args.flag('conversation'), args.flag('both')];
  if (!files && !conversation) return { files: true, conversation: true };
  return { files: files || both, conversation: conversation || both };
}

async function planOf(context: Context, args: Arguments): Promise<Plan> {
  const what = whatOf(args);
  const { library, file } = selectOne(context, args);
  const source = readSource(library, file);
  if (source.state === undefined) {
    throw new CommandError('The session is not on disk.', file.file, 'Bring it back first: skein archive restore');
  }
  refuseLive(file);
  if (args.value('to') === 'end') return planToEnd(context, args, source);
  const { turns, chat } = openFile(context, args, library, file);
  const own = new Set(source.entries.flatMap(({ head }) => head.uuid ?? []));
  const goal = goalOf(
    turns.filter(({ uuid }) => uuid !== undefined && own.has(uuid)),
    args.value('to'),
    quoted(shortId(chat.id)),
  );
  const agents = what.files ? agentsOf(library, file, source.entries, { all: true }) : [];
  const files = what.files ? await filesOf(source, goal, agents) : undefined;
  const at = what.conversation ? entryBefore(source.entries, goal.uuid) : undefined;
  if (what.conversation && at === undefined && !what.files) {
    throw new CommandError('Nothing was said before this prompt.', `--to ${goal.turn}`, 'Start a new session instead.');
  }
  const words = `Rewound to before turn ${goal.turn}.`;
  return {
    source,
    goal,
    files,
    pin: at && pinOf(context, source, at, words),
    note:
      what.conversation && at === undefined
        ? 'Nothing was said before this prompt: the conversation stays.'
        : undefined,
  };
}

function filesOf(source: EditSource, goal: Goal, agents: readonly AgentCopy[]): Promise<FileRewind> {
  const { config, file, entries, project } = source;
  if (config === undefined) {
    const next = 'Go back in the conversation alone: --conversation';
    throw new CommandError('The copies of files lie in a config folder; this session is in none.', file.file, next);
  }
  const root = entries.find(({ head }) => head.cwd !== undefined)?.head.cwd ?? project.path ?? '';
  const all = byTime([entries, ...agents.map((agent) => agent.entries)]);
  return fileRewind(all, goal, { config, sessionId: file.sessionId, root }, file.file);
}

/** What was said last, wherever the conversation was rewound to since. */
function planToEnd(context: Context, args: Arguments, source: EditSource): Plan {
  if (!args.flag('conversation') || args.flag('files') || args.flag('both')) {
    throw new UsageError('Only the conversation can go to the end.', '--to end', 'Files come back with: skein undo');
  }
  const at = source.entries.findLast(
    ({ kind, head }) => (kind === 'user' || kind === 'assistant') && !head.isSidechain,
  );
  if (at === undefined) throw new CommandError('Nothing was said.', source.file.file, 'See: skein show');
  const pin = pinOf(context, source, at, 'Back at the newest line.');
  return { source, goal: undefined, files: undefined, pin, note: undefined };
}

function pinOf(context: Context, { entries, file }: EditSource, at: EditSource['entries'][number], note: string): Pin {
  const options = { sessionId: file.sessionId, note, now: context.now(), version: version() };
  const pin = pinAt(entries, at, options);
  if (pin !== undefined) return pin;
  const next = `Take a copy that ends there instead: skein clone ${quoted(shortId(file.sessionId), '--at', at.head.uuid ?? '')}`;
  throw new CommandError('A resume would not go on from there.', file.file, next);
}

function refuseForeign({ files }: Plan): void {
  const [first, ...others] = files?.foreign ?? [];
  if (first === undefined) return;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  throw new CommandError(
    `Someone else has changed a file since the session did${more}: nothing was done.`,
    first,
    'See all of it with --dry-run; replace it all the same with --force (it is kept in a backup).',
  );
}

/** Files first: if one cannot be brought back, the conversation stays. */
function carryOut(context: Context, { source, files, pin }: Plan): string | undefined {
  const { file, state } = source;
  if (state !== undefined && !isSameState(state, stateOf(file.file))) {
    throw new CommandError('Somebody wrote to the session meanwhile.', file.file, 'Nothing was done; try again.');
  }
  const backup = files && rewindFiles(context, files);
  if (pin !== undefined) {
    appendLines(
      file.file,
      pin.lines.map((line) => JSON.stringify(line)),
      { fsync: true },
    );
  }
  return backup;
}
