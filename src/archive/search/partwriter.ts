/** Writes what can be found into the index. */
import { type Found, type Part, ROLES, WHERES } from '../../views/search/parts.ts';
import { toIndexed } from '../../views/search/words.ts';
import { type Database, get, insert, maybeNumber, numberOf, run } from '../sqlite.ts';
import { keyOf } from './keys.ts';

/** Gives 1 for a line with something to find. For one transaction. */
export function createPartWriter(db: Database): (piece: number, found: Found) => number {
  const labels = new Map<string, number>();

  function labelOf(text: string | undefined): number | null {
    if (text === undefined || text === '') return null;
    const known = labels.get(text);
    if (known !== undefined) return known;
    const row = get(db, 'SELECT id FROM label WHERE text = ?', text);
    const id = row ? numberOf(row, 'id') : insert(db, 'INSERT INTO label (text) VALUES (?)', text);
    labels.set(text, id);
    return id;
  }

  /** A result is about what its call was about. */
  function callOf({ call, tool, file }: Part): { tool: number | null; file: number | null } {
    if (call === undefined || call === '') return { tool: labelOf(tool), file: labelOf(file) };
    if (tool !== undefined) {
      const labelled = { tool: labelOf(tool), file: labelOf(file) };
      run(db, 'INSERT OR REPLACE INTO call (id, tool, file) VALUES (?, ?, ?)', call, labelled.tool, labelled.file);
      return labelled;
    }
    const row = get(db, 'SELECT tool, file FROM call WHERE id = ?', call);
    return { tool: maybeNumber(row, 'tool') ?? null, file: maybeNumber(row, 'file') ?? null };
  }

  return (piece, found) => {
    const key = keyOf(found.identity);
    for (const [place, part] of found.parts.entries()) {
      const { tool, file } = callOf(part);
      const sql = `INSERT INTO part (piece, place, key, said, role, copy, error, time, model, branch, tool, file)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
      const id = insert(
        db,
        sql,
        piece,
        place,
        key,
        WHERES.indexOf(part.where),
        ROLES.indexOf(found.role),
        Number(found.isCopy),
        Number(part.isError),
        found.time ?? null,
        labelOf(found.model),
        labelOf(found.gitBranch),
        tool,
        file,
      );
      run(db, 'INSERT INTO words (rowid, body) VALUES (?, ?)', id, toIndexed(part.text));
    }
    return 1;
  };
}
