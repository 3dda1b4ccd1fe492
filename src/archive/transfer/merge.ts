/** Two archives made one. */
import type { Problem } from '../../disk/errors.ts';
import { toArchiveError } from '../errors.ts';
import {
  type ArchivedFile,
  allFiles,
  dropVersion,
  findFile,
  findVersion,
  setCurrent,
  type Version,
  versionsOf,
} from '../files.ts';
import { saveSpan, spanOf } from '../forget/forgottenspans.ts';
import { forgottenNames, placeStone, sessionStone } from '../forget/tombstones.ts';
import { archivedInput } from '../pieces/read.ts';
import { readableOf } from '../pieces/readable.ts';
import { ownFiles } from '../restore/restoreplaces.ts';
import { copyMasked } from '../scrub/masked.ts';
import { isMasked, type SourceState, saveCut, saveScrub, scrubbedAt, sourceOf } from '../scrub/scrubs.ts';
import { all, type Database, get, numberOf, run, textOf, transaction } from '../sqlite.ts';
import { type Archive, archiveId, guarded } from '../store.ts';
import { modeOf } from '../sync/ingest.ts';
import { isWhole, mendLines, mendVersion } from '../sync/mend.ts';
import { saveSeen, seenOf, startsWith } from '../sync/seen.ts';
import { type Batch, createBatch, ingestSteps, type Taken } from '../sync/take.ts';
import { atOnce, inTurns, type Work } from '../turns.ts';

export interface Merged {
  readonly files: number;
  /** Versions that were not here before, or were shorter. */
  readonly added: number;
  /** Versions that were here already. */
  readonly known: number;
  /** Versions that were here, damaged, and are whole now. */
  readonly mended: number;
  /** Versions with lines that were scrubbed here: they are masked. */
  readonly masked: number;
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
  const sum = { added: 0, known: 0, mended: 0, masked: 0, bytes: 0 };
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
        sum.masked += merged.masked;
        sum.bytes += merged.bytes;
      }
      onFile?.({ bytes: versions.reduce((total, version) => total + version.size, 0) });
    }
    batch.commit();
  } finally {
    batch.abandon();
  }
  const stopped = signal?.aborted === true;
  if (!stopped) {
    copyTombstones(own.db, other.db);
    transaction(own.db, () => copyMasked(own.db, other.db));
  }
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

type MergedFile = Pick<Merged, 'added' | 'known' | 'mended' | 'masked' | 'bytes'>;

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
  const sum = { added: 0, known: 0, mended: 0, masked: 0, bytes: 0 };
  const isBehind = before?.current === undefined || sawMore(merging, before, file, versions);
  let last: number | undefined;
  for (const version of ordered) {
    if (broken.length > 0) sum.mended += yield* mendFrom(merging, file, version, broken);
    const taken = yield* mergeVersion(merging, file, version, versions, before?.current);
    last = taken.as;
    if (taken.outcome === 'known') sum.known += 1;
    if (taken.outcome !== 'taken') continue;
    sum.added += 1;
    sum.bytes += taken.bytes;
    if (taken.masked) sum.masked += 1;
  }
  const after = findFile(own, file);
  if (after?.current === undefined) return sum;
  const current = (isBehind ? last : undefined) ?? before?.current ?? after.current;
  const mtimeMs = isBehind || before === undefined ? file.mtimeMs : before.mtimeMs;
  if (after.current === current && after.mtimeMs === mtimeMs) return sum;
  batch.step((db) => {
    setCurrent(db, after.id, current, mtimeMs);
    return { bytes: 0 };
  });
  return sum;
}

/**
 * Whether the other archive saw more of a file: it has what is the present state here, and another that is not here. What this machine's
 * own source looked like stays what the next sync compares with.
 */
function sawMore(
  { own, other }: Merging,
  here: ArchivedFile,
  there: ArchivedFile,
  versions: readonly Version[],
): boolean {
  const before = versionsOf(own, here.id);
  const ours = before.find(({ id }) => id === here.current);
  const theirs = versions.find(({ id }) => id === there.current);
  if (ours === undefined || theirs === undefined || ownFiles(own)(here)) return false;
  const isOursThere = knownAs(other, there, own, ours, before) !== undefined;
  const isTheirsHere = knownAs(own, here, other, theirs, versions) !== undefined;
  // Else the time says which came last: it was scrubbed between, or is as it once was.
  return isOursThere === isTheirsHere ? there.mtimeMs > here.mtimeMs : isOursThere;
}

/** The version here that has a state of the other archive: it is that, or goes on from it. `all`: the other's of the file. */
function knownAs(
  own: Database,
  here: ArchivedFile | undefined,
  other: Database,
  state: Version,
  all: readonly Version[],
): Version | undefined {
  if (here === undefined) return undefined;
  const source = sourceOf(other, state);
  const longer = cutFrom(other, state, all);
  return versionsOf(own, here.id).find((each) => {
    if (!holds(own, each, state, source)) return false;
    const isSame = each.size === state.size || sourceOf(own, each).size === source.size;
    return (
      isSame || (modeOf(here.name) === 'lines' && !longer.some((from) => holds(own, each, from, sourceOf(other, from))))
    );
  });
}

