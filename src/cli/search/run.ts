/** A search as the command and the MCP server ask for it: by the store where it can tell, else over the files. */
import type { Hit, KnownChat, SearchRequest, SearchResult } from '../../store/search.ts';
import type { Known } from '../../store/store.ts';
import type { Arguments } from '../command.ts';
import type { Context } from '../context.ts';
import { loadReader, teamStore } from '../shelf.ts';
import type { Hold } from './archive.ts';

export interface Searched extends SearchResult {
  /** The files were read because that was asked for. */
  readonly asked: boolean;
  readonly demo: boolean;
}

export async function runSearch(
  context: Context,
  args: Arguments,
  request: SearchRequest,
  options: { readonly scan: boolean; readonly hold?: Hold },
): Promise<Searched> {
  const stored =
    options.scan && teamStore(args) === undefined ? undefined : await searchStore(context, args, request, options.hold);
  return stored ?? (await searchLibrary(context, args, request, options.scan));
}

/** The team, where one is named, else the archive, which need not be opened as a library for it. undefined where it cannot tell. */
export async function searchStore(
  context: Context,
  args: Arguments,
  request: SearchRequest,
  hold?: Hold,
): Promise<Searched | undefined> {
  const team = teamStore(args);
  const result = team
    ? await team.search(request)
    : await (await import('./archive.ts')).searchArchive(context, args.values('root'), request, hold);
  return result && (await placed({ ...result, demo: false, asked: false }));
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
    loadReader(context, args),
  ]);
  const library = openLibrary(context, args);
  reportProblems(context, library.problems);
  const progress = progressOf(context, 'searching', library.files);
  const result = searchFiles(library.files, { ...request, onFile: (file) => progress.done(file) }, library.earlier());
  progress.clear();
  return placed({ ...result, chats: chatsOf(result.hits, library.known), demo: library.demo, asked });
}

/** The files do not tell what belongs together; the store knows of those that it has. */
function chatsOf(hits: readonly Hit[], known: Known): Map<string, KnownChat> {
  const sessions = new Set(hits.map(({ session }) => session));
  return new Map(
    [...sessions].flatMap((session): [string, KnownChat][] => {
      const chat = session === undefined ? undefined : known.chatOf(session);
      return session === undefined || chat === undefined ? [] : [[session, chat]];
    }),
  );
}

/** Mostly every hit says where it was written. */
async function placed(found: Searched): Promise<Searched> {
  if (found.engine === 'team' || found.hits.every(({ cwd }) => cwd !== undefined)) return found;
  const { withFolders } = await import('./folders.ts');
  return { ...found, hits: withFolders(found.hits) };
}
