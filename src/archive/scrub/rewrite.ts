/** A version with some of its lines masked, under the same id. */

import { type ArchivedFile, saveVersion, type Version } from '../files.ts';
import { createDigest } from '../pieces/digest.ts';
import type { PieceReader, PieceWriter } from '../pieces/packs.ts';
import { createRunWriter, runsOf } from '../pieces/runs.ts';
import { splitPieces } from '../pieces/split.ts';
import { type StoredPiece, storedLines } from '../pieces/storedlines.ts';
import type { Database } from '../sqlite.ts';
import { modeOf } from '../sync/ingest.ts';
import type { Work } from '../turns.ts';
import type { MaskMemory } from './masked.ts';
import { isMasked, saveCut, saveScrub, sourceOf } from './scrubs.ts';

/** Whether one of the pieces, which are in order, is part of the version. */
export function holdsAny(db: Database, version: Version, pieces: readonly number[]): boolean {
  return runsOf(db, version.id).some(({ first, count }) => {
    const next = pieces[firstIndex(pieces, first)];
    return next !== undefined && next < first + count;
  });
}

/** Of the first number that is not smaller. */
function firstIndex(numbers: readonly number[], least: number): number {
  let low = 0;
  for (let high = numbers.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

export interface Rewriting {
  readonly db: Database;
  /** The same buffer where there is nothing to mask. */
  mask(raw: Buffer): Buffer;
  readonly reader: PieceReader;
  readonly pieces: PieceWriter;
  /** Pieces of lines to mask. */
  readonly hits: ReadonlySet<number>;
  readonly at: string;
  /** Of the secrets that are masked; without it lines are left out. */
  readonly memory?: MaskMemory;
}

/** How many lines changed. */
export function* rewrite(work: Rewriting, file: ArchivedFile, version: Version, tail: Buffer): Work<number> {
  const { db, pieces, hits } = work;
  const source = sourceOf(db, version);
  const runs = createRunWriter(db, version.id, { anew: true });
  const digest = createDigest();
  const isCut = work.memory === undefined && !isMasked(db, version.id);
  let lines = tail === version.tail ? 0 : 1;
  for (const line of storedLines(db, version, file.name, work.reader)) {
    const raw = line.pieces.some(({ id }) => hits.has(id)) ? work.mask(line.raw) : line.raw;
    if (raw === line.raw) for (const { id, param } of line.pieces) runs.add(id, param);
    else {
      lines += 1;
      const made = stored(pieces, raw, modeOf(file.name));
      for (const { id, param } of made) runs.add(id, param);
      work.memory?.remember(line, made);
    }
    digest.update(raw);
    yield;
  }
  digest.update(tail);
  runs.save();
  const chain = Buffer.from(digest.link().chain);
  saveVersion(db, { ...version, size: digest.size(), chain, digest: digest.value(), tail });
  // What the source looks like does not change by being scrubbed again.
  saveScrub(db, version.id, work.at, source);
  if (isCut) saveCut(db, version.id);
  return lines;
}

function stored(pieces: PieceWriter, raw: Buffer, mode: 'lines' | 'blocks'): StoredPiece[] {
  const made: StoredPiece[] = [];
  const splitter = splitPieces(mode, (part) => made.push(pieces.put(part)));
  splitter.push(raw);
  const rest = splitter.rest();
  if (rest.length > 0) made.push(pieces.put(rest));
  return made;
}
