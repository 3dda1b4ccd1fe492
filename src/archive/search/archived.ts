/** Archived lines as hits: where they stand, and what they say. */
import { statSync } from 'node:fs';
import { basename } from 'node:path/posix';
import { DiskError } from '../../disk/errors.ts';
import { linesHolding } from '../../disk/needle.ts';
import { fileSource } from '../../disk/source.ts';
import { type FilePlace, fileTest } from '../../views/search/filter.ts';
import type { Found } from '../../views/search/parts.ts';
import type { Query } from '../../views/search/query.ts';
import { createPieceReader, type PieceReader } from '../pieces/packs.ts';
import { fromPiece } from '../pieces/piece.ts';
import { paramValue } from '../pieces/runs.ts';
import { all, blobOf, type Database, get, maybeText, numberOf, type Row, textOf } from '../sqlite.ts';
import { ownRoots } from '../sync/known.ts';
import { pathOf } from '../sync/sources.ts';
import { type Compared, placeKey } from './fresh.ts';
import type { Candidate, Loaded } from './hit.ts';
import { createHolder } from './holder.ts';
import { callIn } from './knowncalls.ts';
import { createLineJoiner, findableLine, isEntry, lineAt } from './lines.ts';
import { archivedProject, createProjects } from './projects.ts';
import { piecesOfFiles } from './ranges.ts';
import { createScan, toLoaded } from './scan.ts';

interface StoredFile extends FilePlace {
  readonly id: number;
  readonly path: string;
  readonly root: string;
  readonly rootId: number;
  readonly name: string;
}

const COLUMNS = 'file.id, file.root AS rootId, root.path AS root, file.name, file.kind, file.session';
const TRANSCRIPTS = "file.kind IN ('session', 'agent')";
const FILES = `SELECT ${COLUMNS} FROM file JOIN root ON root.id = file.root WHERE ${TRANSCRIPTS}`;
/**
 * Of several files that hold a piece, the one that was finished first wrote it; the others are copies. One that has it only in an
 * earlier state comes last, the newest of those first.
 */
const HOLDERS = `SELECT run.first, run.count, run.param, run.version, run.version IS file.current AS present, ${COLUMNS} FROM held AS run JOIN version ON version.id = run.version
  JOIN file ON file.id = version.file JOIN root ON root.id = file.root`;

/** Of those that begin before a piece only the longest could still hold it. */
function holdersOf(db: Database, pieces: readonly number[]): Row[] {
  const wanted = [...new Set(pieces)];
  const held = `WITH wanted (piece) AS (VALUES ${wanted.map(() => '(?)').join()}), longest (count) AS (SELECT max(count) FROM run),
    held AS MATERIALIZED (SELECT run.* FROM wanted CROSS JOIN longest CROSS JOIN run
      ON run.first BETWEEN wanted.piece - longest.count AND wanted.piece AND wanted.piece < run.first + run.count)`;
  return all(
    db,
    `${held} ${HOLDERS} WHERE ${TRANSCRIPTS} ORDER BY present DESC, file.mtime, file.id, run.version DESC`,
    ...wanted,
  );
}

function toFile(row: Row): StoredFile {
  const name = textOf(row, 'name');
  const agent = textOf(row, 'kind') === 'agent' ? basename(name, '.jsonl').replace(/^agent-/, '') : undefined;
  const folder = /^(?:projects\/)?([^/]+)\//.exec(name)?.[1] ?? '';
  const root = textOf(row, 'root');
  const path = pathOf({ root, name });
  return {
    id: numberOf(row, 'id'),
    path,
    root,
    rootId: numberOf(row, 'rootId'),
    name,
    slug: folder,
    session: maybeText(row, 'session'),
    agent,
  };
}

export interface StoredFiles {
  /** undefined when every file is wanted. */
  readonly wanted: ReadonlySet<number> | undefined;
  isWanted?: (piece: number) => boolean;
}

/** The archived transcripts a query asks for; with places, only those that lie there, and those of roots `elsewhere` that nobody could name. */
export function wantedFiles(
  db: Database,
  index: Database,
  query: Query,
  places: readonly string[] | undefined,
  elsewhere = false,
): StoredFiles {
  const fits = fileTest(query);
  const roots = places && wholeRoots(db, places, elsewhere);
  if (fits === undefined && roots?.isAll !== false) return { wanted: undefined };
  const files = all(db, FILES).map(toFile);
  const projectOf = createProjects(archivedProject(db, index, files));
  const wanted = files.filter((file) => {
    const isThere =
      places === undefined || roots?.ids.has(file.rootId) || places.some((place) => isBelow(file.path, place));
    return isThere && (fits === undefined || fits({ ...file, project: () => projectOf(file) }));
  });
  const ids = wanted.map(({ id }) => id);
  return { wanted: new Set(ids), isWanted: piecesOfFiles(db, ids) };
}

/** Whether some transcript was archived that lay there. */
export function holdsBelow(db: Database, place: string): boolean {
  return all(db, FILES).some((row) => isBelow(toFile(row).path, place));
}

function isBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

/** The roots of which everything is wanted. Mostly one is archived, and it is the one that is looked at. */
function wholeRoots(db: Database, places: readonly string[], elsewhere: boolean) {
  const roots = all(db, 'SELECT id, path FROM root');
  const isThere = (path: string) => places.some((place) => isBelow(path, place));
  const below = roots.filter((row) => isThere(textOf(row, 'path')));
  const others = elsewhere && below.length < roots.length ? unnamedRoots(db) : [];
  const ids = new Set([...below, ...others].map((row) => numberOf(row, 'id')));
  return { ids, isAll: ids.size === roots.length };
}

/** Of other machines, and those that are gone (mountplaces.ts). */
function unnamedRoots(db: Database): Row[] {
  const own = new Set(ownRoots(db).values());
  const isGone = (path: string) => statSync(path, { throwIfNoEntry: false }) === undefined;
  return all(db, 'SELECT id, path FROM root').filter(
    (row) => !own.has(numberOf(row, 'id')) || isGone(textOf(row, 'path')),
  );
}

/**
 * Reads hits. Of several files that hold one it is one that is still there, if any is. Where that is as it was archived, its line is
 * read where it begins, or else found by its uuid: a pack holds a megabyte, which takes longer to unpack than most files to read.
 * `parts`: all that may be asked for, in that order.
 */
export function createLoader(
  db: Database,
  { wanted }: StoredFiles,
  { pathOf, isLost, nowOf, othersOf, fits }: LoaderPlaces,
  parts: readonly StoredPart[],
): Loader {
  const reader = createPieceReader(db);
  const placeOf = placesOnce(pathOf);
  /** Of the next parts: thousands of copies may hold each. */
  let holders: ReadonlyMap<number, readonly Row[]> = new Map();

  function rowsOf(part: StoredPart): readonly Row[] {
    const known = holders.get(part.piece);
    if (known !== undefined) return known;
    const place = parts.indexOf(part);
    const pieces = (place < 0 ? [part] : parts.slice(place, place + AT_ONCE)).map(({ piece }) => piece);
    const rows = holdersOf(db, pieces).filter((row) => wanted === undefined || wanted.has(numberOf(row, 'id')));
    const found = new Map(pieces.map((piece) => [piece, rows.filter((row) => holds(row, piece))]));
    if (place >= 0) holders = found;
    return found.get(part.piece) ?? [];
  }

  /** In a file that is still there, the first of several. */
  function standing(part: StoredPart, now: Loaded | undefined): Placed | undefined {
    for (const row of rowsOf(part)) {
      if (row.present !== 1) break;
      const { file, path } = placeOf(row);
      if (path !== undefined || now?.file === file.path) return { part, row, file, path };
    }
    return undefined;
  }

  function standingOther(part: StoredPart): Placed | undefined {
    for (const other of othersOf(part)) {
      const placed = standing(other, undefined);
      if (placed !== undefined) return placed;
    }
    return undefined;
  }

  function load({ part, row, file, ...placed }: Placed): Loaded | undefined {
    const { piece, place } = part;
    const path = part.uuid === undefined ? undefined : placed.path;
    const found = path === undefined ? undefined : loadFromDisk(path, part);
    const onDisk = toLoaded(found, place, file.path, file.session, file.agent);
    // The entry may have been written anew since the state that has the line.
    if (onDisk !== undefined && (row.present === 1 || fits(onDisk.text))) return onDisk;
    const now = path === undefined ? nowOf(part) : undefined;
    if (now?.file === file.path) return now;
    const loaded = loadFromPack(piece, place, file, paramValue(db, numberOf(row, 'param')), reader);
    const isKept = row.present === 1 && !isLost(file, part);
    return loaded === undefined || isKept ? loaded : { ...loaded, version: versionIn(db, row) };
  }

  return (part) => {
    const now = nowOf(part);
    const placed = standing(part, now) ?? (now ? undefined : standingOther(part));
    if (placed !== undefined) return load(placed);
    // Its file may have been moved to where it is not archived yet.
    if (now !== undefined) return now;
    const [row] = rowsOf(part);
    return row && load({ part, row, ...placeOf(row) });
  };
}

function holds(row: Row, piece: number): boolean {
  const at = piece - numberOf(row, 'first');
  return at >= 0 && at < numberOf(row, 'count');
}

/** Where the file of a row was archived, and where it lies: each is looked for once. */
function placesOnce(pathOf: Compared['pathOf']) {
  const known = new Map<number, Pick<Placed, 'file' | 'path'>>();
  return (row: Row): Pick<Placed, 'file' | 'path'> => {
    const id = numberOf(row, 'id');
    const before = known.get(id);
    if (before !== undefined) return before;
    const file = toFile(row);
    const found = { file, path: pathOf(file) };
    known.set(id, found);
    return found;
  };
}

/** A part where it was archived. */
interface Placed {
  readonly part: StoredPart;
  readonly row: Row;
  readonly file: StoredFile;
  /** Where it lies on disk, if it is as it was archived. */
  readonly path: string | undefined;
}

