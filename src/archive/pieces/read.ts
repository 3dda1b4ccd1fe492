/** Archived bytes back out: in order for restoring, by range for whoever reads an archived session as if it were a file. */
import type { Source } from '../../format/entry.ts';
import { damaged } from '../errors.ts';
import type { Version } from '../files.ts';
import type { Database } from '../sqlite.ts';
import type { Input } from '../sync/input.ts';
import { createDigest } from './digest.ts';
import { createPieceReader, type PieceReader } from './packs.ts';
import { fromPiece, lengthFromPiece } from './piece.ts';
import { paramValue, runsOf } from './runs.ts';

/** The bytes of a version in pieces, unchecked. */
export function* bytesOfVersion(db: Database, version: Version, reader = createPieceReader(db)): Generator<Buffer> {
  for (const { first, count, param } of runsOf(db, version.id)) {
    const value = paramValue(db, param);
    for (let id = first; id < first + count; id += 1) yield fromPiece(reader.piece(id), value);
  }
  if (version.tail.length > 0) yield version.tail;
}

/** The same; throws ArchiveError at the end when they are not what was archived. */
export function* checkedBytes(db: Database, version: Version): Generator<Buffer> {
  const digest = createDigest();
  for (const bytes of bytesOfVersion(db, version)) {
    digest.update(bytes);
    yield bytes;
  }
  if (digest.size() !== version.size || !digest.value().equals(version.digest)) {
    throw damaged(`version ${version.id}`, 'its bytes are not those that were archived');
  }
}

/** A version as a source of entries, read by range in any order. Where its pieces start is found in one pass at first use. */
export function archivedSource(db: Database, version: Version, name: string, reader = createPieceReader(db)): Source {
  let places: Places | undefined;
  return {
    name,
    read(start, end) {
      places ??= placesOf(db, version, reader);
      const { starts, pieceAt } = places;
      // Copied piece by piece: the pack of an earlier one may be gone when a later one is read.
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(end, version.size) - start));
      let done = 0;
      for (let place = placeAt(starts, start); done < bytes.length && place < starts.length; place += 1) {
        const from = start + done - (starts[place] ?? 0);
        done += pieceAt(place).copy(bytes, done, from);
      }
      return bytes.subarray(0, done);
    },
  };
}

interface Places {
  /** Where each piece starts; the tail counts as the last. */
  readonly starts: Float64Array;
  pieceAt(place: number): Buffer;
}

function placesOf(db: Database, version: Version, reader: PieceReader): Places {
  const runs = runsOf(db, version.id).map((run) => ({ ...run, value: paramValue(db, run.param), place: 0 }));
  let count = 0;
  for (const run of runs) {
    run.place = count;
    count += run.count;
  }
  const pieceAt = (place: number): Buffer => {
    const run = runs[lastIndex(runs.length, (index) => (runs[index]?.place ?? 0) <= place)];
    if (run === undefined || place >= count) return version.tail;
    return fromPiece(reader.piece(run.first + place - run.place), run.value);
  };
  // A piece has a byte at least; a number that is wrong must not ask for all memory.
  if (count > version.size) throw damaged(`version ${version.id}`, `${count} pieces for ${version.size} bytes`);
  const starts = new Float64Array(version.tail.length > 0 ? count + 1 : count);
  let at = 0;
  for (const { first, count: pieces, place, value } of runs) {
    for (let piece = 0; piece < pieces; piece += 1) {
      starts[place + piece] = at;
      at += lengthFromPiece(reader.piece(first + piece), value);
    }
  }
  if (starts.length > count) starts[count] = at;
  return { starts, pieceAt };
}

function placeAt(starts: Float64Array, offset: number): number {
  return Math.max(
    0,
    lastIndex(starts.length, (index) => (starts[index] ?? 0) <= offset),
  );
}

/** The last index for which it holds; it holds up to some index and then no more. -1 when it never does. */
function lastIndex(length: number, holds: (index: number) => boolean): number {
  let low = -1;
  for (let high = length - 1; low < high; ) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A version as something to read in order: to archive it (how two archives are merged), or to fold it. */
export function archivedInput(db: Database, version: Version, reader = createPieceReader(db)): Input {
  let parts: Iterator<Buffer> | undefined;
  let part: Buffer = Buffer.alloc(0);
  let at = 0;

  function seek(position: number): Buffer {
    if (parts === undefined || position < at) {
      parts = bytesOfVersion(db, version, reader);
      part = Buffer.alloc(0);
      at = 0;
    }
    while (position >= at + part.length) {
      // The next piece may take the memory of this one.
      const end = at + part.length;
      const { value, done } = parts.next();
      if (done) return Buffer.alloc(0);
      at = end;
      part = value;
    }
    return part.subarray(position - at);
  }

  return {
    size: version.size,
    mtimeMs: version.mtimeMs,
    fill(buffer, position) {
      let done = 0;
      while (done < buffer.length) {
        const bytes = seek(position + done);
        if (bytes.length === 0) break;
        done += bytes.copy(buffer, done);
      }
      return done;
    },
    close: () => {},
  };
}
