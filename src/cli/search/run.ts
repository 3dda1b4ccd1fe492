/** A search as the command and the MCP server ask for it: over the archive's index where it can tell, else over the files. */
import { resolve } from 'node:path';
import { ArchiveError, toArchiveError } from '../../archive/errors.ts';
import { archiveFolder } from '../../archive/place.ts';
import type { SearchRequest, SearchResult } from '../../archive/search/search.ts';
import { findSessions } from '../../disk/find.ts';
import { findRoots } from '../../disk/roots.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';

export interface Searched extends SearchResult {
  /** The files were read because that was asked for. */
  readonly asked: boolean;
  readonly demo: boolean;
}

export async function runSearch(
  context: Context,
  args: Arguments,
  request: SearchRequest,
  options: { readonly scan: boolean },
): Promise<Searched> {
  const indexed = options.scan ? undefined : await searchArchive(context, args, request);
  return indexed ?? (await searchLibrary(context, args, request, options.scan));
}

/** undefined where there is no index that can tell. */
export async function searchArchive(
  context: Context,
  args: Arguments,
  request: SearchRequest,
): Promise<Searched | undefined> {
  const { openKept } = await import('./kept.ts');
  const archive = openKept(context, resolve(context.cwd, archiveFolder(context)));
  if (archive === undefined) return undefined;
  const given = args.values('root').map((path) => (path.startsWith('~') ? path : resolve(context.cwd, path)));
  const { roots, places } = findRoots({ given, env: context.env, home: context.home });
  const { searchIndex } = await import('../../archive/search/search.ts');
  const disk = { roots, files: findSessions(roots).files, ...(given.length > 0 && { places }) };
  try {
    const result = searchIndex(archive, disk, request);
    return result && { ...result, demo: false, asked: false };
  } catch (error) {
    // The index can be made again; until then the files are searched.
    const told = toArchiveError(error, 'searching without the index', archive.folder);
    if (!(told instanceof ArchiveError)) throw error;
    const { style } = context.err;
    const next = style.dim('Make the index anew: skein archive rebuild');
    context.err.write(
      `${style.warn('warning:')} searching without the index, which cannot be read: ${archive.folder} ${next}\n`,
    );
    return undefined;
  } finally {
    archive.close();
  }
}

export async function searchLibrary(
  context: Context,
  args: Arguments,
  request: SearchRequest,
  asked: boolean,
): Promise<Searched> {
  const [{ openLibrary, reportProblems }, { searchFiles }, { progressOf }] = await Promise.all([
    import('../library.ts'),
    import('../../archive/search/search.ts'),
    import('../progress.ts'),
  ]);
  const library = openLibrary(context, args);
  reportProblems(context, library.problems);
  const progress = progressOf(context, 'searching', library.files);
  const result = searchFiles(library.files, { ...request, onFile: (file) => progress.done(file) });
  progress.clear();
  return { ...result, demo: library.demo, asked };
}
