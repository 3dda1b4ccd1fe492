/** How far the words are made, and the address of the last piece then: by it an index is known to be that of another state of the archive. */
import { ArchiveError } from '../errors.ts';
import { createPieceReader } from '../pieces/packs.ts';
import { addressOf } from '../pieces/piece.ts';
import { type Database, run } from '../sqlite.ts';

/** `next`: the piece whose words come next. `end`: the one after the last that the archive had then. */
export function saveEnd(index: Database, archive: Database, next: number, end: number): void {
  const last = addressAt(archive, end - 1);
  run(index, "UPDATE meta SET value = ? WHERE key = 'next'", next);
  // The last walk is of what the index had before: a file that was put back since would be taken for what it has now.
  run(index, 'DELETE FROM walk');
  if (last === undefined) run(index, "DELETE FROM meta WHERE key IN ('last', 'lastAddress')");
  else run(index, "INSERT OR REPLACE INTO meta VALUES ('last', ?), ('lastAddress', ?)", end - 1, last);
}

/** undefined where it is not to be had: it was forgotten, or is damaged. */
function addressAt(archive: Database, id: number): Buffer | undefined {
  try {
    return addressOf(createPieceReader(archive).piece(id));
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    return undefined;
  }
}
