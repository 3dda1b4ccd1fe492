/**
 * The walk over a root that was made when its index was, kept in it: how each folder listed, and which of its transcripts are archived in
 * which state. Mostly nothing of that has changed, and a search or a count of usage makes nothing of it but that.
 */

import { type ExactState, exactState, type FolderStamp, PARTS_OF_MS, partsOf } from '../../disk/filestate.ts';
import { findSessions } from '../../disk/find.ts';
import { withSlash } from '../../disk/folder.ts';
import { type FolderFs, folderFs } from '../../disk/io.ts';
import { type KeptListing, listsAsBefore, noteListings } from '../../disk/listings.ts';
import type { Json } from '../../format/json.ts';
import { nextOf } from '../pieces/next.ts';
import { allLists, blobOf, type Database, get, NO_BYTES, type Row, run, textOf, unchanging } from '../sqlite.ts';
import { changesOf } from '../store.ts';
import { ownRoots } from '../sync/known.ts';

export interface LastWalk {
  /** Whether a walk finds nothing else, as long as the folders list as they did. */
  readonly isWhole: boolean;
  readonly folders: readonly WalkedFolder[];
  /** What lies in each beside them, for whoever walks again; undefined where that cannot be told. */
  besides(): readonly Besides[] | undefined;
  /** Three numbers of each transcript, as the system told them then (`ExactState`); none where it was not as is archived. */
  readonly states: Float64Array;
}

export interface WalkedFolder extends Pick<KeptListing, 'path' | 'stamp'> {
  /** Its transcripts that are archived, in the order of their names, and the row of the first. */
  readonly names: string;
  readonly first: number;
}

