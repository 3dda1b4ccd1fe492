/** One search, over the index where there is one that can tell, else over the files; the same hits either way. */
import type { SessionFile } from '../../disk/find.ts';
import { realPathOr } from '../../disk/io.ts';
import type { Root } from '../../disk/roots.ts';
import { lazy } from '../../format/lazy.ts';
import type { KnownChat, SearchRequest, SearchResult } from '../../store/search.ts';
import type { EarlierState } from '../../store/store.ts';
import { createMatcher } from '../../views/search/match.ts';
import { openIndexForReading } from '../index/derived.ts';
import { FIRST_PIECE, nextOf } from '../pieces/next.ts';
import { type Database, unchanging } from '../sqlite.ts';
import type { Archive } from '../store.ts';
import { createLoader, holdsBelow, type LoaderPlaces, scanTails, wantedFiles } from './archived.ts';
import { standsOnDisk } from './behind.ts';
import { type Compared, compareWithDisk, placeKey } from './fresh.ts';
import { byTime, type Candidate, type Hit, type Loaded } from './hit.ts';
import { findIndexed, type IndexQuery, type IndexRow, isForIndex, keysFound, writtenAs } from './indexed.ts';
import { chatOfSession } from './knownchats.ts';
import { hitsOf } from './page.ts';
import { type Scanned, scanFiles } from './scan.ts';
import { tellingFiles } from './standing.ts';

export type { SearchRequest, SearchResult };
export { holdsBelow, isForIndex };

/** Reads every file. Newest first: what is rare is only known with an index. `earlier`: what only these have is found too. */
export function searchFiles(
  files: readonly SessionFile[],
  request: SearchRequest,
  earlier: readonly EarlierState[] = [],
): SearchResult {
  const { found, files: scanned, problems } = scanFiles(files, request.query, request);
  const all = new Map(found.map((each): [string, Candidate] => [each.key, each]));
  const more = earlier.map((state) => scanEarlier(state, request));
  for (const each of more.flatMap((state) => state.found)) if (!all.has(each.key)) all.set(each.key, each);
  return {
    total: all.size,
    hits: pageOf([...all.values()].toSorted(byTime), request),
    engine: 'files',
    scanned,
    problems: [...problems, ...more.flatMap((state) => state.problems)],
    chats: new Map(),
  };
}

function scanEarlier({ session, file, version }: EarlierState, { query, leastMs }: SearchRequest): Scanned {
  const { found, ...scanned } = scanFiles([session], query, { leastMs });
  const inFile = (loaded: Loaded | undefined) => loaded && { ...loaded, file, version };
  return { ...scanned, found: found.map((each) => ({ ...each, load: () => inFile(each.load()) })) };
}

export interface OnDisk {
  readonly roots: readonly Root[];
  /** Only what lies there is wanted; everything archived without it. */
  readonly places?: readonly string[];
  /** Also what lay in folders that are gone, and what came from other machines. */
  readonly elsewhere?: boolean;
  /** Chats of which only prompts are left (histories.ts). */
  readonly recovered?: readonly SessionFile[];
  /** Nothing else runs in this process. */
  readonly alone?: boolean;
  /** Told before files are read, of which there are mostly none. */
  readonly onScan?: () => void;
}

/** undefined when the index cannot tell: there is none, it is behind the archive, nothing was archived yet, or the query is not one of words. */
export function searchIndex(archive: Archive, disk: OnDisk, request: SearchRequest): SearchResult | undefined {
  if (!isForIndex(request.query)) return undefined;
  // A sync that ended between the two leaves an index that is ahead: the archive is looked at once more.
  return searchAtOnce(archive, disk, request) ?? searchAtOnce(archive, disk, request);
}

/** Both as they are at one moment: what a sync archives meanwhile is neither in this index nor taken for known. */
function searchAtOnce(archive: Archive, disk: OnDisk, request: SearchRequest): SearchResult | undefined {
  return unchanging(archive.db, () => {
    const next = nextOf(archive.db);
    const index = next <= FIRST_PIECE ? undefined : openIndexForReading(archive);
    try {
      return index && searchSame(archive, index.db, disk, request, next);
    } finally {
      index?.close();
    }
  });
}

