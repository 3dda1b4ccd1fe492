/** Archived lines as hits: where they stand, and what they say. */
import { basename } from 'node:path/posix';
import { DiskError } from '../../disk/errors.ts';
import { linesHolding } from '../../disk/needle.ts';
import { type FilePlace, fileTest } from '../../views/search/filter.ts';
import type { Found } from '../../views/search/parts.ts';
import type { Query } from '../../views/search/query.ts';
import { createPieceReader, type PieceReader } from '../packs.ts';
import { fromPiece } from '../piece.ts';
import { paramValue } from '../runs.ts';
import { pathOf } from '../sources.ts';
import { all, blobOf, type Database, maybeText, numberOf, type Row, textOf } from '../sqlite.ts';
import { placeKey } from './fresh.ts';
import type { Candidate, Loaded } from './hit.ts';
import { createHolder } from './holder.ts';
import { callIn } from './knowncalls.ts';
import { createLineJoiner, findableLine } from './lines.ts';
import { piecesOfFiles } from './ranges.ts';
import { createScan, toLoaded } from './scan.ts';

interface StoredFile extends FilePlace {
  readonly id: number;
  readonly path: string;
  readonly key: string;
}

const COLUMNS = 'file.id, root.path AS root, file.name, file.kind, file.session';
const TRANSCRIPTS = "file.kind IN ('session', 'agent')";
const FILES = `SELECT ${COLUMNS} FROM file JOIN root ON root.id = file.root WHERE ${TRANSCRIPTS}`;
/** Of several files that hold a piece, the one that was finished first wrote it; the others are copies. */
const HOLDERS = `SELECT run.param, ${COLUMNS} FROM run JOIN version ON version.id = run.version
  JOIN file ON file.id = version.file JOIN root ON root.id = file.root
  WHERE run.first <= ? AND run.first + run.count > ? AND ${TRANSCRIPTS} ORDER BY file.mtime, file.id`;

function toFile(row: Row): StoredFile {
  const name = textOf(row, 'name');
  const agent = textOf(row, 'kind') === 'agent' ? basename(name, '.jsonl').replace(/^agent-/, '') : undefined;
  const folder = /^(?:projects\/)?([^/]+)\//.exec(name)?.[1] ?? '';
  const root = textOf(row, 'root');
  const path = pathOf({ root, name });
  return {
    id: numberOf(row, 'id'),
    path,
    key: placeKey(root, name),
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

/** The archived transcripts a query asks for; with places, only those that lie there. */
export function wantedFiles(db: Database, query: Query, places: readonly string[] | undefined): StoredFiles {
  const fits = fileTest(query);
  if (fits === undefined && (places === undefined || areAllBelow(db, places))) return { wanted: undefined };
  const files = all(db, FILES)
    .map(toFile)
    .filter((file) => {
      const isThere = places?.some((place) => isBelow(file.path, place)) ?? true;
      return isThere && (fits === undefined || fits(file));
    });
  const ids = files.map(({ id }) => id);
  return { wanted: new Set(ids), isWanted: piecesOfFiles(db, ids) };
}

function isBelow(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

/** Mostly one place is archived, and it is the one that is looked at. */
function areAllBelow(db: Database, places: readonly string[]): boolean {
  return all(db, 'SELECT path FROM root').every((row) => places.some((place) => isBelow(textOf(row, 'path'), place)));
}

/**
 * Reads hits. Where the file is still there as it was archived, its line is found by its uuid: a pack holds a megabyte, which
 * takes longer to unpack than most files to read.
 */
export function createLoader(db: Database, { wanted }: StoredFiles, onDisk: ReadonlyMap<string, string>): Loader {
  const reader = createPieceReader(db);
  return ({ piece, place, uuid }) => {
    const row = all(db, HOLDERS, piece, piece).find((each) => wanted === undefined || wanted.has(numberOf(each, 'id')));
    if (row === undefined) return undefined;
    const file = toFile(row);
    const path = uuid === undefined ? undefined : onDisk.get(file.key);
    const found = path === undefined || uuid === undefined ? undefined : loadFromDisk(path, uuid, place, file);
    return found ?? loadFromPack(piece, place, file, paramValue(db, numberOf(row, 'param')), reader);
  };
}

export interface StoredPart {
  readonly piece: number;
  readonly place: number;
  readonly uuid: string | undefined;
}

export type Loader = (part: StoredPart) => Loaded | undefined;

/** undefined where several lines have the uuid (E12): which of them it is, only the archive knows. */
function loadFromDisk(path: string, uuid: string, place: number, file: StoredFile): Loaded | undefined {
  let own: Found | undefined;
  try {
    for (const { bytes } of linesHolding(path, Buffer.from(uuid))) {
      const found = findableLine(Buffer.from(bytes));
      if (found?.identity !== uuid) continue;
      if (own !== undefined) return undefined;
      own = found;
    }
  } catch (error) {
    // Gone meanwhile: the archive has it.
    if (!(error instanceof DiskError)) throw error;
    return undefined;
  }
  return own && toLoaded(own, place, file.path, file.session, file.agent);
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

const TAILS = `SELECT version.tail, version.size, ${COLUMNS} FROM file JOIN version ON version.id = file.current
  JOIN root ON root.id = file.root WHERE length(version.tail) > 0 AND ${TRANSCRIPTS}`;

/**
 * Last lines without a line end are kept apart from the pieces that are indexed. Those of files that have grown since are found
 * in the files, by then perhaps whole.
 */
export function scanTails(
  db: Database,
  index: Database,
  { wanted }: StoredFiles,
  query: Query,
  sizes: ReadonlyMap<string, number>,
): Candidate[] {
  const scan = createScan(query);
  for (const row of all(db, TAILS)) {
    if (wanted !== undefined && !wanted.has(numberOf(row, 'id'))) continue;
    const now = sizes.get(placeKey(textOf(row, 'root'), textOf(row, 'name')));
    if (now !== undefined && now >= numberOf(row, 'size')) continue;
    const bytes = blobOf(row, 'tail');
    const load = (place: number) => {
      const file = toFile(row);
      return toLoaded(findableLine(bytes), place, file.path, file.session, file.agent);
    };
    const holder = createHolder(db, numberOf(row, 'id'));
    scan.add([{ bytes, load }], (call) => callIn(index, call, holder));
  }
  return scan.found();
}
