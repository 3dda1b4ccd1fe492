/** One selector everywhere: a file, an id or the start of one, @last, @last~2, project:NAME, or words of a title. */
import { resolve, sep } from 'node:path';
import type { SessionFile } from '../disk/find.ts';
import { isOnDisk } from '../disk/mounts.ts';
import { lastTimeOf } from '../disk/tail.ts';
import { TEAM_ROOT } from '../team/paths.ts';
import type { Wanted } from '../team/read/files.ts';
import { type ListedChat, listChats } from './chats.ts';
import type { Arguments } from './command.ts';
import type { Context } from './context.ts';
import { CommandError, UsageError } from './errors.ts';
import { type Library, lookAt, openLibrary, reportProblems, sessionFilesOf } from './library.ts';
import { inProject } from './projects.ts';
import { placeFlag, teamStore } from './shelf.ts';

const SHORTEST_ID = 4;
const SHOWN_CANDIDATES = 8;

export interface Selected {
  readonly library: Library;
  /** Newest first. */
  readonly files: readonly SessionFile[];
}

/** The one session a selector names, with the library it lies in. */
export function selectOne(
  context: Context,
  args: Arguments,
  selector = args.positionals[0],
): { library: Library; file: SessionFile } {
  if (selector === undefined) {
    throw new UsageError(
      'Which session?',
      'SEL is missing',
      'Name a file, an id, @last, project:NAME or words of a title.',
    );
  }
  const { library, files } = select(context, args, selector);
  const [file, ...others] = files;
  if (file === undefined) throw nothing(selector, undefined, context);
  // A project's newest is what a person means; two ids or titles that fit are a question.
  if (others.length === 0 || selector.startsWith('project:')) return { library, file };
  // One session that lies in several places, as after a move or an import, is one: the fullest.
  if (others.every((each) => each.kind === file.kind && each.sessionId === file.sessionId)) {
    return { library, file: files.toSorted((a, b) => b.bytes - a.bytes || b.mtimeMs - a.mtimeMs)[0] ?? file };
  }
  throw ambiguous(context, library, selector, files);
}

/** All sessions a selector names. */
export function select(context: Context, args: Arguments, selector: string): Selected {
  if (teamStore(args) !== undefined) return selectOfTeam(context, args, selector);
  const path = resolve(context.cwd, selector);
  if (!context.asTool) {
    if (isOnDisk(path)) return fileGiven(context, path);
    if (selector.endsWith('.jsonl') || (selector.includes('/') && !selector.startsWith('project:'))) {
      return fileGone(context, args, selector, path);
    }
  }
  const library = openLibrary(context, args);
  const known = context.asTool ? library.files.filter(({ file }) => file === path) : [];
  const files = known.length > 0 ? known : selectIn(context, library, selector);
  if (files.length === 0) reportProblems(context, library.problems);
  return { library, files };
}

/** Of thousands of sessions only what the selector tells is asked for, where it does. */
function selectOfTeam(context: Context, args: Arguments, selector: string): Selected {
  const wanted = wantedBy(selector);
  const of = (library: Library): Selected => ({ library, files: selectIn(context, library, selector) });
  const some = wanted && of(openLibrary(context, args, wanted));
  return some && some.files.length > 0 ? some : of(openLibrary(context, args));
}

function wantedBy(selector: string): Wanted | undefined {
  if (selector.startsWith('@')) return { newest: Number(/~(\d{1,6})$/.exec(selector)?.[1] ?? 0) + 1 };
  const id = (selector.split('/').at(-1) ?? '').replace(/\.jsonl$|^agent-/g, '');
  return !selector.startsWith('project:') && id.length >= SHORTEST_ID && /^[\w.-]+$/.test(id) ? { id } : undefined;
}

/** Of a library all sessions that a selector names which is no file. */
export function selectIn(context: Context, library: Library, selector: string): SessionFile[] {
  if (selector.startsWith('@')) return byAge(library, selector);
  if (selector.startsWith('project:'))
    return newestFirst(library, inProject(library, selector.slice('project:'.length)));
  if (selector.startsWith(TEAM_ROOT)) return library.files.filter(({ file }) => isAtOrBelow(file, selector));
  const exact = library.files.filter((file) => idsOf(file).includes(selector));
  if (exact.length > 0) return exact;
  const fits = (file: SessionFile) => idsOf(file).some((id) => id.startsWith(selector));
  const byId = selector.length >= SHORTEST_ID ? library.files.filter(fits) : [];
  return byId.length > 0 ? byId : byTitle(context, library, selector);
}

function isAtOrBelow(file: string, path: string): boolean {
  return file === path || file.startsWith(`${path}/`);
}

function idsOf(file: SessionFile): string[] {
  return file.agentId === undefined ? [file.sessionId] : [file.sessionId, file.agentId];
}