function searchSame(archive: Archive, index: Database, disk: OnDisk, request: SearchRequest, next: number) {
  return unchanging(index, () => {
    const indexed = nextOf(index);
    return indexed <= next
      ? searchBoth(archive, index, disk, request, indexed < next ? indexed : undefined)
      : undefined;
  });
}

/** `behind`: the first piece that the index has not. */
function searchBoth(
  archive: Archive,
  index: Database,
  disk: OnDisk,
  request: SearchRequest,
  behind: number | undefined,
): SearchResult | undefined {
  const { query, sort, offset, limit, now } = request;
  const stored = wantedFiles(archive.db, index, query, disk.places?.map(realPathOr), disk.elsewhere);
  const compared = compareWithDisk(archive.db, disk.roots, { index, indexed: true, alone: disk.alone });
  if (behind !== undefined && !standsOnDisk(archive.db, behind, compared, stored.wanted)) return undefined;
  const telling = tellingFiles(archive.db, index, compared.sizes);
  const question: IndexQuery = { query, sort, now: now.getTime(), isWanted: stored.isWanted, telling };
  const indexed = findIndexed(index, question, offset + limit);
  if (compared.fresh.length + (disk.recovered?.length ?? 0) > 0) disk.onScan?.();
  const scanned = scanFiles(compared.fresh, query, request);
  const there = new Map(scanned.found.map((each) => [each.key, each]));
  const hasChanged = ({ root, name }: Place) => compared.sizes.has(placeKey(root, name));
  const places: LoaderPlaces = {
    pathOf: compared.pathOf,
    isLost: (file, { key }) => hasChanged(file) && !there.has(key),
    nowOf: ({ key }) => there.get(key)?.load(),
    othersOf: othersIn(index, question, indexed.rows),
    fits: (text) => createMatcher(query).matches(text),
  };
  const load = createLoader(archive.db, stored, places, indexed.rows);
  const fromIndex = indexed.rows.map(
    (row): Candidate => ({ key: row.key, time: row.time, score: row.score, load: () => load(row) }),
  );
  const unindexed = new Map(
    [...scanTails(archive.db, index, stored, query, compared), ...scanned.found].map((each) => [each.key, each]),
  );
  const known = unindexed.size > 0 ? keysFound(index, question) : new Set<string>();
  const fresh = [...unindexed.values()].filter(({ key }) => !known.has(key)).toSorted(byTime);
  const recovered = scanFiles(disk.recovered ?? [], query).found.toSorted(byTime);
  // What is not indexed has no rank: what was said last stands first, what is left of chats that are long gone last.
  const ranked = [...fresh, ...fromIndex, ...recovered];
  const all = sort === 'date' ? ranked.toSorted(byTime) : ranked;
  const hits = pageOf(all, request);
  return {
    total: indexed.total + fresh.length + recovered.length,
    hits,
    engine: 'index',
    scanned: scanned.files,
    problems: [...compared.problems, ...scanned.problems],
    chats: chatsIn(index, hits),
  };
}

type Place = Parameters<Compared['pathOf']>[0];

/** Looked for when the first is asked for: mostly what was found stands where it was archived. */
function othersIn(index: Database, question: IndexQuery, rows: readonly IndexRow[]): LoaderPlaces['othersOf'] {
  const several = new Map(rows.flatMap((row) => (row.written > 1 ? [[row.key, row]] : [])));
  const written = lazy(() => writtenAs(index, question, [...several.values()]));
  return ({ key }) => {
    const row = several.get(key);
    // A copy does not stand for what it repeats.
    return row === undefined ? [] : (written().get(key) ?? []).filter(({ isCopy }) => isCopy === row.isCopy);
  };
}

function chatsIn(index: Database, hits: readonly Hit[]): Map<string, KnownChat> {
  const chats = new Map<string, KnownChat>();
  for (const { session } of hits) {
    const chat = session === undefined || chats.has(session) ? undefined : chatOfSession(index, session);
    if (session !== undefined && chat !== undefined) chats.set(session, chat);
  }
  return chats;
}

function pageOf(found: readonly Candidate[], request: SearchRequest): Hit[] {
  const { offset, limit } = request;
  return hitsOf(found.slice(offset, offset + limit), request);
}
