/** Takes something out for good: its bytes leave the archive's file, and a tombstone keeps the next sync from taking it again. */

import { emptyIndex } from './derived.ts';
import { type ArchivedFile, dropFile } from './files.ts';
import { saveSpan, spansOfFiles } from './forgottenspans.ts';
import { transaction } from './sqlite.ts';
import { type Archive, guarded, noteChange } from './store.ts';
import { compact, sweep } from './sweep.ts';
import { addTombstone, tombstoneOf } from './tombstones.ts';

export interface Forgotten {
  readonly files: number;
  /** Lines and blocks that nothing else needed. */
  readonly pieces: number;
  /** Bytes of them before compression. */
  readonly bytes: number;
}

export function forget(archive: Archive, files: readonly ArchivedFile[], now: Date): Forgotten {
  const { db, path } = archive;
  return guarded('cannot forget', path, () => {
    const spans = spansOfFiles(db, files);
    // The index holds the words too; the next sync makes it anew.
    emptyIndex(archive);
    // Freed pages are overwritten at once; compacting the file then removes them.
    db.exec('PRAGMA secure_delete = ON');
    const swept = transaction(db, () => {
      for (const file of files) {
        addTombstone(db, tombstoneOf(file), now);
        // Older agents name their session only in their lines: by its own name it is known without reading.
        if (file.kind === 'agent') addTombstone(db, `file:${file.name}`, now);
        dropFile(db, file.id);
      }
      for (const span of spans) saveSpan(db, span);
      noteChange(db);
      return sweep(db);
    });
    // A sync that ran meanwhile may have indexed it once more.
    emptyIndex(archive);
    compact(db);
    return { files: files.length, ...swept };
  });
}
