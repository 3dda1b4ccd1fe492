/** Which stored pieces belong to which files. */
import { paramValue } from '../pieces/runs.ts';
import { all, type Database, numberOf } from '../sqlite.ts';

export interface Transcript {
  readonly file: number;
  /** What was cut out of the piece in it. */
  readonly param: string | undefined;
}

/**
 * The transcript that a piece was first taken from; undefined for what stands in none, which is not searched. To be asked in the
 * order of the pieces.
 */
export function transcriptsOfPieces(db: Database): (piece: number) => Transcript | undefined {
  const sql = `SELECT run.first, run.count, run.version, run.param, version.file FROM run JOIN version ON version.id = run.version
    JOIN file ON file.id = version.file WHERE file.kind IN ('session', 'agent') ORDER BY run.first`;
  const runs = all(db, sql).map((row) => ({
    first: numberOf(row, 'first'),
    end: numberOf(row, 'first') + numberOf(row, 'count'),
    version: numberOf(row, 'version'),
    param: numberOf(row, 'param'),
    file: numberOf(row, 'file'),
  }));
  let next = 0;
  let over: typeof runs = [];
  /** The answer is the same before this piece. */
  let until = 0;
  let transcript: Transcript | undefined;
  return (piece) => {
    if (piece < until) return transcript;
    over = over.filter(({ end }) => end > piece);
    for (let run = runs[next]; run !== undefined && run.first <= piece; run = runs[next]) {
      if (run.end > piece) over.push(run);
      next += 1;
    }
    until = over.reduce((least, { end }) => Math.min(least, end), runs[next]?.first ?? Infinity);
    // Copies are of later versions.
    const first = over.toSorted((a, b) => a.version - b.version)[0];
    transcript = first && { file: first.file, param: paramValue(db, first.param) };
    return transcript;
  };
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
