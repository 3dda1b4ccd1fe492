/** One selector everywhere: a file, an id or the start of one, @last, @last~2, project:NAME, or words of a title. */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SessionFile } from '../disk/find.ts';
import { lastTimeOf } from '../disk/tail.ts';
import { listChats } from './chats.ts';
import type { Arguments } from './command.ts';
import type { Context } from './context.ts';
import { CommandError, UsageError } from './errors.ts';
import { type Library, lookAt, openLibrary, reportProblems, sessionFilesOf } from './library.ts';
import { inProject } from './projects.ts';

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
  if (file === undefined) throw nothing(selector);
  // A project's newest is what a person means; two ids or titles that fit are a question.
  if (others.length === 0 || selector.startsWith('project:')) return { library, file };
  throw ambiguous(selector, files);
}

/** All sessions a selector names. */
export function select(context: Context, args: Arguments, selector: string): Selected {
  const path = resolve(context.cwd, selector);
  if (existsSync(path) && statSync(path).isFile()) return fileGiven(context, path);
  if (selector.endsWith('.jsonl') || (selector.includes('/') && !selector.startsWith('project:'))) {
    throw nothing(selector, `There is no file ${path}.`);
  }
  const library = openLibrary(context, args);
  const files = selectIn(context, library, selector);
  if (files.length === 0) reportProblems(context, library.problems);
  return { library, files };
}

function selectIn(context: Context, library: Library, selector: string): SessionFile[] {
  if (selector.startsWith('@')) return byAge(library, selector);
  if (selector.startsWith('project:')) return newestFirst(inProject(library, selector.slice('project:'.length)));
  const exact = library.files.filter((file) => idsOf(file).includes(selector));
  if (exact.length > 0) return exact;
  const fits = (file: SessionFile) => idsOf(file).some((id) => id.startsWith(selector));
  const byId = selector.length >= SHORTEST_ID ? library.files.filter(fits) : [];
  return byId.length > 0 ? byId : byTitle(context, library, selector);
}

function idsOf(file: SessionFile): string[] {
  return file.agentId === undefined ? [file.sessionId] : [file.sessionId, file.agentId];
}

/** A file in a project folder is looked at with what lies beside it: copies and agents belong to its chat. */
function fileGiven(context: Context, path: string): Selected {
  const folder = /^(.*[/\\]projects[/\\][^/\\]+)[/\\]/.exec(path)?.[1];
  const library = lookAt(context, [folder ?? path]);
  const file =
    library.files.find((each) => each.file === path) ?? (folder === undefined ? library.files[0] : undefined);
  if (file !== undefined) return { library, files: [file] };
  const alone = lookAt(context, [path]);
  const [first] = alone.files;
  if (first === undefined) throw new CommandError('It is not a file Skein can read.', path, 'Name a .jsonl file.');
  return { library: alone, files: [first] };
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
  const file = newestFirst(sessionFilesOf(library).filter(({ bytes }) => bytes > 0))[Number(match[1] ?? 0)];
  return file === undefined ? [] : [file];
}

function newestFirst(files: readonly SessionFile[]): SessionFile[] {
  const times = new Map(files.map((file) => [file, lastTimeOf(file.file) ?? file.mtimeMs]));
  return files.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0));
}

function byTitle(context: Context, library: Library, words: string): SessionFile[] {
  const wanted = words.toLowerCase().split(/\s+/);
  return listChats(context, library)
    .filter(({ title }) => title !== undefined && wanted.every((word) => title.toLowerCase().includes(word)))
    .map((chat) => chat.file);
}

export function nothing(selector: string, what = `Nothing fits "${selector}".`): CommandError {
  return new CommandError(what, selector, 'See what there is: skein list');
}

function ambiguous(selector: string, found: readonly SessionFile[]): CommandError {
  const shown = found.slice(0, SHOWN_CANDIDATES).map((file) => `\n    ${file.sessionId}  ${file.file}`);
  const rest = found.length > shown.length ? `\n    and ${found.length - shown.length} more` : '';
  return new UsageError(
    `"${selector}" fits ${found.length} sessions:${shown.join('')}${rest}`,
    selector,
    'Give more of the id or title, or the path of the file.',
  );
}
