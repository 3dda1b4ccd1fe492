/** Takes something out for good: its bytes leave the archive's file, and a tombstone keeps the next sync from taking it again. */

import { type ArchivedFile, dropFile } from '../files.ts';
import { emptyIndex } from '../index/derived.ts';
import { compact, sweep } from '../pieces/sweep.ts';
import { transaction } from '../sqlite.ts';
import { type Archive, guarded, noteChange } from '../store.ts';
import { cutPrompts } from './cutprompts.ts';
import { type ForgottenSpan, saveSpan, spansOfFiles } from './forgottenspans.ts';
import { addTombstone, placeStone, sessionStone } from './tombstones.ts';

export interface Forgotten {
  readonly files: number;
  /** Lines and blocks that nothing else needed. */
  readonly pieces: number;
  /** Bytes of them before compression. */
  readonly bytes: number;
  /** Lines of archived histories of prompts. */
  readonly prompts: number;
  /** Parts of the archive that cannot be read, and hold something of it beside what is still needed. */
  readonly unreadable: number;
  /** Why the archive's file was not made smaller. What was freed is overwritten all the same. */
  readonly uncompacted: string | undefined;
}

/**
 * `sessions`: the ids of those that are forgotten as a whole, with what is still to come of them. `lost`: when those of which only
 * prompts are left went on, where these do not name them.
 */
export function forget(
  archive: Archive,
  files: readonly ArchivedFile[],
  now: Date,
  sessions: readonly string[] = wholeSessions(files),
  lost: readonly ForgottenSpan[] = [],
): Forgotten {
  const { db, path } = archive;
  const whole = new Set(sessions);
  return guarded('cannot forget', path, () => {
    const spans = [...spansOfFiles(db, files), ...lost];
    // The index holds the words too; the next sync makes it anew.
    emptyIndex(archive);
    // Freed pages are overwritten at once; compacting the file then removes them.
    db.exec('PRAGMA secure_delete = ON');
    const swept = transaction(db, () => {
      for (const session of whole) {
        const stone = sessionStone(session);
        if (stone !== undefined) addTombstone(db, stone, now);
      }
      for (const file of files) {
        // Older agents name their session only in their lines: by its place it is known without reading.
        if (file.kind === 'agent' || !whole.has(file.session ?? '')) addTombstone(db, placeStone(file), now);
        dropFile(db, file.id);
      }
      for (const span of spans) saveSpan(db, span);
      const { prompts, unreadable } = cutPrompts(db, now);
      noteChange(db);
      const result = sweep(db);
      return { ...result, prompts, unreadable: result.unreadable + unreadable };
    });
    // A sync that ran meanwhile may have indexed it once more.
    emptyIndex(archive);
    return { files: files.length, ...swept, uncompacted: compacted(archive) };
  });
}

function wholeSessions(files: readonly ArchivedFile[]): string[] {
  return files.flatMap(({ kind, session }) => (kind === 'session' ? (session ?? []) : []));
}

/** It was forgotten before: a disk without room for another copy does not change that. */
function compacted({ db }: Archive): string | undefined {
  try {
    compact(db);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return error.message;
  }
}
