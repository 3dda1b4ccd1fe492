/** The archive as a place to read from. It is never made, never changed, and one that cannot be opened is only told. */
import type { MountedFile } from '../../disk/mounts.ts';
import type { Outline } from '../../graph/outline.ts';
import { type ArchivedState, allStates, versionsOf } from '../files.ts';
import { allSpans, type ForgottenSpan } from '../forget/forgottenspans.ts';
import { type Outlines, openOutlines } from '../index/outlines.ts';
import { type KeptUsage, openUsage } from '../index/usagekept.ts';
import { type Database, get } from '../sqlite.ts';
import { archiveId, guarded, openIfMade } from '../store.ts';
import { createMounter, type Mounter } from './mountfiles.ts';
import type { KeptFile } from './mountplaces.ts';
import { type OtherState, otherStates } from './otherstates.ts';

export interface ReadableArchive {
  readonly id: string;
  states(): ArchivedState[];
  readonly mount: Mounter;
  /** Every state of a file that differs from the one given, as files. */
  earlier(file: KeptFile): MountedFile[];
  /** Of files whose present state is not what is read at their path, that one too. */
  otherStates(isRead: (file: number) => boolean): ReadonlyMap<number, readonly OtherState[]>;
  outlineOf(state: ArchivedState): Outline | undefined;
  /** When something was last said, without the rest of the outline. */
  updatedOf(state: ArchivedState): string | undefined;
  isForgotten(sessionId: string): boolean;
  /** When forgotten sessions were going on. */
  forgottenSpans(): ForgottenSpan[];
  usage(): KeptUsage | undefined;
}

/** undefined when there is none. Throws ArchiveError. */
export function openForReading(folder: string): ReadableArchive | undefined {
  const archive = openIfMade(folder);
  if (archive === undefined) return undefined;
  const { db, path } = archive;
  const call = <T>(read: () => T): T => guarded('cannot read the archive', path, read);
  const mount = createMounter(archive);
  let outlines: Outlines | undefined;
  // The index may be made later than the archive was opened.
  const cache = () => {
    outlines ??= openOutlines(archive);
    return outlines;
  };
  return {
    id: call(() => archiveId(db)),
    states: () => call(() => allStates(db)),
    mount,
    earlier: (file) =>
      call(() => versionsOf(db, file.state.id))
        .filter(({ id }) => id !== file.state.version)
        .map(({ id, size }) => mount({ path: file.path, state: { ...file.state, version: id, size } })),
    otherStates: (isRead) => call(() => otherStates(db, isRead)),
    outlineOf: (state) => cache()?.find(state.digest),
    updatedOf: (state) => cache()?.updatedOf(state.digest),
    usage: () => openUsage(archive),
    forgottenSpans: () => call(() => allSpans(db)),
    isForgotten: (sessionId) => call(() => isForgotten(db, `session:${sessionId}`)),
  };
}

function isForgotten(db: Database, what: string): boolean {
  return get(db, 'SELECT 1 FROM tombstone WHERE what = ?', what) !== undefined;
}
