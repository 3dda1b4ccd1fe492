/** What the parts of `skein archive` share. */
import { resolve } from 'node:path';
import type { ArchivedFile } from '../../archive/files.ts';
import { archiveFolder } from '../../archive/place.ts';
import { chooseFiles } from '../../archive/select.ts';
import { findSources, type Sources } from '../../archive/sources.ts';
import { type Archive, openArchive } from '../../archive/store.ts';
import { findRoots, type Root } from '../../disk/roots.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { CommandError, UsageError } from '../errors.ts';

export function folderOf(context: Context): string {
  return resolve(context.cwd, archiveFolder(context));
}

/** Closed when the work is done, whatever comes of it. */
export async function withArchive<T>(
  context: Context,
  options: { readonly create: boolean },
  call: (archive: Archive) => Promise<T> | T,
): Promise<T> {
  const folder = folderOf(context);
  const archive = openArchive(folder, options);
  if (archive === undefined) throw new CommandError('There is no archive yet.', folder, 'Make one: skein archive sync');
  try {
    return await call(archive);
  } finally {
    archive.close();
  }
}

export interface Places extends Sources {
  readonly roots: readonly Root[];
}

/** What is on disk. The demo set is never archived. */
export function sourcesOf(context: Context, args: Arguments): Places {
  const given = args.values('root').map((path) => (path.startsWith('~') ? path : resolve(context.cwd, path)));
  const { roots, problems } = findRoots({ given, env: context.env, home: context.home });
  const found = findSources(roots);
  const told = problems.filter(({ kind }) => given.length > 0 || (kind !== 'missing' && kind !== 'empty'));
  return { roots, files: found.files, problems: [...told, ...found.problems] };
}

/** The archived files a selector names: one session, unless it names a project. */
export function chosenFiles(archive: Archive, selector: string | undefined): readonly ArchivedFile[] {
  if (selector === undefined) {
    throw new UsageError('Which session?', 'SEL is missing', 'Name an id, @last, project:NAME or a path.');
  }
  const { what, files } = chooseFiles(archive.db, selector);
  if (files.length === 0) {
    throw new CommandError(
      `Nothing archived fits "${selector}".`,
      archive.path,
      'See what is kept: skein archive status',
    );
  }
  if (what.length > 1 && !selector.startsWith('project:')) {
    const shown = what.slice(0, 8).map((each) => `\n    ${each}`);
    throw new CommandError(
      `"${selector}" fits ${what.length} archived sessions:${shown.join('')}`,
      archive.path,
      'Write more of the id.',
    );
  }
  return files;
}

export function writeJson(context: Context, value: unknown): void {
  context.out.write(`${JSON.stringify(value, null, 2)}\n`);
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
