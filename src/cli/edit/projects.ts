/** Projects as a person names them on the command line, for moving and merging. */
import { realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { SessionFile } from '../../disk/find.ts';
import { groupByProject } from '../../disk/project.ts';
import { namesProject } from '../../format/slug.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';
import { type Library, openLibrary } from '../library.ts';
import { inProject } from '../projects.ts';
import { nothing, selectOne } from '../select.ts';
import { configOf } from './source.ts';

export interface Chosen {
  readonly library: Library;
  readonly files: readonly SessionFile[];
}

/** A session, or all sessions of a project: `project:NAME`, or the path of its folder, which may be gone. */
export function chooseSessions(context: Context, args: Arguments, selector: string): Chosen {
  const whole = chooseProject(context, args, selector);
  if (whole.files.length > 0) return whole;
  if (selector.startsWith('project:')) throw nothing(selector);
  const { library, file } = selectOne(context, args, selector);
  return { library, files: [file] };
}

export function chooseProject(context: Context, args: Arguments, selector: string): Chosen {
  const library = openLibrary(context, args);
  const named = /^project:(.*)$/s.exec(selector)?.[1];
  const isPath = /^[.~]?[/\\]|^\.{1,2}$|^[A-Za-z]:[/\\]/.test(selector) && !selector.endsWith('.jsonl');
  if (named === undefined && !isPath) return { library, files: [] };
  const files = inProject(library, named ?? resolve(context.cwd, selector));
  return { library, files: files.filter(({ source, bytes }) => source !== 'history' && bytes > 0) };
}

/** The path of the project that sessions belong to, where they agree on one. */
export function projectPathOf(files: readonly SessionFile[], name: string): string {
  const paths = groupByProject(files).filter(({ from }) => from === 'cwd');
  const fitting = paths.filter(({ path }) => namesProject(path, name.replace(/^project:/, '')));
  const [first, ...others] = fitting.length > 0 ? fitting : paths;
  if (first !== undefined && others.length === 0) return first.path;
  const what =
    first === undefined
      ? 'No session says which folder it ran in.'
      : `"${name}" fits several folders: ${paths.map(({ path }) => path).join(', ')}.`;
  throw new UsageError(what, name, 'Name the folder itself: skein move … --to DIR');
}

/** The folder that the client will see when it is started there. */
export function folderGiven(context: Context, path: string): string {
  // A folder of another machine: this one has no such names.
  if (/^[A-Za-z]:[\\/]/.test(path) && process.platform !== 'win32') return path.replace(/[\\/]+$/, '');
  const folder = resolve(context.cwd, path.replace(/^~(?=$|[\\/])/, context.home));
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return folder;
  if (!stat.isDirectory()) throw new UsageError('It is not a folder.', folder, 'Name the folder of the project.');
  return realpathSync(folder);
}

/** Where to write: the place given, that of the session, or the client's own. */
export function configFor(context: Context, args: Arguments, { file }: SessionFile): string {
  const given = args.value('into');
  if (given !== undefined) return resolve(context.cwd, given.replace(/^~(?=$|[\\/])/, context.home));
  const own = /^([/\\]|[A-Za-z]:[/\\])/.test(file) ? configOf(file) : undefined;
  return own ?? (context.env.CLAUDE_CONFIG_DIR || join(context.home, '.claude'));
}

export function refuseDemo({ demo }: Library): void {
  if (!demo) return;
  throw new CommandError('This is the demo set: nothing is written there.', 'demo', 'Point Skein at yours: --root DIR');
}
