/** A version line by line, as it is stored: a line is one piece, a very long one several; a file of another kind is one line. */

import type { Version } from '../files.ts';
import type { Database } from '../sqlite.ts';
import { modeOf } from '../sync/ingest.ts';
import type { PieceReader } from './packs.ts';
import { fromPiece } from './piece.ts';
import { paramValue, runsOf } from './runs.ts';

export interface StoredPiece {
  readonly id: number;
  /** What was cut out of it, if anything was. */
  readonly param: string | undefined;
}

export interface StoredLine {
  readonly pieces: readonly StoredPiece[];
  /** With its line end, where it has one. */
  readonly raw: Buffer;
  /** Only a part: what it belongs to is too large to be looked at as a whole. */
  readonly partial: boolean;
}

/** Larger things are looked at piece by piece. */
const WHOLE_BYTES = 64 << 20;

export function* storedLines(db: Database, version: Version, name: string, reader: PieceReader): Generator<StoredLine> {
  const endsLine = modeOf(name) === 'lines' ? (raw: Buffer) => raw.at(-1) === 10 : () => false;
  let pieces: StoredPiece[] = [];
  let parts: Buffer[] = [];
  let bytes = 0;
  let partial = false;
  const take = (): StoredLine => {
    const line = { pieces, raw: parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts), partial };
    [pieces, parts, bytes] = [[], [], 0];
    return line;
  };
  for (const { first, count, param } of runsOf(db, version.id)) {
    const value = paramValue(db, param);
    for (let id = first; id < first + count; id += 1) {
      const piece = reader.piece(id);
      const raw = fromPiece(piece, value);
      pieces.push({ id, param: piece[0] === 0 ? undefined : value });
      parts.push(raw);
      bytes += raw.length;
      const ended = endsLine(raw);
      if (!ended && bytes < WHOLE_BYTES) continue;
      partial ||= !ended;
      yield take();
      if (ended) partial = false;
    }
  }
  if (pieces.length > 0) yield take();
}