interface Besides {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** Stand in no name. */
const BETWEEN = '/';
const BETWEEN_FOLDERS = '//';

function namesIn(text: string): readonly string[] {
  return text === '' ? [] : text.split(BETWEEN);
}

/** A folder has thousands of names: no list is made of them, and of each half only that is looked at which could hold it. */
export function hasName({ names }: WalkedFolder, name: string): boolean {
  let [from, to] = [0, names.length];
  while (from < to) {
    const start = Math.max(from, names.lastIndexOf(BETWEEN, (from + to - 1) >> 1) + 1);
    const next = names.indexOf(BETWEEN, start);
    const end = next < 0 ? names.length : next;
    const own = names.slice(start, end);
    if (own === name) return true;
    if (own < name) from = end + 1;
    else to = start - 1;
  }
  return false;
}

/** What was last seen in another state than is kept has no size that a file could have. */
const SIZE = 'CASE WHEN seen.file IS NULL THEN CAST(coalesce(scrub.size, version.size) AS INTEGER) ELSE -1 END';
/**
 * The archived transcripts of a root as they were last seen: sizes and times tell whether one is kept just as it is now, as far as can
 * be told without opening it (known.ts).
 */
const STATES = `SELECT file.name, ${SIZE} AS size, CAST(file.mtime * ${PARTS_OF_MS} AS INTEGER) AS time FROM file
  JOIN version ON version.id = file.current LEFT JOIN scrub ON scrub.version = version.id
  LEFT JOIN seen ON seen.file = file.id WHERE file.root = ? AND file.kind IN ('session', 'agent')`;

/**
 * Walks each root, and keeps that in the index, which has all that is archived. What is taken out of the archive later takes the whole
 * index with it: for as long as a walk is kept, what it tells is archived and indexed. `now`: milliseconds.
 */
export function keepWalks(index: Database, db: Database, now = Date.now): void {
  run(index, 'DELETE FROM walk');
  unchanging(db, () => {
    // Another process may have archived something meanwhile.
    if (nextOf(db) !== nextOf(index)) return;
    for (const [path, id] of ownRoots(db)) keepWalk(index, db, { path, id, now });
    run(index, "INSERT OR REPLACE INTO meta VALUES ('walked', ?)", changesOf(db));
  });
}

/** Whether nothing was archived since: a file may have been, and then have been put back as it was at the walk. */
export function isWalkOfNow(index: Database, db: Database): boolean {
  return get(index, "SELECT value FROM meta WHERE key = 'walked'")?.value === changesOf(db);
}

interface Walked {
  readonly path: string;
  readonly id: number;
  now(): number;
}

function keepWalk(index: Database, db: Database, { path: root, id, now }: Walked): void {
  const listed = noteListings(root, now);
  const wanted = new Set<string>();
  const unknownIn = (folder: string, names: readonly string[]) => {
    for (const name of names) wanted.add(folder + name);
    return [];
  };
  const config = { path: root, kind: 'config', from: 'option', what: '' } as const;
  const { problems } = findSessions([config], { fs: { ...folderFs, listed }, unknownIn });
  const states = archivedStates(db, id);
  const rows: ExactState[] = [];
  const kept = listed.kept();
  const names: string[] = [];
  const besides: Json[] = [];
  const folders = kept.map(({ path, stamp = [], files, folders }): Json => {
    const own: string[] = [];
    const others: string[] = [];
    const first = rows.length;
    for (const name of files) {
      const at = `${withSlash(root)}${path}/${name}`;
      const state = wanted.has(at) ? states.get(`${path}/${name}`) : undefined;
      if (state !== undefined) rows.push(stateNow(at, state) ?? NONE);
      (state === undefined ? others : own).push(name);
    }
    names.push(own.join(BETWEEN));
    besides.push([others, [...folders]]);
    return [path, [...stamp], first];
  });
  const isSure = kept.some(({ path }) => path === 'projects') && kept.every(({ stamp }) => stamp !== undefined);
  const isWhole = isSure && problems.length === 0 && rows.length === wanted.size;
  const bytes = rows.length === 0 ? NO_BYTES : new Uint8Array(Float64Array.from(rows.flat()).buffer);
  const values = [
    Number(isWhole),
    JSON.stringify(folders),
    names.join(BETWEEN_FOLDERS),
    bytes,
    JSON.stringify(besides),
  ];
  run(index, 'INSERT INTO walk VALUES (?, ?, ?, ?, ?, ?)', id, ...values);
}

/** As no file is. */
const NONE: ExactState = [Number.NaN, Number.NaN, Number.NaN];

/** undefined where it is not as it is archived. */
export function stateNow(path: string, archived: State): ExactState | undefined {
  const state = exactState(path);
  return state && state[0] === archived[0] && partsOf(state) === archived[1] ? state : undefined;
}

/** undefined where none is kept. */
export function lastWalkOf(index: Database, root: number): LastWalk | undefined {
  const row = get(index, 'SELECT whole, folders, names, states FROM walk WHERE root = ?', root);
  if (row === undefined) return undefined;
  const names = textOf(row, 'names').split(BETWEEN_FOLDERS);
  const folders = listIn(textOf(row, 'folders'));
  return {
    isWhole: row.whole === 1 && folders.length > 0,
    folders: folders.map((folder, place) => toFolder(folder, names[place] ?? '')),
    besides: () => besidesIn(get(index, 'SELECT besides FROM walk WHERE root = ?', root), folders.length),
    states: numbersIn(blobOf(row, 'states')),
  };
}

function numbersIn(bytes: Uint8Array): Float64Array {
  return new Float64Array(new Uint8Array(bytes).buffer, 0, bytes.length >> 3);
}

/** Of our own making: how deep it goes need not be looked at. */
function listIn(json: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(json);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function toFolder(row: unknown, names: string): WalkedFolder {
  const [path, stamp, first]: unknown[] = Array.isArray(row) ? row : [];
  return {
    path: typeof path === 'string' ? path : '',
    stamp: isStamp(stamp) ? stamp : undefined,
    names,
    first: typeof first === 'number' ? first : 0,
  };
}

function besidesIn(row: Row | undefined, folders: number): Besides[] | undefined {
  const all = listIn(textOf(row, 'besides')).flatMap((each) => toBesides(each) ?? []);
  return all.length === folders ? all : undefined;
}

function toBesides(row: unknown): Besides | undefined {
  const [files, folders]: unknown[] = Array.isArray(row) ? row : [];
  return isTexts(files) && isTexts(folders) ? { files, folders } : undefined;
}

function isStamp(value: unknown): value is FolderStamp {
  return Array.isArray(value) && value.length === 4 && value.every((each) => typeof each === 'number');
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

/** Its size and its time in parts of a millisecond. */
export type State = readonly [size: number, time: number];

/** Of the transcripts in a folder, by their names. */
export function statesOf({ states }: LastWalk, { names, first }: WalkedFolder): Map<string, State> {
  const found = new Map<string, State>();
  for (const [place, name] of namesIn(names).entries()) {
    const [size = Number.NaN, seconds = 0, nanoseconds = 0] = states.subarray((first + place) * 3);
    if (!Number.isNaN(size)) found.set(name, [size, partsOf([size, seconds, nanoseconds])]);
  }
  return found;
}

function toState([size, time]: readonly unknown[]): State {
  return [typeof size === 'number' ? size : -1, typeof time === 'number' ? time : -1];
}

/** Of all transcripts of a root, by their names. */
export function archivedStates(db: Database, root: number): Map<unknown, State> {
  return new Map(allLists(db, STATES, root).map(([name, ...state]) => [name, toState(state)]));
}

/** Of one transcript by its name; undefined where it is not archived. */
export function stateOf(db: Database, root: number, name: string): State | undefined {
  const row = get(db, `${STATES} AND file.name = ?`, root, name);
  return row && toState([row.size, row.time]);
}

export function listingsOf({ folders, besides }: LastWalk): KeptListing[] {
  const all = besides() ?? [];
  return all.flatMap(({ files, folders: inner }, place) => {
    const folder = folders[place];
    if (folder === undefined) return [];
    const { path, stamp, names } = folder;
    const own = namesIn(names);
    return { path, stamp, files: files.length === 0 ? own : [...own, ...files].sort(), folders: inner };
  });
}

/**
 * The transcripts below a root, which ends with a slash, that are not as they were, by their folders; undefined where something came
 * into a folder, or went, and it has to be walked.
 */
export function changedSince(
  walk: LastWalk,
  root: string,
  fs: FolderFs,
): ReadonlyMap<string, ReadonlySet<string>> | undefined {
  const { isWhole, folders, states } = walk;
  if (!isWhole || !folders.every((folder) => listsAsBefore(root + folder.path, folder))) return undefined;
  const changed = new Map<string, ReadonlySet<string>>();
  for (const { path, names, first } of folders) {
    if (names === '') continue;
    const at = `${root}${path}/`;
    const unlike = fs.unlike(at, namesIn(names), states, first);
    if (unlike.length > 0) changed.set(at, new Set(unlike));
  }
  return changed;
}
