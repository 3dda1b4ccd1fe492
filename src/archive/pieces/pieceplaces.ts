/** Where a stored line stands: the files whose present or earlier state holds it. */
import { all, type Database, numberOf } from '../sqlite.ts';

export interface PiecePlace {
  readonly file: number;
  readonly version: number;
  readonly param: number;
}

/** Runs that hold the piece. A piece is in few runs, runs are few: no index is kept for this. */
export function placesOfPiece(db: Database, piece: number): PiecePlace[] {
  const sql = `SELECT version.file, run.version, run.param FROM run JOIN version ON version.id = run.version
    WHERE run.first <= ? AND run.first + run.count > ? ORDER BY run.version`;
  return all(db, sql, piece, piece).map((row) => ({
    file: numberOf(row, 'file'),
    version: numberOf(row, 'version'),
    param: numberOf(row, 'param'),
  }));
}
