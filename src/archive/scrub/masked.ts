/**
 * Which lines a scrub masked, by their addresses alone, and what stands in their place. A copy of such a line that comes later,
 * with a fork or another archive, is masked just as the line was, also where the secret was known only by what stood elsewhere.
 */
import { ArchiveError } from '../errors.ts';
import { createPieceReader, type PieceReader } from '../pieces/packs.ts';
import { addressOf, fromPiece, toPiece } from '../pieces/piece.ts';
import type { StoredLine, StoredPiece } from '../pieces/storedlines.ts';
import { all, blobOf, type Database, each, get, maybeNumber, numberOf, run, textOf } from '../sqlite.ts';

export interface MaskMemory {
  /** What a line was, and what it is now. */
  remember(line: StoredLine, made: readonly StoredPiece[]): void;
}

export interface MaskQuery {
  readonly db: Database;
  readonly reader: PieceReader;
  /** The same buffer where there is nothing to mask. */
  mask(raw: Buffer): Buffer;
  readonly at: string;
}

export function createMaskMemory({ db, reader, mask, at }: MaskQuery): MaskMemory {
  const stands = new Set(all(db, 'SELECT DISTINCT piece FROM masked').map((row) => numberOf(row, 'piece')));
  const sql = 'INSERT OR IGNORE INTO masked (hash, piece, alone, at) VALUES (?, ?, ?, ?)';
  return {
    remember({ pieces }, made) {
      const [first] = made;
      if (first === undefined) return;
      for (const { id, param } of pieces) {
        const bytes = reader.piece(id);
        const raw = fromPiece(bytes, param);
        // Of a very long line or a large file only the parts that hold something.
        if (pieces.length > 1 && mask(raw) === raw) continue;
        const fits = first.param === undefined || first.param === param;
        const alone = Number(pieces.length === 1 && made.length === 1 && fits);
        run(db, sql, addressOf(bytes), first.id, alone, at);
        stands.add(first.id);
        // What stood for another line until now is masked once more.
        if (stands.has(id))
          run(db, 'UPDATE masked SET piece = ?, alone = min(alone, ?) WHERE piece = ?', first.id, alone, id);
      }
    },
  };
}

export interface MaskedLine {
  /** undefined where only a part of a line, or of a file, is known to hold something: it cannot be masked by itself. */
  readonly bytes: Buffer | undefined;
  /** When it was scrubbed. */
  readonly at: string;
}

/** What stands for a line that was scrubbed before; undefined for any other. Without scrubs no line is looked at. */
export function maskedLines(db: Database): ((raw: Buffer) => MaskedLine | undefined) | undefined {
  if (get(db, 'SELECT 1 FROM masked LIMIT 1') === undefined) return undefined;
  const reader = createPieceReader(db, { atHand: 2 });
  return (raw) => {
    const { bytes, param } = toPiece(raw);
    const row = get(db, 'SELECT piece, alone, at FROM masked WHERE hash = ?', addressOf(bytes));
    if (row === undefined) return undefined;
    const masked = numberOf(row, 'alone') === 1 ? readable(reader, numberOf(row, 'piece')) : undefined;
    return { bytes: masked && fromPiece(masked, param), at: textOf(row, 'at') };
  };
}

/** A damaged one is no reason not to take the file. */
function readable(reader: PieceReader, piece: number): Buffer | undefined {
  try {
    return reader.piece(piece);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return undefined;
  }
}

/** Of a line that is forgotten nothing stays, its address neither. */
export function sweepMasked(db: Database, isNeeded: (id: number) => boolean): void {
  const gone: Buffer[] = [];
  for (const row of each(db, 'SELECT hash, piece FROM masked'))
    if (!isNeeded(numberOf(row, 'piece'))) gone.push(blobOf(row, 'hash'));
  for (const hash of gone) run(db, 'DELETE FROM masked WHERE hash = ?', hash);
}

/** What another archive remembers of lines that are here as it has them, and not as they were. */
export function copyMasked(own: Database, other: Database): void {
  const reader = createPieceReader(other, { atHand: 2 });
  const idOf = (hash: Buffer) => maybeNumber(get(own, 'SELECT id FROM piece WHERE hash = ?', hash), 'id');
  for (const row of each(other, 'SELECT hash, piece, alone, at FROM masked')) {
    const [hash, bytes] = [blobOf(row, 'hash'), readable(reader, numberOf(row, 'piece'))];
    const piece = bytes && idOf(addressOf(bytes));
    if (piece === undefined || idOf(hash) !== undefined) continue;
    const sql = 'INSERT OR IGNORE INTO masked (hash, piece, alone, at) VALUES (?, ?, ?, ?)';
    run(own, sql, hash, piece, numberOf(row, 'alone'), textOf(row, 'at'));
  }
}
