/** Writes what can be found into the index. */
import { type Found, type Part, ROLES, WHERES } from '../../views/search/parts.ts';
import { toIndexed } from '../../views/search/words.ts';
import { type Database, get, insert, maybeNumber, numberOf, run } from '../sqlite.ts';
import { createEarlyResults } from './earlyresults.ts';
import { keyOf } from './keys.ts';

export interface PartWriter {
  /** Gives 1 for a line with something to find. */
  add(piece: number, found: Found | undefined): number;
  /** Before the transaction ends. */
  flush(): void;
}

/**
 * Bytes of text that wait: written one after the other without other work between, they take two thirds of the time. Outside the
 * JavaScript heap, where V8 would make room for many times as much.
 */
const WAITING = 1 << 20;
/** UTF-8 needs no more for a character of a string. */
const WIDEST = 3;

/** A part without its text. */
interface Row {
  readonly piece: number;
  readonly place: number;
  readonly found: Omit<Found, 'parts'>;
  readonly part: Omit<Part, 'text'>;
  /** Where the text ends among those that wait. */
  readonly end: number;
}

interface Labels {
  readonly tool: number | null;
  readonly file: number | null;
}

/** Results mostly follow their calls. */
const MOST_CALLS = 1000;

/** For one transaction. */
export function createPartWriter(db: Database): PartWriter {
  const labels = new Map<string, number>();
  const calls = new Map<string, Labels>();
  const early = createEarlyResults(db);
  const texts = Buffer.allocUnsafeSlow(WAITING);
  let rows: Row[] = [];
  let used = 0;

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
  function callOf({ call, tool, file }: Row['part']): Labels {
    if (call === undefined || call === '') return { tool: labelOf(tool), file: labelOf(file) };
    if (tool !== undefined) {
      const labelled = { tool: labelOf(tool), file: labelOf(file) };
      run(db, 'INSERT OR REPLACE INTO call (id, tool, file) VALUES (?, ?, ?)', call, labelled.tool, labelled.file);
      early.settle(call, labelled.tool, labelled.file);
      if (calls.size >= MOST_CALLS) calls.clear();
      calls.set(call, labelled);
      return labelled;
    }
    const known = calls.get(call);
    if (known !== undefined) return known;
    const row = get(db, 'SELECT tool, file FROM call WHERE id = ?', call);
    return { tool: maybeNumber(row, 'tool') ?? null, file: maybeNumber(row, 'file') ?? null };
  }

  function write({ piece, place, found, part }: Omit<Row, 'end'>, text: string | Buffer): void {
    const { tool, file } = callOf(part);
    const sql = `INSERT INTO part (piece, place, key, said, role, copy, error, time, model, branch, tool, file)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
    const id = insert(
      db,
      sql,
      piece,
      place,
      keyOf(found.identity),
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
    run(db, 'INSERT INTO words (rowid, body) VALUES (?, ?)', id, text);
    if (part.call && part.tool === undefined && tool === null) early.wait(part.call, id);
  }

  function flush(): void {
    let start = 0;
    for (const row of rows) {
      write(row, texts.subarray(start, row.end));
      start = row.end;
    }
    rows = [];
    used = 0;
  }

  return {
    add(piece, found) {
      if (found === undefined) return 0;
      const { parts, ...rest } = found;
      for (const [place, { text, ...part }] of parts.entries()) {
        const indexed = toIndexed(text);
        const most = WIDEST * indexed.length;
        if (used + most > WAITING) flush();
        if (most > WAITING) {
          write({ piece, place, found: rest, part }, indexed);
          continue;
        }
        used += texts.write(indexed, used);
        rows.push({ piece, place, found: rest, part, end: used });
      }
      return 1;
    },
    flush,
  };
}
