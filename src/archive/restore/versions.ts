/** The states of a file: a source that was rewritten or cut has several, and the last may have the least in it. */

import { type ArchivedFile, type Version, versionsOf } from '../files.ts';
import { isMasked } from '../scrub/scrubs.ts';
import { all, type Database, get, numberOf } from '../sqlite.ts';
import { modeOf } from '../sync/ingest.ts';

export interface FileState {
  /** 1 is the oldest: by it `restore --version` knows it. */
  readonly number: number;
  readonly bytes: number;
  readonly mtimeMs: number;
  /** The one that was last seen, which is restored unless another is asked for. */
  readonly current: boolean;
  readonly scrubbed: boolean;
  /** undefined for files that are not written line by line. */
  readonly lines: number | undefined;
  /** Those of them that the current state has not. */
  readonly extra: number | undefined;
}

/** Oldest first. */
export function fileStates(db: Database, { id, name, current }: ArchivedFile): FileState[] {
  const versions = versionsOf(db, id);
  const own = versions.find((version) => version.id === current);
  const isLines = modeOf(name) === 'lines';
  const held = own && isLines ? rangesOf(db, own.id) : [];
  return versions.map((version, place) => ({
    number: place + 1,
    bytes: version.size,
    mtimeMs: version.mtimeMs,
    current: version.id === current,
    scrubbed: isMasked(db, version.id),
    lines: isLines ? lineCount(db, version) : undefined,
    extra: isLines ? extraLines(db, version, own, held) : undefined,
  }));
}

/** Of some files those that have several states. */
export function withSeveral<T extends ArchivedFile>(db: Database, files: readonly T[]): T[] {
  const rows = all(db, 'SELECT file FROM version GROUP BY file HAVING count(*) > 1');
  const ids = new Set(rows.map((row) => numberOf(row, 'file')));
  return files.filter(({ id }) => ids.has(id));
}

/** The state with most lines that the current one has not; of several the latest. */
export function fullest(states: readonly FileState[]): FileState | undefined {
  const others = states.filter(({ extra = 0 }) => extra > 0);
  return others.toSorted((a, b) => (b.extra ?? 0) - (a.extra ?? 0) || b.number - a.number)[0];
}

function lineCount(db: Database, { id, tail }: Version): number {
  const sql = 'SELECT coalesce(sum(count), 0) AS n FROM run WHERE version = ?';
  return numberOf(get(db, sql, id), 'n') + (tail.length > 0 ? 1 : 0);
}

/** A line that stands in both is the same stored piece, whatever its place. */
function extraLines(db: Database, version: Version, own: Version | undefined, held: readonly Range[]): number {
  const isTorn = version.tail.length > 0 && !own?.tail.equals(version.tail);
  return outside(rangesOf(db, version.id), held) + (isTorn ? 1 : 0);
}

/** First, and the one after the last. */
type Range = readonly [first: number, end: number];

/** The pieces of a version, each once, in the order of their ids. */
function rangesOf(db: Database, version: number): Range[] {
  const ranges: [number, number][] = [];
  for (const row of all(db, 'SELECT first, count FROM run WHERE version = ? ORDER BY first', version)) {
    const [first, end] = [numberOf(row, 'first'), numberOf(row, 'first') + numberOf(row, 'count')];
    const last = ranges.at(-1);
    if (last !== undefined && first <= last[1]) last[1] = Math.max(last[1], end);
    else ranges.push([first, end]);
  }
  return ranges;
}

/** How many are in none of the others. Both are in order and overlap nothing of their own. */
function outside(ranges: readonly Range[], others: readonly Range[]): number {
  let count = 0;
  let place = 0;
  for (const [first, end] of ranges) {
    count += end - first;
    while ((others[place]?.[1] ?? end) <= first && place < others.length) place += 1;
    for (let at = place; (others[at]?.[0] ?? end) < end; at += 1) {
      const [from, to] = others[at] ?? [end, end];
      count -= Math.max(0, Math.min(end, to) - Math.max(first, from));
    }
  }
  return count;
}
