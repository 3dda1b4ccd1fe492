/** Two archives made one. */
import type { Problem } from '../disk/errors.ts';
import { createDigest } from './digest.ts';
import { ArchiveError, toArchiveError } from './errors.ts';
import { type ArchivedFile, allFiles, findFile, setCurrent, type Version, versionsOf } from './files.ts';
import { saveSpan, spanOf } from './forgottenspans.ts';
import { modeOf } from './ingest.ts';
import { chunksOf } from './input.ts';
import { isWhole, mendLines, mendVersion } from './mend.ts';
import { archivedInput } from './read.ts';
import { readableOf } from './readable.ts';
import { saveScrub, scrubbedAt, sourceOf } from './scrubs.ts';
import { all, type Database, get, numberOf, run, textOf, transaction } from './sqlite.ts';
import { type Archive, archiveId, guarded } from './store.ts';
import { type Batch, createBatch, ingestSteps } from './take.ts';
import { forgottenNames, placeStone, sessionStone } from './tombstones.ts';
import { atOnce, inTurns, type Work } from './turns.ts';

export interface Merged {
  readonly files: number;
  /** Versions that were not here before, or were shorter. */
  readonly added: number;
  /** Versions that were here already. */
  readonly known: number;
  /** Versions that were here, damaged, and are whole now. */
  readonly mended: number;
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
  const batch = createBatch(own.db, { checks: true });
  const files = allFiles(other.db);
  const problems: Problem[] = [];
  const merging: Merging = { batch, own: own.db, other: other.db, signal, report: (problem) => problems.push(problem) };
  const sum = { added: 0, known: 0, mended: 0, bytes: 0 };
  let forgotten = 0;
  try {
    for (const file of files) {
      if (signal?.aborted) break;
      const versions = versionsOf(other.db, file.id);
      if (isForgotten({ ...file, session: () => file.session })) forgotten += 1;
      else {
        const merged = yield* mergeFile(merging, file, versions);
        sum.added += merged.added;
        sum.known += merged.known;
        sum.mended += merged.mended;
        sum.bytes += merged.bytes;
      }
      onFile?.({ bytes: versions.reduce((total, version) => total + version.size, 0) });
    }
    batch.commit();
  } finally {
    batch.abandon();
  }
  const stopped = signal?.aborted === true;
  if (!stopped) copyTombstones(own.db, other.db);
  return { files: files.length, ...sum, forgotten, problems, stopped };
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

type MergedFile = Pick<Merged, 'added' | 'known' | 'mended' | 'bytes'>;

interface Merging {
  readonly batch: Batch;
  readonly own: Database;
  readonly other: Database;
  readonly signal: AbortSignal | undefined;
  report(problem: Problem): void;
}

function* mergeFile(merging: Merging, file: ArchivedFile, versions: readonly Version[]): Work<MergedFile> {
  const { batch, own } = merging;
  // The version the source had last comes last, so that it is the current one here too.
  const ordered = versions.toSorted((a, b) => Number(a.id === file.current) - Number(b.id === file.current));
  const before = findFile(own, file);
  const broken = before === undefined ? [] : versionsOf(own, before.id).filter((version) => !isWhole(own, version));
  const sum = { added: 0, known: 0, mended: 0, bytes: 0 };
  for (const version of ordered) {
    if (broken.length > 0) sum.mended += yield* mendFrom(merging, file, version, broken);
    const taken = yield* mergeVersion(merging, file, version);
    if (taken === 'known') sum.known += 1;
    if (typeof taken !== 'number') continue;
    sum.added += 1;
    sum.bytes += taken;
  }
  const after = findFile(own, file);
  if (sum.added === 0 || after?.current === undefined) return sum;
  // What this machine's own source looked like stays what the next sync compares with.
  const current = before?.current ?? after.current;
  const mtimeMs = before?.current === undefined ? file.mtimeMs : before.mtimeMs;
  batch.step((db) => {
    setCurrent(db, after.id, current, mtimeMs);
    return { bytes: 0 };
  });
  return sum;
}

/** Of a version that is here and damaged, what the other archive has of it. How many are whole now; they leave the list. */
function* mendFrom({ batch, other }: Merging, file: ArchivedFile, theirs: Version, broken: Version[]): Work<number> {
  const readable = yield* readableOf(other, theirs);
  const input = { ...archivedInput(other, theirs), size: readable.size };
  const before = broken.length;
  batch.step((db, pieces) => {
    const mending = { db, pieces, mode: modeOf(file.name) };
    for (const version of [...broken]) {
      const same = readable.fault === undefined && version.digest.equals(theirs.digest) && version.size === theirs.size;
      const whole = same ? mendVersion(mending, version, input) : mendLines(mending, version, input);
      if (whole) broken.splice(broken.indexOf(version), 1);
    }
    return { bytes: 0 };
  });
  return before - broken.length;
}

/** The bytes taken; what is neither taken nor known was left out. */
function* mergeVersion(
  { batch, own, other, signal, report }: Merging,
  file: ArchivedFile,
  version: Version,
): Work<number | 'known' | 'left out'> {
  const here = findFile(own, file);
  const versions = here === undefined ? [] : versionsOf(own, here.id);
  // Scrubbed here, or scrubbed there: the bytes it was taken from are the same.
  const theirs = sourceOf(other, version);
  const isKnown = versions.some((each) => {
    const holds = startsWith(own, each, version) || startsWith(own, each, theirs);
    return holds || theirs.digest.equals(sourceOf(own, each).digest);
  });
  if (isKnown) return 'known';
  const readable = yield* readableOf(other, version);
  const at = scrubbedAt(other, version.id);
  if (readable.fault !== undefined) {
    // Of what was scrubbed a part would pass for the whole.
    const taken = readable.size > 0 && at === undefined;
    report(damageOf(file, readable.fault, taken));
    if (!taken || versions.some((each) => startsWith(own, each, readable))) return 'left out';
  }
  const shorter = versions.find((each) => startsWith(other, { ...version, ...readable }, sourceOf(own, each)));
  // Where ours is the beginning of theirs it is lengthened.
  if (here !== undefined && shorter !== undefined) {
    batch.step((db) => {
      setCurrent(db, here.id, shorter.id, -1);
      return { bytes: 0 };
    });
  }
  // Sizes and times may agree by chance: the bytes are compared.
  const options = { full: true, imported: true, session: () => file.session, signal };
  const input = { ...archivedInput(other, version), size: readable.size };
  const { bytes } = yield* ingestSteps(batch, file, input, options);
  if (at !== undefined) {
    batch.step((db) => {
      const taken = findFile(db, file)?.current;
      if (taken !== undefined) saveScrub(db, taken, at, theirs);
      return { bytes: 0 };
    });
  }
  return bytes;
}

function damageOf(file: ArchivedFile, fault: string, taken: boolean): Problem {
  return {
    kind: 'unreadable',
    what: `cannot import all of it: ${fault}`,
    where: `${file.root}/${file.name}`,
    next: taken ? 'What lies before the damage was taken.' : 'It was left out; all else was taken.',
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

/**
 * What was forgotten there stays forgotten here, unless it is here: only a person takes something out. Names alone, as older archives
 * have them, are only of use where they hold an id: everybody has a history.jsonl.
 */
function copyTombstones(own: Database, other: Database): void {
  const stones = all(other, 'SELECT what, at FROM tombstone');
  if (stones.length === 0) return;
  const kept = new Set(
    allFiles(own).flatMap((file) => [`file:${file.name}`, placeStone(file), sessionStone(file.session) ?? '']),
  );
  const isCommon = (what: string) => what.startsWith('file:') && !/\bagent-[^/]+$/.test(what);
  transaction(own, () => {
    for (const stone of stones) {
      const what = textOf(stone, 'what');
      if (kept.has(what) || isCommon(what)) continue;
      run(own, 'INSERT OR IGNORE INTO tombstone (what, at) VALUES (?, ?)', what, textOf(stone, 'at'));
      const span = spanOf(other, what);
      if (span !== undefined) saveSpan(own, span);
    }
  });
}
