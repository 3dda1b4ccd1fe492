/** The index over the text of all archived lines. Copies of a line are one piece, so they are found once. */

import { join } from 'node:path';
import { toArchiveError } from '../errors.ts';
import { nextOf } from '../pieces/next.ts';
import { piecesOf, release, toPack } from '../pieces/packs.ts';
import { fromPiece } from '../pieces/piece.ts';
import { createHolder, type Holder } from '../search/holder.ts';
import { createLineJoiner, findableLine } from '../search/lines.ts';
import { createPartWriter } from '../search/partwriter.ts';
import { transcriptsOfPieces } from '../search/ranges.ts';
import { blobOf, type Database, each, numberOf, transaction } from '../sqlite.ts';
import { type Archive, guarded } from '../store.ts';
import { atOnce, collectGarbage, inTurns, type Work } from '../turns.ts';
import { emptyIndex, INDEX_NAME, openIndex } from './derived.ts';
import { saveEnd } from './indexend.ts';

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
  const end = nextOf(archive.db);
  const ends = new Map<number, number>();
  let lines = 0;
  let bytes = 0;
  while (nextOf(db) < end && !options.signal?.aborted) {
    // What was done is read again inside: another process may be at it too.
    const step = transaction(db, () => addSome(archive.db, db, nextOf(db), ends, options));
    if (step === undefined) break;
    lines += step.lines;
    bytes += step.bytes;
    collectGarbage();
    yield;
  }
  return { lines, bytes };
}

/**
 * `ends`: by file, where what was added of it ends. Lines that it has from other files are not counted: where a line
 * begins is then not known, which whoever reads it notices.
 */
function addSome(
  archive: Database,
  db: Database,
  from: number,
  ends: Map<number, number>,
  options: IndexOptions,
): Indexed | undefined {
  const lines = createLineJoiner();
  const parts = createPartWriter(db);
  const transcriptOf = transcriptsOfPieces(archive);
  const holders = new Map<number, Holder>();
  const holderOf = (file: number) => {
    const holder = holders.get(file) ?? createHolder(archive, file);
    holders.set(file, holder);
    return holder;
  };
  let next = from;
  let begun = 0;
  let added = 0;
  let bytes = 0;
  for (const row of each(
    archive,
    'SELECT id, count, raw, lengths, data FROM pack WHERE id + count > ? ORDER BY id',
    from,
  )) {
    const pack = toPack(row);
    for (const piece of piecesOf(pack)) {
      const transcript = piece.id < from ? undefined : transcriptOf(piece.id);
      if (transcript === undefined) continue;
      const { file, param } = transcript;
      const at = ends.get(file) ?? 0;
      if (lines.open() === undefined) begun = at;
      const raw = fromPiece(piece.bytes, param);
      ends.set(file, at + raw.length);
      const line = lines.push(piece.id, raw);
      if (line) added += parts.add(line.piece, findableLine(line.bytes), holderOf(file), begun);
    }
    release(pack.data);
    release(blobOf(row, 'data'));
    next = numberOf(row, 'id') + numberOf(row, 'count');
    bytes += numberOf(row, 'raw');
    options.onPack?.({ bytes: numberOf(row, 'raw') });
    if (bytes >= BATCH_BYTES && lines.open() === undefined) break;
  }
  // A line whose end is not archived yet is taken when it is.
  const end = next;
  next = lines.open() ?? next;
  if (next === from) return undefined;
  parts.flush();
  saveEnd(db, archive, next, end);
  return { lines: added, bytes };
}
