/** `skein list`: what there is, newest first. */

import { namesProject } from '../../format/slug.ts';
import { parseTimestamp } from '../../format/time.ts';
import { wholeNumber } from '../arguments.ts';
import { sessionsJson } from '../chatjson.ts';
import { type ListedChat, listChats } from '../chats.ts';
import { type Arguments, type Command, READING_OPTIONS, TEAM_OPTIONS } from '../command.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { ago, type Column, humanBytes, shortModel, shortPath, table } from '../layout.ts';
import { type Library, openLibrary, reportProblems, sessionFilesOf } from '../library.ts';
import { type Masking, openMask, REVEAL_OPTION } from '../mask.ts';
import { nextPage } from '../nextpage.ts';
import { quoted } from '../quoted.ts';
import { placeFlag } from '../shelf.ts';
import { shortId } from '../shortid.ts';
import { type SourceName, sourceOf, tellTeam } from '../sources.ts';
import { parseTime } from '../time.ts';

export const list: Command = {
  name: 'list',
  usage: '[WORDS…] [--project NAME] [--after DATE] [--before DATE] [--sort KEY]',
  summary: 'chats of all projects: title, project, git branch, time, size, model',
  details: [
    'Lists what the client keeps, newest first. Words choose by title, project, git branch or id. Titles come from the name given in the client, else the one its model wrote, else a summary, else the first prompt.',
    'With an archive (skein archive sync) the chats that the client deleted are listed too, marked "archived", and those of which only the prompts are left in its history.jsonl, marked "prompts only".',
    'When the machine has no sessions, a small demo set is shown.',
  ],
  options: {
    project: { type: 'string', value: 'NAME', help: 'Only this project: its path, or the end of it' },
    after: {
      type: 'string',
      value: 'DATE',
      help: 'Only chats that went on after this: 2026-11-01, 2026-11-01T14:00, 3d, 12h, today, yesterday',
    },
    before: { type: 'string', value: 'DATE', help: 'Only chats that began before this' },
    sort: {
      type: 'string',
      value: 'KEY',
      choices: ['updated', 'started', 'size', 'turns', 'title', 'project'],
      help: 'Sort by updated (default), started, size, turns, title or project',
    },
    reverse: { type: 'boolean', help: 'Turn the order round' },
    limit: { type: 'string', short: 'n', value: 'N', help: 'At most N chats (default: all)' },
    page: { type: 'string', value: 'N', help: 'With --limit: which of the pages of that many (default 1)' },
    ...REVEAL_OPTION,
    ...TEAM_OPTIONS,
    ...READING_OPTIONS,
  },
  examples: [
    ['skein list', 'everything, newest first'],
    ['skein list login --after 7d', 'chats about login of the last week'],
    ['skein list --project api-server --sort size', 'the largest chats of a project first'],
    ["skein list --json | jq -r '.chats[0].id'", 'the id of the newest chat'],
    ['skein list --team acme --after 7d', 'what a team did in the last week'],
  ],
  run,
};

async function run(context: Context, args: Arguments): Promise<number> {
  const library = libraryFor(context, args);
  reportProblems(context, library.problems);
  tellTeam(context, library);
  const isWanted = filterOf(context, args);
  const all = listChats(context, library);
  const sorted = sortBy(all.filter(isWanted), args.value('sort') ?? 'updated');
  const { offset, limit, page } = pageOf(args);
  const chats = (args.flag('reverse') ? sorted.toReversed() : sorted).slice(offset, offset + limit);
  const mask = await openMask(context, args);
  if (args.flag('json'))
    context.out.write(`${mask.json({ chats: chats.map(toJson), ...(library.demo ? { demo: true } : {}) })}\n`);
  else if (chats.length > 0) {
    const end = offset + chats.length;
    const more = end < sorted.length ? `${offset + 1}–${end} shown; ${nextPage(context, page + 1)}` : undefined;
    writeTable(context, mask, chats, more);
  } else if (offset > 0 && sorted.length > 0)
    context.err.write(`There is no page ${page}; the last is ${Math.max(1, Math.ceil(sorted.length / limit))}.\n`);
  else context.err.write(`${nothingText(all.length, library, args.value('after'))}\n`);
  return chats.length > 0 ? 0 : 1;
}

interface Page {
  readonly offset: number;
  readonly limit: number;
  readonly page: number;
}

function pageOf(args: Arguments): Page {
  const limit = wholeNumber(args, 'limit', 1) ?? Number.POSITIVE_INFINITY;
  const page = wholeNumber(args, 'page', 1) ?? 1;
  return { offset: page === 1 ? 0 : (page - 1) * limit, limit, page };
}

/** All; of a team only what can be among those that are listed. */
function libraryFor(context: Context, args: Arguments): Library {
  const { offset, limit } = pageOf(args);
  // One more tells that there are more.
  const least = offset + limit + 1;
  const since = timeOption(context, args, 'after');
  const isAll =
    args.value('team') === undefined || args.flag('reverse') || (args.value('sort') ?? 'updated') !== 'updated';
  const isChosen = args.positionals.length > 0 || ['project', 'before'].some((name) => args.value(name) !== undefined);
  if (isAll || isChosen || least === Number.POSITIVE_INFINITY)
    return openLibrary(context, args, isAll || since === undefined ? undefined : { since });
  // Some of the newest sessions may be of one chat.
  for (let newest = least; ; newest *= 4) {
    const library = openLibrary(context, args, { newest, since });
    const sessions = sessionFilesOf(library).length;
    if (sessions < newest || listChats(context, library).filter(({ updated }) => updated !== undefined).length >= least)
      return library;
  }
}

