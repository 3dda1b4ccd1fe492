/** States of archived files that hold what the one that is read at their path has not. */
import { versionsOf } from '../files.ts';
import { addressOf, toPiece } from '../pieces/piece.ts';
import { runsOf } from '../pieces/runs.ts';
import { isEntry } from '../search/lines.ts';
import { all, type Database, get, numberOf } from '../sqlite.ts';

export interface OtherState {
  readonly version: number;
  readonly size: number;
  /** Which of the file's states it is, the oldest first. */
  readonly number: number;
}

/** First pieces and ends, in order and apart. */
type Pieces = readonly (readonly [number, number])[];

/**
 * The newest first, by file; those that hold nothing new are left out. `isRead`: whether the present state of a file is what is read at its
 * path. Torn last lines are not told: they are whole in another state, or were never finished.
 */
export function otherStates(db: Database, isRead: (file: number) => boolean): Map<number, OtherState[]> {
  const found = new Map<number, OtherState[]>();
  const sql = "SELECT id, current FROM file WHERE kind IN ('session', 'agent') AND current IS NOT NULL";
  const several = new Set(
    all(db, 'SELECT file FROM version GROUP BY file HAVING count(*) > 1').map((row) => numberOf(row, 'file')),
  );
  for (const row of all(db, sql)) {
    const [file, current] = [numberOf(row, 'id'), numberOf(row, 'current')];
    const isPresent = isRead(file);
    if (isPresent && !several.has(file)) continue;
    const states = othersOf(db, file, isPresent ? current : undefined);
    if (states.length > 0) found.set(file, states);
  }
  return found;
}

function othersOf(db: Database, file: number, read: number | undefined): OtherState[] {
  let known = read === undefined ? [] : piecesOf(db, read);
  const states = versionsOf(db, file).map(({ id, size, tail }, place) => ({
    version: id,
    size,
    number: place + 1,
    tail,
  }));
  return states.toReversed().filter(({ version, tail }) => {
    if (version === read) return false;
    const pieces = piecesOf(db, version);
    if (areIn(pieces, known) && !endsApart(db, tail)) return false;
    known = joined([...known, ...pieces]);
    return true;
  });
}

/** Whether a last line without a line end is an entry all the same, and was never archived with one. */
function endsApart(db: Database, tail: Buffer): boolean {
  if (tail.length === 0 || !isEntry(tail)) return false;
  const { bytes } = toPiece(Buffer.concat([tail, Buffer.from('\n')]));
  return get(db, 'SELECT 1 FROM piece WHERE hash = ?', addressOf(bytes)) === undefined;
}

function piecesOf(db: Database, version: number): Pieces {
  return joined(runsOf(db, version).map(({ first, count }) => [first, first + count] as const));
}

function joined(pieces: Pieces): Pieces {
  const apart: [number, number][] = [];
  for (const [first, end] of pieces.toSorted(([a], [b]) => a - b)) {
    const last = apart.at(-1);
    if (last === undefined || first > last[1]) apart.push([first, end]);
    else last[1] = Math.max(last[1], end);
  }
  return apart;
}

function areIn(pieces: Pieces, known: Pieces): boolean {
  return pieces.every(([first, end]) => known.some(([from, to]) => from <= first && end <= to));
}