/** Which of the file's states it is, the oldest first. */
function versionIn(db: Database, row: Row): number {
  const sql = 'SELECT count(*) AS n FROM version WHERE file = ? AND id <= ?';
  return numberOf(get(db, sql, numberOf(row, 'id'), numberOf(row, 'version')), 'n');
}

/** Mostly a page. */
const AT_ONCE = 20;

export interface LoaderPlaces extends Pick<Compared, 'pathOf'> {
  /** Whether a file has changed since, and has this part no more. */
  isLost(file: Parameters<Compared['pathOf']>[0], part: StoredPart): boolean;
  /** As it stands in a file that is not archived as it is now, if it does. */
  nowOf(part: StoredPart): Loaded | undefined;
  /** The same part where it is written in another way. */
  othersOf(part: StoredPart): readonly StoredPart[];
  /** Whether a text is what was asked for. */
  fits(text: string): boolean;
}

export interface StoredPart {
  readonly key: string;
  readonly piece: number;
  readonly place: number;
  readonly uuid: string | undefined;
  readonly start: number | undefined;
}

export type Loader = (part: StoredPart) => Loaded | undefined;

/** Of a larger file a line whose place is not known is found sooner in the archive. */
const QUICKLY_READ = 4 << 20;

function loadFromDisk(path: string, { uuid = '', start }: StoredPart): Found | undefined {
  try {
    const source = fileSource(path);
    try {
      const bytes = start === undefined ? undefined : lineAt(source, start);
      const found = bytes && findableLine(bytes);
      if (found?.identity === uuid) return found;
      if (source.size() > QUICKLY_READ) return undefined;
    } finally {
      source.close();
    }
    return findOnDisk(path, uuid);
  } catch (error) {
    // Gone meanwhile: the archive has it.
    if (!(error instanceof DiskError)) throw error;
    return undefined;
  }
}

/** undefined where several lines have the uuid (E12): which of them it is, only the archive knows. */
function findOnDisk(path: string, uuid: string): Found | undefined {
  let own: Found | undefined;
  for (const { bytes } of linesHolding(path, Buffer.from(uuid))) {
    const found = findableLine(Buffer.from(bytes));
    if (found?.identity !== uuid) continue;
    if (own !== undefined) return undefined;
    own = found;
  }
  return own;
}

function loadFromPack(
  piece: number,
  place: number,
  file: StoredFile,
  param: string | undefined,
  reader: PieceReader,
): Loaded | undefined {
  const lines = createLineJoiner();
  for (let id = piece; ; id += 1) {
    const line = lines.push(id, fromPiece(reader.piece(id), param));
    if (line) return toLoaded(findableLine(line.bytes), place, file.path, file.session, file.agent);
  }
}

/** Few have one: the rest is not looked up, which SQLite would not know. */
const TAILS = `SELECT version.id AS version, version.tail, version.size, version.id IS file.current AS present, ${COLUMNS} FROM version
  CROSS JOIN file ON file.id = version.file CROSS JOIN root ON root.id = file.root
  WHERE length(version.tail) > 0 AND ${TRANSCRIPTS} ORDER BY present DESC, file.id, version.id DESC`;

/**
 * Last lines without a line end are kept apart from the pieces that are indexed. Those of files that have grown since, and of earlier
 * states, were mostly finished. Whole ones may have been written over instead: they are found where nothing else has them. Those of
 * files that are there come first.
 */
export function scanTails(
  db: Database,
  index: Database,
  { wanted }: StoredFiles,
  query: Query,
  { sizes, pathOf }: Pick<Compared, 'sizes' | 'pathOf'>,
): Candidate[] {
  const tails = all(db, TAILS).filter((row) => wanted === undefined || wanted.has(numberOf(row, 'id')));
  if (tails.length === 0) return [];
  const scan = createScan(query);
  const rows = tails.filter((row) => scan.mayMatch(blobOf(row, 'tail')));
  const gone = new Set(rows.filter((row) => pathOf(toFile(row)) === undefined));
  for (const row of [...rows.filter((each) => !gone.has(each)), ...gone]) {
    const now = sizes.get(placeKey(textOf(row, 'root'), textOf(row, 'name')));
    const isLast = row.present === 1 && (now === undefined || now < numberOf(row, 'size'));
    const bytes = blobOf(row, 'tail');
    if (!isLast && !isEntry(bytes)) continue;
    const load = (place: number) => {
      const file = toFile(row);
      const loaded = toLoaded(findableLine(bytes), place, file.path, file.session, file.agent);
      const isKept = row.present === 1 && now === undefined;
      return isKept ? loaded : loaded && { ...loaded, version: versionIn(db, row) };
    };
    const holder = createHolder(db, numberOf(row, 'id'));
    // Nothing comes after the last line; what did come after another showed its prompt.
    scan.add([{ bytes, load, isPrompt: () => isLast }], (call) => callIn(index, call, holder));
  }
  return scan.found();
}