/** A file of a project is looked at with what lies around it: copies and agents belong to its chat. */
function fileGiven(context: Context, path: string): Selected {
  const folder = folderOf(path);
  const library = lookAt(context, [folder ?? path]);
  const file =
    library.files.find((each) => each.file === path) ?? (folder === undefined ? library.files[0] : undefined);
  if (file !== undefined) return { library, files: [file] };
  const alone = lookAt(context, [path]);
  const [first] = alone.files;
  if (first === undefined) throw new CommandError('It is not a file Skein can read.', path, 'Name a .jsonl file.');
  return { library: alone, files: [first] };
}

/** A path where nothing lies any more: the archive may have kept the file or what lay below the folder, also of another machine. */
function fileGone(context: Context, args: Arguments, selector: string, path: string): Selected {
  const given = args.values('root');
  const places = given.length > 0 ? [given] : [[], [folderOf(path) ?? path]];
  for (const place of places) {
    const each = lookAt(context, place);
    const files = each.files.filter(
      ({ file, source }) =>
        source !== undefined && [path, selector].some((name) => file === name || file.startsWith(name + sep)),
    );
    if (files.length > 0) return { library: each, files: newestFirst(each, files) };
  }
  throw nothing(selector, `There is no file ${path}.`);
}

/** The folder of all projects that a path lies in; only its project where that is not named as the client does (L2). */
function folderOf(path: string): string | undefined {
  const [, projects, slug] = /^(.*[/\\]projects)([/\\][^/\\]+)[/\\]/.exec(path) ?? [];
  if (projects === undefined || slug === undefined) return undefined;
  return /^.(?:-|[A-Za-z]--)/.test(slug) ? projects : projects + slug;
}

function byAge(library: Library, selector: string): SessionFile[] {
  const match = /^@last(?:~(\d+))?$/.exec(selector);
  if (match === null) {
    throw new UsageError(
      `"${selector}" is not a selector.`,
      selector,
      'Use @last for the newest session, @last~1 for the one before it.',
    );
  }
  // The client leaves empty files behind (L6): nothing was said there.
  const file = newestFirst(
    library,
    sessionFilesOf(library).filter(({ bytes }) => bytes > 0),
  )[Number(match[1] ?? 0)];
  return file === undefined ? [] : [file];
}

function newestFirst(library: Library, files: readonly SessionFile[]): SessionFile[] {
  const times = new Map(files.map((file) => [file, timeOf(library, file)]));
  return files.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
}

/** To read the end of an archived session all of it would be unpacked; to read that of a team's, all of it fetched. */
function timeOf({ known }: Library, file: SessionFile): number {
  const said = file.source === 'archive' || file.source === 'team' ? known.updatedOf(file) : lastTimeOf(file.file);
  return said ?? file.mtimeMs;
}

function byTitle(context: Context, library: Library, words: string): SessionFile[] {
  const wanted = words.toLowerCase().split(/\s+/);
  return listChats(context, library)
    .filter(({ title }) => title !== undefined && wanted.every((word) => title.toLowerCase().includes(word)))
    .map((chat) => chat.file);
}

export function nothing(
  selector: string,
  what = `Nothing fits "${selector}".`,
  { asTool }: Pick<Context, 'asTool'> = {},
): CommandError {
  const isShort = selector.length < SHORTEST_ID && /^[\da-f]+$/.test(selector);
  const short = isShort ? `The start of an id has ${SHORTEST_ID} characters or more. ` : '';
  const list = asTool ? 'list_chats' : `skein list${placeFlag()}`;
  return new CommandError(what, selector, `${short}See what there is: ${list}`);
}

function titlesOf(context: Context, library: Library): ReadonlyMap<string, string> {
  const told = ({ updated = '', title = '', project }: ListedChat) =>
    `${updated.slice(0, 10)}  ${title.replace(/\s+/g, ' ')}  ${project}`;
  const chats = listChats(context, library);
  return new Map(chats.flatMap((chat) => chat.files.map(({ file }): [string, string] => [file, told(chat)])));
}

function ambiguous(context: Context, library: Library, selector: string, found: readonly SessionFile[]): CommandError {
  const first = found.slice(0, SHOWN_CANDIDATES);
  // An agent opens no files: what they are about tells it which one it means.
  const titles = context.asTool ? titlesOf(context, library) : undefined;
  const shown = first.map(({ sessionId, file }) => `\n    ${sessionId}  ${titles ? (titles.get(file) ?? '') : file}`);
  const rest = found.length > shown.length ? `\n    and ${found.length - shown.length} more` : '';
  return new UsageError(
    `"${selector}" fits ${found.length} sessions:${shown.join('')}${rest}`,
    selector,
    context.asTool ? 'Give one of these ids.' : 'Give more of the id or title, or the path of the file.',
  );
}
