/** Makes the outlines of archived sessions that have none yet. */
import { join } from 'node:path';
import { DiskError } from '../../disk/errors.ts';
import { readEntriesOf } from '../../disk/read.ts';
import { type Entry, type Source, toEntry } from '../../format/entry.ts';
import { type RawLine, splitLines } from '../../format/lines.ts';
import { createOutline, type Outline } from '../../graph/outline.ts';
import { ArchiveError, toArchiveError } from '../errors.ts';
import { type ArchivedState, allStates, type Version, versionOf } from '../files.ts';
import { compress, createPieceReader, type PieceReader } from '../pieces/packs.ts';
import { archivedSource, bytesOfVersion } from '../pieces/read.ts';
import { all, blobOf, type Database, get, numberOf, run } from '../sqlite.ts';
import { type Archive, guarded } from '../store.ts';
import { createOnDisk } from '../sync/ondisk.ts';
import { atOnce, collectGarbage, inTurns, type Work } from '../turns.ts';
import { INDEX_NAME, openIndex } from './derived.ts';

export interface OutlineOptions {
  readonly signal?: AbortSignal;
  readonly now?: () => number;
}

/** How many were made. */
export function updateOutlines(archive: Archive, options: OutlineOptions = {}): number {
  return guarded('cannot keep outlines', join(archive.folder, INDEX_NAME), () => atOnce(update(archive, options)));
}

/** The same, stopped by the signal between two sessions. */
export async function updateOutlinesInTurns(archive: Archive, options: OutlineOptions = {}): Promise<number> {
  try {
    return await inTurns(update(archive, options));
  } catch (error) {
    throw toArchiveError(error, 'cannot keep outlines', join(archive.folder, INDEX_NAME));
  }
}

function* update(archive: Archive, options: OutlineOptions): Work<number> {
  const index = openIndex(archive);
  try {
    const sessions = allStates(archive.db).filter(({ kind }) => kind === 'session');
    putInOrder(index.db, sessions);
    const kept = keptIn(index.db);
    const now = (options.now ?? Date.now)();
    const readers = readersOf(archive.db);
    const disk = createOnDisk(archive.db);
    let made = 0;
    let bytes = 0;
    for (const state of sessions) {
      if (options.signal?.aborted) break;
      if (kept.digests.has(keyOf(state.digest)) || isStillGrowing(state, kept.sizes.get(state.id), now)) continue;
      // One that grew is read from the archive: a sync reads of its source only what was added.
      const path = kept.sizes.has(state.id) ? undefined : disk.pathOf(state);
      const read = path === undefined ? undefined : yield* outlineOnDisk(path, () => disk.pathOf(state) === path);
      const outline = read ?? (yield* outlineIfWhole(archive.db, state, readers));
      if (outline === undefined) continue;
      saveOutline(index.db, state, outline);
      kept.digests.add(keyOf(state.digest));
      made += 1;
      bytes += state.size;
      if (bytes >= 4 * PART_BYTES) {
        bytes = 0;
        collectGarbage();
      }
      yield;
    }
    if (made > 0) putInOrder(index.db, sessions);
    return made;
  } finally {
    index.close();
  }
}

interface KeptOutlines {
  readonly digests: Set<string>;
  /** By file: how large it was when its outline was made. */
  readonly sizes: Map<number, number>;
}

function keptIn(db: Database): KeptOutlines {
  const rows = all(db, 'SELECT digest, file, size FROM outline');
  return {
    digests: new Set(rows.map((row) => keyOf(blobOf(row, 'digest')))),
    sizes: new Map(rows.map((row) => [numberOf(row, 'file'), numberOf(row, 'size')])),
  };
}

function keyOf(digest: Buffer): string {
  return digest.toString('latin1');
}

const SMALL = 2 << 20;
const QUIET_MS = 10 * 60_000;

/**
 * An outline is made from the whole session. For a large one that grows line by line that would be too much each time: it
 * waits until the session rests, or has grown by an eighth. Until then a list reads the file itself.
 */
export function isStillGrowing({ size, mtimeMs }: ArchivedState, before: number | undefined, now: number): boolean {
  if (before === undefined || size < SMALL || size < before || size - before > before / 8) return false;
  return Math.abs(now - mtimeMs) < QUIET_MS;
}

