/** What the parts of `skein archive` share. */
import { resolve } from 'node:path';
import { sqliteCode, toArchiveError } from '../../archive/errors.ts';
import { archiveFiles, archiveFolder } from '../../archive/place.ts';
import { type Archive, type OpenArchiveOptions, openArchive } from '../../archive/store.ts';
import { findSources, type Sources } from '../../archive/sync/sources.ts';
import type { Problem } from '../../disk/errors.ts';
import { findRoots, type Root } from '../../disk/roots.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError } from '../errors.ts';
import { jsonText } from '../jsontext.ts';

export function folderOf(context: Context): string {
  return resolve(context.cwd, archiveFolder(context));
}

/** Closed when the work is done, whatever comes of it. */
export async function withArchive<T>(
  context: Context,
  options: OpenArchiveOptions,
  call: (archive: Archive) => Promise<T> | T,
): Promise<T> {
  const folder = folderOf(context);
  const archive = openArchive(folder, options);
  if (archive === undefined) throw new CommandError('There is no archive yet.', folder, 'Make one: skein archive sync');
  try {
    return await call(archive);
  } catch (error) {
    throw asTold(error, archive);
  } finally {
    archive.close();
  }
}

/** What SQLite says where nobody expected it. */
export function asTold(error: unknown, { path }: Archive): unknown {
  return sqliteCode(error) === undefined ? error : toArchiveError(error, 'cannot read the archive', path);
}

export interface Places extends Sources {
  readonly roots: readonly Root[];
}

/** What is on disk. The demo set is never archived, nor is the archive itself, wherever it may lie. */
export function sourcesOf(context: Context, args: Arguments): Places {
  const given = args.values('root').map((path) => (path.startsWith('~') ? path : resolve(context.cwd, path)));
  const { roots, problems } = findRoots({ given, env: context.env, home: context.home });
  const found = findSources(roots);
  const told = problems.filter(({ kind }) => given.length > 0 || (kind !== 'missing' && kind !== 'empty'));
  const own = archiveFiles(folderOf(context));
  const files = found.files.filter(({ path }) => !own.has(path));
  return { roots, files, problems: [...told, ...found.problems] };
}

/** Troubles met on the way, for people; most of the time there are none. */
export async function tellProblems(context: Context, problems: readonly Problem[]): Promise<void> {
  if (problems.length > 0) (await import('../library.ts')).reportProblems(context, problems);
}

export function writeJson(context: Context, value: unknown): void {
  context.out.write(`${jsonText(value)}\n`);
}
