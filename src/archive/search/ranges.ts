/** Which stored pieces belong to which files. */
import { all, type Database, numberOf } from '../sqlite.ts';

/** Whether a piece stands in a transcript: everything else that is archived is not searched. */
export function transcriptPieces(db: Database): (piece: number) => boolean {
  const sql = `SELECT run.first, run.count FROM run JOIN version ON version.id = run.version JOIN file ON file.id = version.file
    WHERE file.kind IN ('session', 'agent') ORDER BY run.first`;
  return within(all(db, sql).map((row) => ({ first: numberOf(row, 'first'), count: numberOf(row, 'count') })));
}

/** Pieces of these files, in whatever state of theirs. */
export function piecesOfFiles(db: Database, files: readonly number[]): (piece: number) => boolean {
  const sql = `SELECT run.first, run.count FROM run JOIN version ON version.id = run.version
    WHERE version.file IN (${files.join()}) ORDER BY run.first`;
  return within(all(db, sql).map((row) => ({ first: numberOf(row, 'first'), count: numberOf(row, 'count') })));
}

/** Runs in the order of their first pieces; they may lie over each other. */
function within(runs: readonly { first: number; count: number }[]): (piece: number) => boolean {
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { first, count } of runs) {
    const end = first + count;
    const last = ends.at(-1);
    if (last === undefined || first > last) {
      starts.push(first);
      ends.push(end);
    } else if (end > last) ends[ends.length - 1] = end;
  }
  return (piece) => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= piece) low = middle + 1;
      else high = middle;
    }
    return low > 0 && piece < (ends[low - 1] ?? 0);
  };
}
