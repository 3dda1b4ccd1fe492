/** The whole archive as one file for another machine, and two archives made one. */
import { chmodSync, fsyncSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolders, syncFolder } from '../disk/durable.ts';
import { closeFile, openFile } from '../disk/io.ts';
import { createDigest } from './digest.ts';
import { type ArchivedFile, allFiles, findFile, setCurrent, type Version, versionsOf } from './files.ts';
import { chunksOf } from './input.ts';
import { archivedInput } from './read.ts';
import { all, type Database, get, numberOf, run, textOf, transaction } from './sqlite.ts';
import { type Archive, archiveId, guarded } from './store.ts';
import { type Batch, createBatch, ingestSteps } from './sync.ts';
import { forgottenNames } from './tombstones.ts';
import { atOnce } from './turns.ts';

/** A copy of one moment, compacted; a sync may go on meanwhile. What is at `to` is replaced. */
export function exportArchive({ db }: Archive, to: string): void {
  const temp = `${to}.${process.pid}.tmp`;
  guarded('cannot export', to, () => {
    makeFolders(dirname(to), true);
    rmSync(temp, { force: true });
    // Made before SQLite fills it, so that nobody else can ever read it.
    closeFile(openFile(temp, 'wx', 0o600));
    try {
      run(db, 'VACUUM INTO ?', temp);
      chmodSync(temp, 0o600);
      const fd = openFile(temp, 'r+');
      fsyncSync(fd);
      closeFile(fd);
      renameSync(temp, to);
    } catch (error) {
      rmSync(temp, { force: true });
      throw error;
    }
    syncFolder(dirname(to));
  });
}

export interface Merged {
  readonly files: number;
  /** Versions that were not here before, or were shorter. */
  readonly added: number;
  /** Versions that were here already. */
  readonly known: number;
  /** Files not taken because they were forgotten here. */
  readonly forgotten: number;
  readonly bytes: number;
}

export interface MergeOptions {
  readonly signal?: AbortSignal;
  readonly onFile?: (file: { readonly bytes: number }) => void;
}

/** Everything of another archive that this one does not have. Each version goes the way a file from the disk goes. */
export function mergeArchive(own: Archive, other: Archive, options: MergeOptions = {}): Merged {
  return guarded('cannot import', own.path, () => {
    adoptId(own.db, other.db);
    const isForgotten = forgottenNames(own.db);
    const batch = createBatch(own.db);
    const files = allFiles(other.db);
    let [added, known, forgotten, bytes] = [0, 0, 0, 0];
    try {
      for (const file of files) {
        if (options.signal?.aborted) break;
        const versions = versionsOf(other.db, file.id);
        if (isForgotten({ name: file.name, session: () => file.session })) forgotten += 1;
        else {
          const merged = mergeFile(batch, own.db, other.db, file, versions);
          added += merged.added;
          known += versions.length - merged.added;
          bytes += merged.bytes;
        }
        options.onFile?.({ bytes: versions.reduce((sum, version) => sum + version.size, 0) });
      }
      batch.commit();
    } finally {
      batch.abandon();
    }
    copyTombstones(own.db, other.db);
    return { files: files.length, added, known, forgotten, bytes };
  });
}

/** An archive moved to another machine stays the same archive: its files are then known there by their paths. */
function adoptId(own: Database, other: Database): void {
  transaction(own, () => {
    if (numberOf(get(own, 'SELECT count(*) AS n FROM file'), 'n') > 0) return;
    const id = archiveId(other);
    run(own, "UPDATE meta SET value = ? WHERE key = 'id'", id);
    run(own, 'UPDATE origin SET key = ? WHERE id = 1 AND NOT EXISTS (SELECT 1 FROM origin WHERE key = ?)', id, id);
  });
}

function mergeFile(
  batch: Batch,
  own: Database,
  other: Database,
  file: ArchivedFile,
  versions: readonly Version[],
): { added: number; bytes: number } {
  // The version the source had last comes last, so that it is the current one here too.
  const ordered = versions.toSorted((a, b) => Number(a.id === file.current) - Number(b.id === file.current));
  const before = findFile(own, file);
  let added = 0;
  let bytes = 0;
  for (const version of ordered) {
    const taken = mergeVersion(batch, own, other, file, version);
    if (taken === undefined) continue;
    added += 1;
    bytes += taken;
  }
  const after = findFile(own, file);
  if (added === 0 || after?.current === undefined) return { added, bytes };
  // What this machine's own source looked like stays what the next sync compares with.
  const current = before?.current ?? after.current;
  const mtimeMs = before?.current === undefined ? file.mtimeMs : before.mtimeMs;
  batch.step((db) => {
    setCurrent(db, after.id, current, mtimeMs);
    return { bytes: 0 };
  });
  return { added, bytes };
}

/** The bytes taken; undefined when all of it was here. */
function mergeVersion(
  batch: Batch,
  own: Database,
  other: Database,
  file: ArchivedFile,
  version: Version,
): number | undefined {
  const here = findFile(own, file);
  const versions = here === undefined ? [] : versionsOf(own, here.id);
  if (versions.some((each) => startsWith(own, each, version))) return undefined;
  const shorter = versions.find((each) => startsWith(other, version, each));
  // Where ours is the beginning of theirs it is lengthened.
  if (here !== undefined && shorter !== undefined) {
    batch.step((db) => {
      setCurrent(db, here.id, shorter.id, -1);
      return { bytes: 0 };
    });
  }
  // Sizes and times may agree by chance: the bytes are compared.
  const work = ingestSteps(batch, file, archivedInput(other, version), { full: true, session: () => file.session });
  return atOnce(work).bytes;
}

/** Whether a version begins with another, or is the same. */
function startsWith(db: Database, longer: Version, shorter: Version): boolean {
  if (longer.size === shorter.size) return longer.digest.equals(shorter.digest);
  if (longer.size < shorter.size) return false;
  const digest = createDigest();
  for (const chunk of chunksOf(archivedInput(db, longer), 0, shorter.size)) digest.update(chunk);
  return digest.value().equals(shorter.digest);
}

/** What was forgotten there stays forgotten here, unless it is here: only a person takes something out. */
function copyTombstones(own: Database, other: Database): void {
  const stones = all(other, 'SELECT what, at FROM tombstone');
  if (stones.length === 0) return;
  const kept = new Set(allFiles(own).flatMap(({ name, session }) => [`file:${name}`, `session:${session ?? ''}`]));
  transaction(own, () => {
    for (const stone of stones) {
      const what = textOf(stone, 'what');
      if (kept.has(what)) continue;
      run(own, 'INSERT OR IGNORE INTO tombstone (what, at) VALUES (?, ?)', what, textOf(stone, 'at'));
    }
  });
}
