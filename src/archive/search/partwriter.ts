/** Writes what can be found into the index. */
import type { SQLInputValue } from 'node:sqlite';
import { callKeyOf, type Found, type Part, ROLES, WHERES } from '../../views/search/parts.ts';
import { toIndexed } from '../../views/search/words.ts';
import { type Database, get, insert, maybeNumber, numberOf, run } from '../sqlite.ts';
import { createCalls, type Labels } from './calls.ts';
import type { Holder } from './holder.ts';
import { keyOf } from './keys.ts';
import { createQueuedParts } from './queuedparts.ts';

export interface PartWriter {
  /** A line of a transcript, and the byte it begins at. Gives 1 for one with something to find. */
  add(piece: number, found: Found | undefined, holder: Holder, start: number): number;
  /** Appended to a transcript, and in the index already as a line of another: it may show what waits in the queue of this one. */
  addKnown(file: number, found: () => Found | undefined): void;
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

/** A part without its text, which is not to be held by what waits. */
interface Row extends Pick<Found, 'identity' | 'role' | 'isCopy' | 'time' | 'model' | 'gitBranch'>, Omit<Part, 'text'> {
  readonly piece: number;
  readonly place: number;
  readonly holder: Holder;
  readonly start: number;
}

/** Field by field: copying all but one costs several times as much. */
function rowOf(piece: number, place: number, found: Found, part: Part, holder: Holder, start: number): Row {
  const { identity, role, isCopy, time, model, gitBranch } = found;
  const { where, tool, file, isError } = part;
  const call = callKeyOf(found, part);
  return {
    piece,
    place,
    identity,
    role,
    isCopy,
    time,
    model,
    gitBranch,
    where,
    tool,
    call,
    file,
    isError,
    holder,
    start,
  };
}

const COLUMNS = 'id piece place key said role copy error time model branch tool file start'.split(' ');
/**
 * Of one statement: one for each row takes as long again. OR FAIL, since before a statement that is undone where one of its rows fails
 * the words that were gathered would be written out; whoever writes here drops the whole transaction anyway.
 */
const ROWS = 16;
const INSERT_ONE = `INSERT OR FAIL INTO part (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`;
const INSERT_MANY = `${INSERT_ONE}${`, (${COLUMNS.map(() => '?').join(', ')})`.repeat(ROWS - 1)}`;

/** For one transaction. */
export function createPartWriter(db: Database): PartWriter {
  const labels = new Map<string, number>();
  const calls = createCalls(db);
  const queued = createQueuedParts(db);
  const texts = Buffer.allocUnsafeSlow(WAITING);
  let rows: Row[] = [];
  /** By row: where its text ends among those that wait. */
  let ends: number[] = [];
  let used = 0;
  /** Of the columns of rows that are written together. */
  let values: SQLInputValue[] = [];
  /** Asked for when the first is written: the transaction may not have begun yet. */
  let lastId: number | undefined;

  function labelOf(text: string | undefined): number | null {
    if (text === undefined || text === '') return null;
    const known = labels.get(text);
    if (known !== undefined) return known;
    const row = get(db, 'SELECT id FROM label WHERE text = ?', text);
    const id = row ? numberOf(row, 'id') : insert(db, 'INSERT INTO label (text) VALUES (?)', text);
    labels.set(text, id);
    return id;
  }

  /** A result is about what its call was about; undefined while that was not seen. */
  function callOf({ call, tool, file, piece, holder }: Row): Labels | undefined {
    if (call !== undefined && tool === undefined) return calls.labelsOf({ call, piece, holder });
    const own = { tool: labelOf(tool), file: labelOf(file) };
    if (call !== undefined) calls.add({ call, piece, holder }, own);
    return own;
  }

  function write(row: Row, text: string | Buffer): number {
    const about = callOf(row);
    const id = (lastId ?? maybeNumber(get(db, 'SELECT max(id) AS last FROM part'), 'last') ?? 0) + 1;
    lastId = id;
    values.push(id, row.piece, row.place, keyOf(row.identity), WHERES.indexOf(row.where), ROLES.indexOf(row.role));
    values.push(row.isCopy ? 1 : 0, row.isError ? 1 : 0, row.time ?? null);
    values.push(labelOf(row.model), labelOf(row.gitBranch), about?.tool ?? null, about?.file ?? null, row.start);
    if (values.length === ROWS * COLUMNS.length) writeRows();
    run(db, 'INSERT INTO words (rowid, body) VALUES (?, ?)', id, text);
    if (row.call === undefined || about !== undefined) return id;
    // Its call looks for it in the table.
    writeRows();
    calls.wait(row.call, id);
    return id;
  }

  function writeRows(): void {
    if (values.length === ROWS * COLUMNS.length) run(db, INSERT_MANY, ...values);
    else {
      for (let at = 0; at < values.length; at += COLUMNS.length)
        run(db, INSERT_ONE, ...values.slice(at, at + COLUMNS.length));
    }
    values = [];
  }

  function flush(): void {
    let start = 0;
    for (const [place, row] of rows.entries()) {
      const end = ends[place] ?? start;
      write(row, texts.subarray(start, end));
      start = end;
    }
    writeRows();
    rows = [];
    ends = [];
    used = 0;
  }

  function addPart(row: Row, text: string): void {
    const indexed = toIndexed(text);
    const most = WIDEST * indexed.length;
    if (used + most > WAITING) flush();
    if (most > WAITING) {
      write(row, indexed);
      return;
    }
    used += texts.write(indexed, used);
    rows.push(row);
    ends.push(used);
  }

  return {
    add(piece, found, holder, start) {
      if (found === undefined) return 0;
      const { queue, parts } = found;
      const [typed] = parts;
      if (queue !== undefined)
        queued.add(holder.file, queue, () =>
          typed ? write(rowOf(piece, 0, found, typed, holder, start), toIndexed(typed.text)) : 0,
        );
      if (queue?.does === 'enqueue') return 1;
      let place = 0;
      for (const part of parts) {
        addPart(rowOf(piece, place, found, part, holder, start), part.text);
        place += 1;
      }
      return place > 0 ? 1 : 0;
    },
    addKnown(file, found) {
      const step = queued.isWaiting(file) ? found()?.queue : undefined;
      // What it enqueues is found in the other one.
      if (step !== undefined && step.does !== 'enqueue') queued.add(file, step, () => 0);
    },
    flush() {
      queued.flush();
      flush();
    },
  };
}
