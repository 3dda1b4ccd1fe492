/** The index over the text of all archived lines. Copies of a line are one piece, so they are found once. */
import { join } from 'node:path';
import { type DerivedIndex, emptyIndex, INDEX_NAME, openIndex } from './derived.ts';
import { toArchiveError } from './errors.ts';
import { piecesOf, release, toPack } from './packs.ts';
import { all, blobOf, type Database, each, get, numberOf, type Row, run, transaction } from './sqlite.ts';
import { type Archive, guarded } from './store.ts';
import { spaced, textOfPiece } from './text.ts';
import { atOnce, collectGarbage, inTurns, type Work } from './turns.ts';

export interface IndexOptions {
  readonly signal?: AbortSignal;
  readonly onPack?: (pack: { readonly bytes: number }) => void;
}

export interface Indexed {
  /** Lines with text added. */
  readonly lines: number;
  /** Bytes looked at. */
  readonly bytes: number;
}

/** Adds what was archived since the last time; nothing is read when there is nothing. */
export function updateIndex(archive: Archive, options: IndexOptions = {}): Indexed {
  const path = join(archive.folder, INDEX_NAME);
  return guarded('cannot build the text index', path, () => atOnce(update(archive, options)));
}

/** The same, stopped by the signal between two steps. */
export async function updateIndexInTurns(archive: Archive, options: IndexOptions = {}): Promise<Indexed> {
  try {
    return await inTurns(update(archive, options));
  } catch (error) {
    throw toArchiveError(error, 'cannot build the text index', join(archive.folder, INDEX_NAME));
  }
}

function* update(archive: Archive, options: IndexOptions): Work<Indexed> {
  const index = openIndex(archive);
  try {
    // The pages a sync kept at hand are of no use here.
    archive.db.exec('PRAGMA shrink_memory');
    return yield* addAll(archive, index.db, options);
  } finally {
    index.close();
  }
}

/** From nothing. */
export function rebuildIndex(archive: Archive, options: IndexOptions = {}): Indexed {
  emptyIndex(archive);
  return updateIndex(archive, options);
}

/** Bytes of packs in one transaction. */
const BATCH_BYTES = 8 << 20;

function* addAll(archive: Archive, db: Database, options: IndexOptions): Work<Indexed> {
  const end = numberOf(get(archive.db, "SELECT value FROM meta WHERE key = 'next'"), 'value');
  let lines = 0;
  let bytes = 0;
  while (nextOf(db) < end && !options.signal?.aborted) {
    // What was done is read again inside: another process may be at it too.
    const step = transaction(db, () => addSome(archive.db, db, nextOf(db), options));
    if (step === undefined) break;
    lines += step.lines;
    bytes += step.bytes;
    collectGarbage();
    yield;
  }
  return { lines, bytes };
}

function nextOf(db: Database): number {
  return numberOf(get(db, "SELECT value FROM meta WHERE key = 'next'"), 'value');
}

function addSome(archive: Database, db: Database, from: number, options: IndexOptions): Indexed | undefined {
  let next = from;
  let lines = 0;
  let bytes = 0;
  for (const row of each(
    archive,
    'SELECT id, count, raw, lengths, data FROM pack WHERE id + count > ? ORDER BY id',
    from,
  )) {
    lines += addPack(db, row, from);
    next = numberOf(row, 'id') + numberOf(row, 'count');
    bytes += numberOf(row, 'raw');
    options.onPack?.({ bytes: numberOf(row, 'raw') });
    if (bytes >= BATCH_BYTES) break;
  }
  if (next === from) return undefined;
  run(db, "UPDATE meta SET value = ? WHERE key = 'next'", next);
  return { lines, bytes };
}

function addPack(db: Database, row: Row, from: number): number {
  let lines = 0;
  const pack = toPack(row);
  for (const { id, bytes } of piecesOf(pack)) {
    const found = id < from ? undefined : textOfPiece(bytes);
    if (found === undefined) continue;
    run(db, 'INSERT INTO words (rowid, body) VALUES (?, ?)', id, spaced(found.text));
    run(
      db,
      'INSERT INTO entry (piece, uuid, kind, time) VALUES (?, ?, ?, ?)',
      id,
      found.uuid ?? null,
      found.kind,
      found.time ?? null,
    );
    lines += 1;
  }
  release(pack.data);
  release(blobOf(row, 'data'));
  return lines;
}

export interface FoundLine {
  readonly piece: number;
  readonly uuid: string | undefined;
  readonly kind: string;
  readonly time: number | undefined;
}

export interface FoundLines {
  readonly total: number;
  /** Newest first. */
  readonly lines: readonly FoundLine[];
}

/** Lines that hold all the words, each as a whole word, in whatever order; words in quotes follow each other. */
export function findLines({ db }: DerivedIndex, query: string, limit = 50): FoundLines {
  const match = toMatch(query);
  if (match === '') return { total: 0, lines: [] };
  // A copy may be written another way than its original (H1): the uuid tells that they are one.
  const found = 'FROM entry WHERE piece IN (SELECT rowid FROM words WHERE words MATCH ?)';
  const total = numberOf(get(db, `SELECT count(DISTINCT coalesce(uuid, piece)) AS n ${found}`, match), 'n');
  const sql = `SELECT min(piece) AS piece, uuid, kind, time ${found} GROUP BY coalesce(uuid, piece)
    ORDER BY time DESC NULLS LAST, piece DESC LIMIT ?`;
  return { total, lines: all(db, sql, match, limit).map(toLine) };
}

/** Every word is quoted, so that nothing of it is taken for the index's own language. */
function toMatch(query: string): string {
  const parts = query.match(/"[^"]*"|[^\s"]+/g) ?? [];
  const phrases = parts
    .map((part) => spaced(part.replaceAll('"', ' ')).trim())
    .filter((phrase) => /[\p{L}\p{N}]/u.test(phrase));
  return phrases.map((phrase) => `"${phrase}"`).join(' AND ');
}

function toLine(row: Row): FoundLine {
  const { uuid, kind, time } = row;
  return {
    piece: numberOf(row, 'piece'),
    uuid: typeof uuid === 'string' ? uuid : undefined,
    kind: typeof kind === 'string' ? kind : '',
    time: typeof time === 'number' ? time : undefined,
  };
}