/** Sessions of the same bytes share one. */
export function hasOutline(db: Database, digest: Buffer): boolean {
  return get(db, 'SELECT 1 FROM outline WHERE digest = ?', digest) !== undefined;
}

/** In the place of another only where that is of no use any more, which is known when all are made. */
export function saveOutline(
  db: Database,
  { id, size, digest }: Pick<ArchivedState, 'id' | 'size' | 'digest'>,
  outline: Outline,
): void {
  const body = compress(Buffer.from(JSON.stringify(outline)));
  const sql = 'INSERT OR REPLACE INTO outline (digest, file, size, updated, body) VALUES (?, ?, ?, ?, ?)';
  run(db, sql, digest, id, size, outline.updated ?? null, body);
}

/**
 * Each session has one outline, the last that was made of it. Sessions of the same bytes share one (a project that was renamed has
 * them twice), which stays with the others when one of them grows.
 */
function putInOrder(db: Database, sessions: readonly ArchivedState[]): void {
  const present = new Map(sessions.map(({ id, digest }) => [id, keyOf(digest)]));
  const holders = new Map(sessions.map(({ id, digest }) => [keyOf(digest), id]));
  const rows = all(db, 'SELECT digest, file FROM outline');
  const kept = new Set(rows.map((row) => keyOf(blobOf(row, 'digest'))));
  for (const row of rows) {
    const digest = blobOf(row, 'digest');
    const own = present.get(numberOf(row, 'file'));
    if (own === keyOf(digest)) continue;
    const holder = holders.get(keyOf(digest));
    if (holder !== undefined) run(db, 'UPDATE outline SET file = ? WHERE digest = ?', holder, digest);
    else if (own === undefined || kept.has(own)) run(db, 'DELETE FROM outline WHERE digest = ?', digest);
  }
}

const PART_BYTES = 16 << 20;

/** For lines in order, whose memory is given back at once, and for what is asked for later. */
interface Readers {
  readonly near: PieceReader;
  readonly far: PieceReader;
}

function readersOf(db: Database): Readers {
  return { near: createPieceReader(db, { atHand: 2, releases: true }), far: createPieceReader(db) };
}

/** Nothing when the file was touched meanwhile. */
function* outlineOnDisk(path: string, isUntouched: () => boolean): Work<Outline | undefined> {
  try {
    const outline = yield* folded(readEntriesOf(path));
    return isUntouched() ? outline : undefined;
  } catch (error) {
    if (error instanceof DiskError) return undefined;
    throw error;
  }
}

/** Nothing for a session that is damaged, or to which another process adds meanwhile: its turn comes another time. */
function* outlineIfWhole(db: Database, state: ArchivedState, readers: Readers): Work<Outline | undefined> {
  try {
    const outline = yield* outlineOf(db, versionOf(db, state.version), readers);
    return versionOf(db, state.version).digest.equals(state.digest) ? outline : undefined;
  } catch (error) {
    if (error instanceof ArchiveError) return undefined;
    throw error;
  }
}

function outlineOf(db: Database, version: Version, readers: Readers): Work<Outline> {
  return folded(entriesOf(db, version, readers));
}

function* folded(entries: Iterable<Entry>): Work<Outline> {
  const outline = createOutline();
  let part = 0;
  for (const entry of entries) {
    outline.add(entry);
    part += entry.line.end - entry.line.start;
    if (part < PART_BYTES) continue;
    part = 0;
    collectGarbage();
    yield;
  }
  return outline.result();
}

/** In order, each with its line at hand; asked later, an entry reads from the archive. */
function* entriesOf(db: Database, version: Version, readers: Readers): Generator<Entry> {
  const far = archivedSource(db, version, `version ${version.id}`, readers.far);
  let near: RawLine | undefined;
  const source: Source = {
    name: far.name,
    read(start, end) {
      if (near === undefined || start < near.line.start || end > near.line.end) return far.read(start, end);
      return near.bytes.subarray(start - near.line.start, end - near.line.start);
    },
  };
  for (near of splitLines(bytesOfVersion(db, version, readers.near))) yield toEntry(source, near.line, near.bytes);
}
