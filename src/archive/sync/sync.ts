/** Brings the archive up to date: reads what is new and nothing else. Where nothing is, the code that reads is not loaded either. */
import type { Problem } from '../../disk/errors.ts';
import { toArchiveError } from '../errors.ts';
import { type Archive, guarded } from '../store.ts';
import { type Changes, changesIn } from './changes.ts';
import type { Outcome } from './ingest.ts';
import type { SourceFile } from './sources.ts';

export interface SyncOptions {
  /** Compare every byte with what was archived, whatever size and mtime say. */
  readonly full?: boolean;
  /** Make words and outlines of what is taken, as far as it goes on the way; for who brings the index up to date afterwards. */
  readonly derive?: boolean;
  readonly signal?: AbortSignal;
  /** The files that will be looked at, before the first is. */
  readonly onChanges?: (files: readonly SourceFile[]) => void;
  readonly onFile?: (file: SourceFile) => void;
}

export interface SyncReport {
  readonly files: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Not taken, because a person had them forgotten. */
  readonly forgotten: number;
  /** New bytes taken. */
  readonly bytes: number;
  /** Files that were scrubbed and changed since: what is new of them is not scrubbed. */
  readonly unscrubbed: number;
  /** Files with lines that were scrubbed elsewhere: they are masked in these too. */
  readonly masked: number;
  /** Files whose archived copy was damaged and is whole now; only a full sync looks. */
  readonly mended: number;
  readonly problems: readonly Problem[];
  /** Ended before all files were looked at. */
  readonly stopped: boolean;
}

/** Stopped by the signal between two steps. */
export async function syncInTurns(
  archive: Archive,
  sources: readonly SourceFile[],
  options: SyncOptions = {},
): Promise<SyncReport> {
  const changes = guarded('cannot archive', archive.path, () => changesIn(archive.db, sources, options.full === true));
  if (changes.files.length === 0) return reportOf(sources, changes);
  options.onChanges?.(changes.files);
  const { takeInTurns } = await import('./take.ts');
  try {
    return reportOf(sources, changes, await takeInTurns(archive, changes.files, options));
  } catch (error) {
    throw toArchiveError(error, 'cannot archive', archive.path);
  }
}

/** What became of the files that were looked at. */
export interface TakenFiles {
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly bytes: number;
  readonly unscrubbed: number;
  readonly masked: number;
  readonly mended: number;
  readonly problems: readonly Problem[];
  readonly stopped: boolean;
}

const NOTHING: TakenFiles = {
  outcomes: { unchanged: 0, touched: 0, added: 0, appended: 0, rewritten: 0 },
  bytes: 0,
  unscrubbed: 0,
  masked: 0,
  mended: 0,
  problems: [],
  stopped: false,
};

export function reportOf(sources: readonly SourceFile[], changes: Changes, taken = NOTHING): SyncReport {
  const outcomes = { ...taken.outcomes, unchanged: changes.unchanged + taken.outcomes.unchanged };
  return { ...taken, files: sources.length, outcomes, forgotten: changes.forgotten };
}