/** What a state was cut from: it is a state of its own, for which those do not stand. */
function cutFrom(db: Database, state: Version, all: readonly Version[]): Version[] {
  return all.filter((each) => each.size > state.size && startsWith(db, each, state));
}

/** Whether a version is, or begins with, a state of the other archive, scrubbed here or there: the bytes it was taken from are the same. */
function holds(db: Database, version: Version, state: Version, source: SourceState): boolean {
  const isSource = () => source.digest.equals(sourceOf(db, version).digest);
  return startsWith(db, version, state) || startsWith(db, version, source) || isSource();
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

interface MergedVersion extends Pick<Taken, 'bytes' | 'masked'> {
  readonly outcome: 'taken' | 'known' | 'left out';
  /** The version here that has it. */
  readonly as: number | undefined;
}

const LEFT_OUT: MergedVersion = { outcome: 'left out', as: undefined, bytes: 0, masked: false };

/** `all`: what the other archive has of the file. `present`: what was this archive's present state of the file before. */
function* mergeVersion(
  { batch, own, other, signal, report }: Merging,
  file: ArchivedFile,
  version: Version,
  all: readonly Version[],
  present: number | undefined,
): Work<MergedVersion> {
  const here = findFile(own, file);
  const versions = here === undefined ? [] : versionsOf(own, here.id);
  const theirs = sourceOf(other, version);
  const known = knownAs(own, here, other, version, all);
  if (known !== undefined) return { ...LEFT_OUT, outcome: 'known', as: known.id };
  const readable = yield* readableOf(other, version);
  const at = scrubbedAt(other, version.id);
  if (readable.fault !== undefined) {
    // Of what was scrubbed a part would pass for the whole.
    const taken = readable.size > 0 && at === undefined;
    report(damageOf(file, readable.fault, taken));
    if (!taken || versions.some((each) => startsWith(own, each, readable))) return LEFT_OUT;
  }
  const shorter = versions.find((each) => startsWith(other, { ...version, ...readable }, sourceOf(own, each)));
  // Where ours is the beginning of theirs it is lengthened.
  if (here !== undefined && shorter !== undefined) {
    batch.step((db) => {
      // It is this machine's file that stays the shorter one; in the same step, so that a kill does not part them.
      const isSource = present === shorter.id && here.origin === archiveId(db) && modeOf(here.name) === 'lines';
      if (isSource && seenOf(db, here.id) === undefined) saveSeen(db, here.id, sourceOf(db, shorter));
      setCurrent(db, here.id, shorter.id, -1);
      return { bytes: 0 };
    });
  }
  // Sizes and times may agree by chance: the bytes are compared.
  const options = { full: true, imported: true, session: () => file.session, signal };
  const input = { ...archivedInput(other, version), size: readable.size };
  const taken = yield* ingestSteps(batch, file, input, options);
  const isCut = cutFrom(other, version, all).length > 0;
  const isKnown = shorter === undefined && isDoubled(batch, file, versions, isCut);
  const as = findFile(own, file)?.current;
  if (isKnown) return { ...LEFT_OUT, outcome: 'known', as };
  if (at !== undefined) {
    batch.step((db) => {
      const current = findFile(db, file)?.current;
      if (current !== undefined) saveScrub(db, current, at, theirs);
      if (current !== undefined && !isMasked(other, version.id)) saveCut(db, current);
      return { bytes: 0 };
    });
  }
  return { ...taken, outcome: 'taken', as };
}

/** What was masked or left out on its way in may be, or begin, what was here: it is no version of its own then. */
function isDoubled(batch: Batch, file: ArchivedFile, before: readonly Version[], isCut: boolean): boolean {
  const { doubled } = batch.step((db, pieces) => {
    const taken = findVersion(db, findFile(db, file)?.current ?? 0);
    if (taken === undefined || before.some(({ id }) => id === taken.id)) return { bytes: 0, doubled: true };
    if (!sourceOf(db, taken).scrubbed) return { bytes: 0, doubled: false };
    // The lines of both are read.
    pieces.flush();
    const longer = before.find((each) => (!isCut || each.size === taken.size) && startsWith(db, each, taken));
    if (longer === undefined) return { bytes: 0, doubled: false };
    setCurrent(db, longer.file, longer.id, -1);
    dropVersion(db, taken.id);
    return { bytes: 0, doubled: true };
  });
  return doubled;
}

function damageOf(file: ArchivedFile, fault: string, taken: boolean): Problem {
  return {
    kind: 'unreadable',
    what: `cannot import all of it: ${fault}`,
    where: `${file.root}/${file.name}`,
    next: taken ? 'What lies before the damage was taken.' : 'It was left out; all else was taken.',
  };
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
