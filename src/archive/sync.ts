/** Brings the archive up to date: reads what is new and nothing else. */
import { DiskError, type Problem, toProblem } from '../disk/errors.ts';
import { toArchiveError } from './errors.ts';
import type { FileKey } from './files.ts';
import { type IngestOptions, ingestStep, type Outcome } from './ingest.ts';
import { type Input, openInput } from './input.ts';
import { knownSources } from './known.ts';
import { createPieceWriter, type PieceWriter } from './packs.ts';
import type { SourceFile } from './sources.ts';
import type { Database } from './sqlite.ts';
import { type Archive, archiveId, guarded } from './store.ts';
import { forgottenNames } from './tombstones.ts';
import { atOnce, collectGarbage, inTurns, type Work } from './turns.ts';

export interface SyncOptions {
  /** Compare every byte with what was archived, whatever size and mtime say. */
  readonly full?: boolean;
  readonly signal?: AbortSignal;
  readonly onFile?: (file: SourceFile) => void;
}

export interface SyncReport {
  readonly files: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Not taken, because a person had them forgotten. */
  readonly forgotten: number;
  /** New bytes taken. */
  readonly bytes: number;
  readonly problems: readonly Problem[];
  /** Ended before all files were looked at. */
  readonly stopped: boolean;
}

export function sync(archive: Archive, files: readonly SourceFile[], options: SyncOptions = {}): SyncReport {
  return guarded('cannot archive', archive.path, () => atOnce(syncAll(archive, files, options)));
}

/** The same, stopped by the signal between two steps. */
export async function syncInTurns(
  archive: Archive,
  files: readonly SourceFile[],
  options: SyncOptions = {},
): Promise<SyncReport> {
  try {
    return await inTurns(syncAll(archive, files, options));
  } catch (error) {
    throw toArchiveError(error, 'cannot archive', archive.path);
  }
}

function* syncAll({ db }: Archive, files: readonly SourceFile[], options: SyncOptions): Work<SyncReport> {
  const origin = archiveId(db);
  const known = knownSources(db);
  const isForgotten = forgottenNames(db);
  const outcomes: Record<Outcome, number> = { unchanged: 0, touched: 0, added: 0, appended: 0, rewritten: 0 };
  const problems: Problem[] = [];
  const batch = createBatch(db);
  let forgotten = 0;
  let bytes = 0;
  try {
    for (const file of files) {
      if (options.signal?.aborted) break;
      if (!options.full && known.isUpToDate(file)) outcomes.unchanged += 1;
      else if (isForgotten(file)) forgotten += 1;
      else {
        const taken = yield* withInput(file, problems, (input) => {
          const key = { origin, root: file.root, name: file.name, kind: file.kind };
          return ingestSteps(batch, key, input, { full: options.full, session: file.session, signal: options.signal });
        });
        if (taken?.problem) problems.push(taken.problem);
        if (taken !== undefined) outcomes[taken.outcome] += 1;
        bytes += taken?.bytes ?? 0;
      }
      options.onFile?.(file);
    }
    batch.commit();
  } finally {
    batch.abandon();
  }
  const stopped = options.signal?.aborted === true;
  return { files: files.length, outcomes, forgotten, bytes, problems, stopped };
}

/** A source that cannot be read is told and passed over: what was taken of it is kept, the next sync goes on from there. */
function* withInput<T>(file: SourceFile, problems: Problem[], call: (input: Input) => Work<T>): Work<T | undefined> {
  let input: Input | undefined;
  try {
    input = openInput(file.path);
    return yield* call(input);
  } catch (error) {
    if (!(error instanceof DiskError)) throw error;
    problems.push(toProblem(error, file.path));
    return undefined;
  } finally {
    input?.close();
  }
}

export interface Taken {
  readonly outcome: Outcome;
  readonly bytes: number;
  readonly problem?: Problem;
}

/** One file, in as many steps as it takes; stopped between two, it goes on from there another time. */
export function* ingestSteps(
  batch: Batch,
  key: FileKey,
  input: Input,
  options: IngestOptions & { readonly signal?: AbortSignal } = {},
): Work<Taken> {
  let outcome: Outcome | undefined;
  let bytes = 0;
  for (;;) {
    // The first step compares and decides; the following ones only append to what it began.
    const full = outcome === undefined && options.full;
    const step = batch.step((db, pieces) => ingestStep(db, pieces, key, input, { ...options, full }));
    outcome ??= step.outcome;
    bytes += step.bytes;
    yield;
    if (step.done || options.signal?.aborted) return { outcome, bytes, problem: step.problem };
  }
}

export interface Batch {
  step<T extends { readonly bytes: number }>(call: (db: Database, pieces: PieceWriter) => T): T;
  commit(): void;
  /** Undoes what was not committed. */
  abandon(): void;
}

/** Small files share a transaction, so that the disk is waited for once; a large one has several. */
const BATCH_BYTES = 16 << 20;

export function createBatch(db: Database): Batch {
  let pieces: PieceWriter | undefined;
  let bytes = 0;

  function begin(): PieceWriter {
    if (pieces !== undefined) return pieces;
    db.exec('BEGIN IMMEDIATE');
    pieces = createPieceWriter(db);
    return pieces;
  }

  function commit(): void {
    if (pieces === undefined) return;
    pieces.flush();
    db.exec('COMMIT');
    pieces = undefined;
    bytes = 0;
  }

  return {
    step(call) {
      const result = call(db, begin());
      bytes += result.bytes;
      if (bytes >= BATCH_BYTES) {
        commit();
        collectGarbage();
      }
      return result;
    },
    commit,
    abandon() {
      pieces = undefined;
      // A full disk makes SQLite roll back by itself.
      if (db.isTransaction) db.exec('ROLLBACK');
    },
  };
}
