/** Takes files into the archive, several in a transaction, a large one in several. */
import { DiskError, type Problem, toProblem } from '../../disk/errors.ts';
import type { FileKey } from '../files.ts';
import { createPieceWriter, type PieceWriter } from '../pieces/packs.ts';
import { type Database, totalChanges } from '../sqlite.ts';
import { type Archive, archiveId, noteChange } from '../store.ts';
import { atOnce, holdYoung, inTurns, releaseYoung, type Work } from '../turns.ts';
import { type Alongside, createAlongside } from './alongside.ts';
import { type IngestOptions, ingestStep, type Outcome } from './ingest.ts';
import { type Input, openInput } from './input.ts';
import { createMender } from './mender.ts';
import type { SourceFile } from './sources.ts';
import type { SyncOptions, TakenFiles } from './sync.ts';

export function takeInTurns(
  archive: Archive,
  files: readonly SourceFile[],
  options: SyncOptions = {},
): Promise<TakenFiles> {
  return inTurns(takeAll(archive, files, options));
}

/** The same without turns. */
export function takeAtOnce(archive: Archive, files: readonly SourceFile[], options: SyncOptions = {}): TakenFiles {
  return atOnce(takeAll(archive, files, options));
}

function* takeAll(archive: Archive, files: readonly SourceFile[], options: SyncOptions): Work<TakenFiles> {
  const { db } = archive;
  const { full, signal } = options;
  const origin = archiveId(db);
  const outcomes: Record<Outcome, number> = { unchanged: 0, touched: 0, added: 0, appended: 0, rewritten: 0 };
  const problems: Problem[] = [];
  const alongside = options.derive ? createAlongside(archive) : undefined;
  const batch = createBatch(db, { alongside, checks: full });
  let bytes = 0;
  let unscrubbed = 0;
  let masked = 0;
  let mended = 0;
  try {
    for (const file of files) {
      if (signal?.aborted) break;
      const taken = yield* withInput(file, problems, (input) => {
        const key = { origin, root: file.root, name: file.name, kind: file.kind };
        const follow = alongside?.follow(file.kind, input);
        return ingestSteps(batch, key, input, { full, session: file.session, follow, signal });
      });
      if (taken?.problem) problems.push(taken.problem);
      if (taken !== undefined) outcomes[taken.outcome] += 1;
      bytes += taken?.bytes ?? 0;
      if (taken?.unscrubbed) unscrubbed += 1;
      if (taken?.masked) masked += 1;
      if (taken?.mended) mended += 1;
      options.onFile?.(file);
    }
    batch.commit();
    alongside?.finish();
  } finally {
    batch.abandon();
    alongside?.close();
  }
  return { outcomes, bytes, unscrubbed, masked, mended, problems, stopped: signal?.aborted === true };
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
  readonly unscrubbed: boolean;
  /** Lines of it that were scrubbed elsewhere are masked here too. */
  readonly masked: boolean;
  /** What was stored of it was damaged, and is whole now. */
  readonly mended: boolean;
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
  let unscrubbed = false;
  let masked = false;
  let mended = false;
  for (;;) {
    // The first step compares and decides; the following ones only append to what it began.
    const full = outcome === undefined && options.full;
    const step = batch.step((db, pieces) => ingestStep(db, pieces, key, input, { ...options, full }));
    outcome ??= step.outcome;
    bytes += step.bytes;
    unscrubbed ||= step.unscrubbed === true;
    masked ||= step.masked === true;
    mended ||= step.mended === true;
    yield;
    if (step.done || options.signal?.aborted)
      return { outcome, bytes, unscrubbed, masked, mended, problem: step.problem };
  }
}

export interface Batch {
  step<T extends { readonly bytes: number }>(call: (db: Database, pieces: PieceWriter) => T): T;
  commit(): void;
  /** Undoes what was not committed. */
  abandon(): void;
}

/**
 * Small files share a transaction, so that the disk is waited for once; a large one has several. New addresses lie all over their table,
 * of which every transaction writes most pages again; but another process waits for it, and what is killed does it again.
 */
const BATCH_BYTES = 32 << 20;
/** From so much on it is worth to look at the room for new objects. */
const MUCH_BYTES = 1 << 20;

export interface BatchOptions {
  readonly alongside?: Alongside;
  /** Looks again at what is stored already, and puts it right. */
  readonly checks?: boolean;
}

export function createBatch(db: Database, { alongside, checks = false }: BatchOptions = {}): Batch {
  let pieces: PieceWriter | undefined;
  let bytes = 0;
  let taken = 0;
  let changes = 0;

  function begin(): PieceWriter {
    if (pieces !== undefined) return pieces;
    db.exec('BEGIN IMMEDIATE');
    changes = totalChanges(db);
    pieces = createPieceWriter(db, checks ? createMender(db) : undefined);
    alongside?.begin(pieces.next());
    return pieces;
  }

  function commit(): void {
    if (pieces === undefined) return;
    pieces.flush();
    if (totalChanges(db) > changes) noteChange(db);
    db.exec('COMMIT');
    alongside?.commit(pieces.next(), bytes);
    pieces = undefined;
    bytes = 0;
  }

  return {
    step(call) {
      const result = call(db, begin());
      bytes += result.bytes;
      taken += result.bytes;
      if (bytes >= BATCH_BYTES) commit();
      if (taken >= MUCH_BYTES) holdYoung();
      return result;
    },
    commit,
    abandon() {
      releaseYoung();
      pieces = undefined;
      // A full disk makes SQLite roll back by itself.
      if (db.isTransaction) db.exec('ROLLBACK');
    },
  };
}
