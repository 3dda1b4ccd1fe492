/** A search over the archive's index, and what of the disk it does not know. */
import { resolve } from 'node:path';
import { ArchiveError, toArchiveError } from '../../archive/errors.ts';
import { archiveFolder } from '../../archive/place.ts';
import { findSessions } from '../../disk/find.ts';
import { findRoots } from '../../disk/roots.ts';
import type { SearchRequest, SearchResult } from '../../store/search.ts';
import type { Context } from '../context.ts';
import { openKept } from './kept.ts';

/** `roots`: the places named. undefined where there is no index that can tell. */
export async function searchArchive(
  context: Context,
  roots: readonly string[],
  request: SearchRequest,
): Promise<SearchResult | undefined> {
  const archive = await openKept(context, resolve(context.cwd, archiveFolder(context)));
  if (archive === undefined) return undefined;
  const given = roots.map((path) => (path.startsWith('~') ? path : resolve(context.cwd, path)));
  const found = findRoots({ given, env: context.env, home: context.home });
  const { searchIndex } = await import('../../archive/search/search.ts');
  const files = findSessions(found.roots).files;
  const disk = { roots: found.roots, files, ...(given.length > 0 && { places: found.places }) };
  try {
    return searchIndex(archive, disk, request);
  } catch (error) {
    // The index can be made again; until then the files are searched.
    const told = toArchiveError(error, 'searching without the index', archive.folder);
    if (!(told instanceof ArchiveError)) throw error;
    // As in openKept.
    await import('../library.ts');
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
