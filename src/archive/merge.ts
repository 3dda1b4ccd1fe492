/** Two archives made one. */
import { DiskError, type Problem } from '../disk/errors.ts';
import { createDigest } from './digest.ts';
import { ArchiveError, toArchiveError } from './errors.ts';
import { type ArchivedFile, allFiles, findFile, setCurrent, type Version, versionsOf } from './files.ts';
import { saveSpan, spanOf } from './forgottenspans.ts';
import { chunksOf, type Input } from './input.ts';
import { archivedInput } from './read.ts';
import { saveScrub, scrubbedAt, sourceOf } from './scrubs.ts';
import { all, type Database, get, numberOf, run, textOf, transaction } from './sqlite.ts';
import { type Archive, archiveId, guarded } from './store.ts';
import { type Batch, createBatch, ingestSteps } from './take.ts';
import { forgottenNames } from './tombstones.ts';
import { atOnce, inTurns, type Work } from './turns.ts';

export interface Merged {
  readonly files: number;
  /** Versions that were not here before, or were shorter. */
  readonly added: number;
  /** Versions that were here already. */
  readonly known: number;
  /** Files not taken because they were forgotten here. */
  readonly forgotten: number;
  readonly bytes: number;
  /** What could not be read of the other archive; all else was taken. */
  readonly problems: readonly Problem[];
  /** Ended before everything was taken. */
  readonly stopped: boolean;
}

export interface MergeOptions {
  readonly signal?: AbortSignal;
  readonly onFile?: (file: { readonly bytes: number }) => void;
}

/** Everything of another archive that this one does not have. Each version goes the way a file from the disk goes. */
export function mergeArchive(own: Archive, other: Archive, options: MergeOptions = {}): Merged {
  return guarded('cannot import', own.path, () => atOnce(mergeAll(own, other, options)));
}

/** The same, stopped by the signal between two steps. */
export async function mergeInTurns(own: Archive, other: Archive, options: MergeOptions = {}): Promise<Merged> {
  try {
    return await inTurns(mergeAll(own, other, options));
  } catch (error) {
    throw toArchiveError(error, 'cannot import', own.path);
  }
}

function* mergeAll(own: Archive, other: Archive, { signal, onFile }: MergeOptions): Work<Merged> {
  adoptId(own.db, other.db);
  const isForgotten = forgottenNames(own.db);
  const batch = createBatch(own.db);
  const files = allFiles(other.db);
  const problems: Problem[] = [];
  const merging: Merging = { batch, own: own.db, other: other.db, signal, report: (problem) => problems.push(problem) };
  let [added, known, forgotten, bytes] = [0, 0, 0, 0];
  try {
    for (const file of files) {
      if (signal?.aborted) break;
      const versions = versionsOf(other.db, file.id);
      if (isForgotten({ name: file.name, session: () => file.session })) forgotten += 1;
      else {
        const merged = yield* mergeFile(merging, file, versions);
        added += merged.added;
        known += versions.length - merged.added;
        bytes += merged.bytes;
      }
      onFile?.({ bytes: versions.reduce((sum, version) => sum + version.size, 0) });
    }
    batch.commit();
  } finally {
    batch.abandon();
  }
  const stopped = signal?.aborted === true;
  if (!stopped) copyTombstones(own.db, other.db);
  return { files: files.length, added, known, forgotten, bytes, problems, stopped };
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

interface Merging {
  readonly batch: Batch;
  readonly own: Database;
  readonly other: Database;
  readonly signal: AbortSignal | undefined;
  report(problem: Problem): void;
}

function* mergeFile(
  merging: Merging,
  file: ArchivedFile,
  versions: readonly Version[],
): Work<{ added: number; bytes: number }> {
  const { batch, own } = merging;
  // The version the source had last comes last, so that it is the current one here too.
  const ordered = versions.toSorted((a, b) => Number(a.id === file.current) - Number(b.id === file.current));
  const before = findFile(own, file);
  let added = 0;
  let bytes = 0;
  for (const version of ordered) {
    const taken = yield* mergeVersion(merging, file, version);
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
function* mergeVersion(
  { batch, own, other, signal, report }: Merging,
  file: ArchivedFile,
  version: Version,
): Work<number | undefined> {
  const here = findFile(own, file);
  const versions = here === undefined ? [] : versionsOf(own, here.id);
  // Scrubbed here, or scrubbed there: the bytes it was taken from are the same.
  const theirs = sourceOf(other, version);
  const known = versions.some((each) => {
    const isWhole = startsWith(own, each, version) || startsWith(own, each, theirs);
    return isWhole || theirs.digest.equals(sourceOf(own, each).digest);
  });
  if (known) return undefined;
  const shorter = versions.find((each) => startsWith(other, version, sourceOf(own, each)));
  // Where ours is the beginning of theirs it is lengthened.
  if (here !== undefined && shorter !== undefined) {
    batch.step((db) => {
      setCurrent(db, here.id, shorter.id, -1);
      return { bytes: 0 };
    });
  }
  // Sizes and times may agree by chance: the bytes are compared.
  const options = { full: true, session: () => file.session, signal };
  const { bytes, problem } = yield* ingestSteps(batch, file, otherInput(other, file, version), options);
  if (problem !== undefined) report(problem);
  const at = scrubbedAt(other, version.id);
  if (at !== undefined) {
    batch.step((db) => {
      const taken = findFile(db, file)?.current;
      if (taken !== undefined) saveScrub(db, taken, at, theirs);
      return { bytes: 0 };
    });
  }
  return bytes;
}

/** Where the other archive is damaged a version ends: what lies before is taken. */
function otherInput(other: Database, file: ArchivedFile, version: Version): Input {
  const input = archivedInput(other, version);
  const where = `${file.root}/${file.name}`;
  return {
    ...input,
    fill(buffer, position) {
      try {
        return input.fill(buffer, position);
      } catch (error) {
        if (!(error instanceof ArchiveError)) throw error;
        const next = 'What lies before the damage was taken.';
        throw new DiskError({ what: `cannot import all of it: ${error.message}`, where, next, cause: error });
      }
    },
  };
}

/** Whether a version begins with some bytes, or is the same. */
function startsWith(
  db: Database,
  longer: Version,
  { size, digest: wanted }: Pick<Version, 'size' | 'digest'>,
): boolean {
  if (longer.size === size) return longer.digest.equals(wanted);
  if (longer.size < size) return false;
  const digest = createDigest();
  try {
    for (const chunk of chunksOf(archivedInput(db, longer), 0, size)) digest.update(chunk);
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return false;
  }
  return digest.value().equals(wanted);
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
      const span = spanOf(other, what);
      if (span !== undefined) saveSpan(own, span);
    }
  });
}
