/**
 * Masks secrets in what was archived. Lines are masked as they are stored: a copy of a line in another session is the same
 * stored line and is masked there too, so that nothing is left of it. Everything that changes does so in one transaction.
 */

import { toArchiveError } from '../errors.ts';
import { type ArchivedFile, allFiles, versionsOf } from '../files.ts';
import { emptyIndex } from '../index/derived.ts';
import { createPieceReader, createPieceWriter } from '../pieces/packs.ts';
import { storedLines } from '../pieces/storedlines.ts';
import { compact, sweep } from '../pieces/sweep.ts';
import type { Database } from '../sqlite.ts';
import { type Archive, noteChange } from '../store.ts';
import { inTurns, type Work } from '../turns.ts';
import { createMaskMemory } from './masked.ts';
import { holdsAny, type Rewriting, rewrite } from './rewrite.ts';

/** How secrets are found and masked: src/redact, handed in. */
export interface Masker {
  /** Remembers the secrets of a text; whether there are any. */
  look(bytes: Buffer): boolean;
  /** The same bytes with every secret seen so far masked; the same buffer where there is none. */
  mask(bytes: Buffer): Buffer;
}

export interface ScrubOptions {
  /** Only looks. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
  readonly onBytes?: (work: { readonly bytes: number }) => void;
  /** Before the file is compacted, which takes a while and cannot be interrupted. */
  readonly onCompact?: () => void;
}

export interface ScrubbedFile {
  readonly file: ArchivedFile;
  /** Lines with secrets; what is not cut into lines counts as one. */
  readonly lines: number;
}

export interface Scrubbed {
  /** Those that were changed, copies in other sessions too; in a dry run those chosen in which something was found. */
  readonly files: readonly ScrubbedFile[];
  readonly versions: number;
  readonly lines: number;
  /** Bytes looked at. */
  readonly bytes: number;
  /** Parts of lines or files too large to be looked at as a whole: a secret across two parts is not found. */
  readonly partial: number;
  readonly stopped: boolean;
}

export async function scrub(
  archive: Archive,
  files: readonly ArchivedFile[],
  masker: Masker,
  now: Date,
  options: ScrubOptions = {},
): Promise<Scrubbed> {
  try {
    return await inTurns(scrubAll(archive, files, masker, now, options));
  } catch (error) {
    throw toArchiveError(error, 'cannot scrub', archive.path);
  }
}

function* scrubAll(
  archive: Archive,
  files: readonly ArchivedFile[],
  masker: Masker,
  now: Date,
  options: ScrubOptions,
): Work<Scrubbed> {
  const { db } = archive;
  const seen = yield* lookAtAll(db, files, masker, options);
  const found = { ...seen, lines: total(seen.files), versions: 0, stopped: options.signal?.aborted === true };
  if (options.dryRun || found.stopped || found.lines === 0) return found;
  // The index holds the words too; it is made anew.
  emptyIndex(archive);
  // Freed pages are overwritten at once; compacting the file then removes them.
  db.exec('PRAGMA secure_delete = ON; BEGIN IMMEDIATE');
  try {
    const changed = yield* maskAll(db, files, masker, now, options);
    if (changed === undefined) return { ...found, files: [], lines: 0, stopped: true };
    sweep(db);
    noteChange(db);
    db.exec('COMMIT');
    // A sync that ran meanwhile may have indexed the lines as they were.
    emptyIndex(archive);
    options.onCompact?.();
    compact(db);
    return { ...found, ...changed, lines: total(changed.files) };
  } finally {
    // Stopped or failed: all is as it was. A full disk makes SQLite roll back by itself.
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

function total(files: readonly ScrubbedFile[]): number {
  return files.reduce((sum, { lines }) => sum + lines, 0);
}

/** First everything is looked at, so that a secret known by its surroundings in one place is masked in all others. */
function* lookAtAll(
  db: Database,
  files: readonly ArchivedFile[],
  masker: Masker,
  options: ScrubOptions,
): Work<Pick<Scrubbed, 'files' | 'bytes' | 'partial'>> {
  const reader = createPieceReader(db);
  const found: ScrubbedFile[] = [];
  let bytes = 0;
  let partial = 0;
  for (const file of files) {
    let lines = 0;
    for (const version of versionsOf(db, file.id)) {
      for (const line of storedLines(db, version, file.name, reader)) {
        if (options.signal?.aborted) return { files: found, bytes, partial };
        if (masker.look(line.raw)) lines += 1;
        if (line.partial) partial += 1;
        bytes += line.raw.length;
        options.onBytes?.({ bytes: line.raw.length });
        yield;
      }
      if (version.tail.length > 0 && masker.look(version.tail)) lines += 1;
    }
    if (lines > 0) found.push({ file, lines });
  }
  return { files: found, bytes, partial };
}

/** Inside a transaction. undefined when it was stopped. */
function* maskAll(
  db: Database,
  chosen: readonly ArchivedFile[],
  masker: Masker,
  now: Date,
  options: ScrubOptions,
): Work<Pick<Scrubbed, 'files' | 'versions'> | undefined> {
  const reader = createPieceReader(db);
  const hits = new Set<number>();
  for (const file of chosen) {
    for (const version of versionsOf(db, file.id)) {
      for (const line of storedLines(db, version, file.name, reader)) {
        if (options.signal?.aborted) return undefined;
        if (masker.mask(line.raw) !== line.raw) for (const { id } of line.pieces) hits.add(id);
        yield;
      }
    }
  }
  const mask = (raw: Buffer) => masker.mask(raw);
  const at = now.toISOString();
  const memory = createMaskMemory({ db, reader, mask, at });
  const work: Rewriting = { db, mask, reader, pieces: createPieceWriter(db), hits, at, memory };
  const ordered = [...hits].sort((a, b) => a - b);
  const ids = new Set(chosen.map(({ id }) => id));
  const files: ScrubbedFile[] = [];
  let versions = 0;
  for (const file of allFiles(db)) {
    let lines = 0;
    for (const version of versionsOf(db, file.id)) {
      if (options.signal?.aborted) return undefined;
      const tail = ids.has(file.id) ? masker.mask(version.tail) : version.tail;
      if (tail === version.tail && !holdsAny(db, version, ordered)) continue;
      lines += yield* rewrite(work, file, version, tail);
      versions += 1;
    }
    if (lines > 0) files.push({ file, lines });
  }
  work.pieces.flush();
  return { files, versions };
}
