/** A search over the archive's index, and what of the disk it does not know. */
import { resolve } from 'node:path';
import { ArchiveError, toArchiveError } from '../../archive/errors.ts';
import { archiveFolder } from '../../archive/place.ts';
import { type Archive, openIfMade } from '../../archive/store.ts';
import type { SessionFile } from '../../disk/find.ts';
import { findRoots, type Root } from '../../disk/roots.ts';
import type { SearchRequest, SearchResult } from '../../store/search.ts';
import type { Context } from '../context.ts';
import { toldProblems } from '../toldproblems.ts';

/** Holds something while the archive at a path is asked; what it gives lets it go again. */
export type Hold = (archive: string) => () => void;

/** More hits are as much work as a scan. */
const FEW = 100;

/** `roots`: the places named. `hold`: something for as long as the index answers, and no file is scanned. undefined where there is no index that can tell. */
export async function searchArchive(
  context: Context,
  roots: readonly string[],
  request: SearchRequest,
  hold?: Hold,
): Promise<SearchResult | undefined> {
  const archive = openKept(resolve(context.cwd, archiveFolder(context)));
  if (archive === undefined) return undefined;
  const given = roots.map((path) => (path.startsWith('~') ? path : resolve(context.cwd, path)));
  const found = findRoots({ given, env: context.env, home: context.home });
  const { holdsBelow, isForIndex, searchIndex } = await import('../../archive/search/search.ts');
  // Who holds nothing may go on with other things meanwhile, as the viewer does.
  const disk = { ...found, elsewhere: given.length === 0, alone: hold !== undefined && context.alone };
  let release: (() => void) | undefined;
  try {
    const recovered = await recoveredChats(context, archive, given, found.roots, request);
    if (request.offset + request.limit <= FEW && isForIndex(request.query)) release = hold?.(archive.path);
    const result = searchIndex(archive, { ...disk, recovered, onScan: release }, request);
    const isKept = (place: string) => holdsBelow(archive.db, place);
    const told = toldProblems(found.problems, { isGiven: given.length > 0, isKept });
    return result && { ...result, problems: [...told, ...result.problems] };
  } catch (error) {
    // The index can be made again; until then the files are searched.
    const told = toArchiveError(error, 'searching without the index', archive.folder);
    if (!(told instanceof ArchiveError)) throw error;
    // Before anything is said: where it is not in this bundle, another one begins anew.
    await import('../library.ts');
    const { style } = context.err;
    const next = style.dim('Make the index anew: skein archive rebuild');
    context.err.write(
      `${style.warn('warning:')} searching without the index, which cannot be read: ${archive.folder} ${next}\n`,
    );
    return undefined;
  } finally {
    release?.();
    archive.close();
  }
}

/** undefined when there is none yet, or it cannot be opened: then the files are searched, and whoever opens the library tells why. */
function openKept(folder: string): Archive | undefined {
  try {
    return openIfMade(folder);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return undefined;
  }
}

/** Chats of which only the prompts are left, where one of them may match: the index does not know them. */
async function recoveredChats(
  context: Context,
  archive: Archive,
  given: readonly string[],
  roots: readonly Root[],
  { query }: SearchRequest,
): Promise<SessionFile[]> {
  const { mayBeInHistory } = await import('../../archive/search/histories.ts');
  if (!mayBeInHistory(archive.db, roots, query)) return [];
  const { lookAt } = await import('../library.ts');
  const { loadArchiveReader } = await import('../shelf.ts');
  await loadArchiveReader(context);
  return lookAt(context, given).files.filter(({ source }) => source === 'history');
}