function nothingText(all: number, { team }: Library, after: string | undefined): string {
  if (team !== undefined && all === 0) {
    const when = after === undefined ? '' : ` after ${after}`;
    return `No sessions here${when} that this login may read (docs/team.md, "Who sees what").`;
  }
  return all === 0
    ? 'No sessions here. Point Skein at some: --root DIR or CLAUDE_CONFIG_DIR.'
    : `None of ${all} chats fits. Leave out a word or a filter.`;
}

function filterOf(context: Context, args: Arguments): (chat: ListedChat) => boolean {
  const words = args.positionals.flatMap((text) => text.toLowerCase().split(/\s+/)).filter((word) => word !== '');
  const project = args.value('project');
  const after = timeOption(context, args, 'after');
  const before = timeOption(context, args, 'before');
  return (chat) => fits(chat, { words, project, after, before });
}

/** What is asked of a chat; words in lower case. */
export interface Wanted {
  readonly words: readonly string[];
  readonly project?: string | undefined;
  readonly after?: number | undefined;
  readonly before?: number | undefined;
}

export function fits(chat: ListedChat, { words, project, after, before }: Wanted): boolean {
  const text = [chat.title, chat.project, chat.gitBranch, chat.id].join('\n').toLowerCase();
  if (!words.every((word) => text.includes(word))) return false;
  if (project !== undefined && !namesProject(chat.project, project) && chat.slug !== project) return false;
  if (after !== undefined && !(parseTimestamp(chat.updated ?? '') >= after)) return false;
  return before === undefined || parseTimestamp(chat.started ?? '') < before;
}

function timeOption(context: Context, args: Arguments, name: string): number | undefined {
  const text = args.value(name);
  if (text === undefined) return undefined;
  const time = parseTime(text, context.now());
  if (time === undefined) {
    throw new UsageError(
      `--${name} takes a date or an age; not "${text}".`,
      `--${name} ${text}`,
      'Say e.g. 2026-11-01, 2026-11-01T14:00, 3d, 12h, today or yesterday.',
    );
  }
  return time;
}

export function sortBy(chats: readonly ListedChat[], key: string): ListedChat[] {
  const by: Record<string, (a: ListedChat, b: ListedChat) => number> = {
    started: (a, b) => (b.started ?? '').localeCompare(a.started ?? ''),
    size: (a, b) => b.bytes - a.bytes,
    turns: (a, b) => b.turns - a.turns,
    title: (a, b) => (a.title ?? '').localeCompare(b.title ?? ''),
    project: (a, b) => a.project.localeCompare(b.project),
  };
  const compare = by[key];
  return compare === undefined ? [...chats] : chats.toSorted(compare);
}

function toJson(chat: ListedChat) {
  return {
    id: chat.id,
    title: chat.title ?? null,
    project: chat.project,
    cwd: chat.cwd ?? null,
    gitBranch: chat.gitBranch ?? null,
    started: chat.started ?? null,
    updated: chat.updated ?? null,
    turns: chat.turns,
    model: chat.model ?? null,
    bytes: chat.bytes,
    head: chat.head,
    source: sourceOf(chat.file),
    sessions: sessionsJson(chat),
  };
}

/** What is on disk needs no word. */
export const MARKS: Readonly<Record<SourceName, string>> = {
  disk: '',
  archive: 'archived',
  history: 'prompts only',
  team: '',
};

function writeTable(context: Context, mask: Masking, chats: readonly ListedChat[], more: string | undefined): void {
  const { out } = context;
  const columns: Column<ListedChat>[] = [
    { title: 'ID', cell: ({ id }) => shortId(id), drop: 2, paint: out.style.dim },
    { title: 'UPDATED', cell: ({ updated }) => ago(updated, context.now()), drop: 0 },
    {
      title: 'TITLE',
      cell: ({ title }) => mask(title ?? '(no prompt)'),
      drop: 0,
      max: 72,
      flexible: true,
      paint: (text, { title }) => (title === undefined ? out.style.dim(text) : text),
    },
    {
      title: 'PROJECT',
      cell: ({ project }) => shortPath(mask(project)),
      drop: 3,
      max: 36,
      paint: out.style.accent,
    },
    { title: 'GIT BRANCH', cell: ({ gitBranch }) => mask(gitBranch ?? ''), drop: 5, max: 20 },
    { title: 'TURNS', cell: ({ turns }) => String(turns), align: 'right', drop: 1 },
    {
      title: 'FILES',
      cell: ({ sessions }) => (sessions.length > 1 ? String(sessions.length) : ''),
      align: 'right',
      drop: 7,
    },
    { title: 'SIZE', cell: ({ bytes }) => humanBytes(bytes), align: 'right', drop: 4 },
    { title: 'MODEL', cell: ({ model }) => shortModel(mask(model ?? '')), drop: 6, max: 16 },
  ];
  if (chats.some(({ file }) => MARKS[sourceOf(file)] !== '')) {
    columns.push({ title: 'FROM', cell: ({ file }) => MARKS[sourceOf(file)], drop: 1, paint: out.style.dim });
  }
  for (const line of mask.settled(() => table(chats, columns, out.columns, out.style.dim))) out.write(`${line}\n`);
  if (more !== undefined) out.write(`${out.style.dim(more)}\n`);
  const [newest] = chats;
  if (out.isTerminal && newest)
    out.write(out.style.dim(`read one: skein show ${quoted(shortId(newest.id))}${placeFlag()}\n`));
}
