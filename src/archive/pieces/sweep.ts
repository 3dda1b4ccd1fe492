/** Takes out of the archive's file what no version needs any more. */
import { sweepMasked } from '../scrub/masked.ts';
import { all, blobOf, type Database, each, get, numberOf, run } from '../sqlite.ts';
import { type Pack, readPack, writePack } from './packs.ts';
import { neededRanges, type Range } from './runs.ts';

/** Freed pages leave the file, and with them what was written in them. */
export function compact(db: Database): void {
  try {
    db.exec('VACUUM');
  } finally {
    get(db, 'PRAGMA wal_checkpoint(TRUNCATE)');
  }
}

export interface Swept {
  readonly pieces: number;
  readonly bytes: number;
  /** Packs that cannot be read and hold what is needed beside what is not. */
  readonly unreadable: number;
}

/** Removes every piece that no version needs. Ids stay as they are. */
export function sweep(db: Database): Swept {
  const isNeeded = lookup(neededRanges(db));
  let pieces = 0;
  let bytes = 0;
  let unreadable = 0;
  for (const row of all(db, 'SELECT id, count FROM pack')) {
    const first = numberOf(row, 'id');
    const last = first + numberOf(row, 'count') - 1;
    if (isEach(first, last, isNeeded)) continue;
    const pack = attempt(() => readPack(db, first));
    if (pack !== undefined) {
      const removed = sweepPack(db, first, pack, isNeeded);
      pieces += removed.pieces;
      bytes += removed.bytes;
    } else if (isEach(first, last, (id) => !isNeeded(id))) {
      run(db, 'DELETE FROM pack WHERE id = ?', first);
      pieces += last - first + 1;
    } else unreadable += 1;
  }
  sweepAddresses(db, isNeeded);
  sweepMasked(db, isNeeded);
  run(db, 'DELETE FROM param WHERE id NOT IN (SELECT param FROM run)');
  run(db, 'DELETE FROM root WHERE id NOT IN (SELECT root FROM file)');
  return { pieces, bytes, unreadable };
}

/** All at once, by their ids: of a pack that cannot be read they are not to be had from its bytes. */
function sweepAddresses(db: Database, isNeeded: (id: number) => boolean): void {
  const gone: Buffer[] = [];
  for (const row of each(db, 'SELECT hash, id FROM piece'))
    if (!isNeeded(numberOf(row, 'id'))) gone.push(blobOf(row, 'hash'));
  for (const hash of gone) run(db, 'DELETE FROM piece WHERE hash = ?', hash);
}

function isEach(first: number, last: number, fits: (id: number) => boolean): boolean {
  for (let id = first; id <= last; id += 1) if (!fits(id)) return false;
  return true;
}

/** What is damaged is no reason to keep the rest. */
function attempt<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

function sweepPack(
  db: Database,
  first: number,
  { lengths, data }: Pack,
  isNeeded: (id: number) => boolean,
): { pieces: number; bytes: number } {
  const kept: Buffer[] = [];
  let pieces = 0;
  let at = 0;
  const left = lengths.map((length, place) => {
    const piece = data.subarray(at, at + length);
    at += length;
    if (length === 0) return 0;
    if (isNeeded(first + place)) {
      kept.push(piece);
      return length;
    }
    pieces += 1;
    return 0;
  });
  const rest = Buffer.concat(kept);
  if (pieces > 0 && rest.length > 0) writePack(db, { first, lengths: left, data: rest });
  else if (rest.length === 0) run(db, 'DELETE FROM pack WHERE id = ?', first);
  return { pieces, bytes: data.length - rest.length };
}

/** Whether an id lies in one of the ranges, which are in order. */
function lookup(ranges: readonly Range[]): (id: number) => boolean {
  return (id) => {
    let low = 0;
    for (let high = ranges.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((ranges[middle]?.end ?? 0) <= id) low = middle + 1;
      else high = middle;
    }
    return id >= (ranges[low]?.first ?? Number.POSITIVE_INFINITY);
  };
}
