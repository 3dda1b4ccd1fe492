/** What a version is made of: runs of pieces with consecutive ids. A file archived in one go is one run, and so is its copy. */
import { all, type Database, each, get, insert, maybeText, numberOf, run } from '../sqlite.ts';

export interface Run {
  readonly seq: number;
  readonly first: number;
  readonly count: number;
  /** The id of the value that was cut out; 0 for none. */
  readonly param: number;
}

export interface RunWriter {
  add(id: number, param: string | undefined): void;
  save(): void;
}

/** Goes on after the last run the version has; `anew`: instead of all it has. */
export function createRunWriter(db: Database, version: number, { anew = false } = {}): RunWriter {
  const params = new Map<string, number>();
  const done: Run[] = [];
  let last = anew ? undefined : lastRun(db, version);

  function paramId(value: string): number {
    const known = params.get(value) ?? findParam(db, value);
    params.set(value, known);
    return known;
  }

  return {
    add(id, value) {
      const param = value === undefined ? 0 : paramId(value);
      // A piece from which nothing was cut fits any run.
      const fits = last !== undefined && (param === 0 || last.param === 0 || last.param === param);
      if (last !== undefined && fits && id === last.first + last.count) {
        last = { ...last, count: last.count + 1, param: param || last.param };
        return;
      }
      if (last !== undefined) done.push(last);
      last = { seq: (last?.seq ?? 0) + 1, first: id, count: 1, param };
    },
    save() {
      if (last !== undefined) done.push(last);
      if (anew) run(db, 'DELETE FROM run WHERE version = ?', version);
      const sql = 'INSERT OR REPLACE INTO run (version, seq, first, count, param) VALUES (?, ?, ?, ?, ?)';
      for (const { seq, first, count, param } of done.splice(0)) run(db, sql, version, seq, first, count, param);
    },
  };
}

function lastRun(db: Database, version: number): Run | undefined {
  const row = get(db, 'SELECT seq, first, count, param FROM run WHERE version = ? ORDER BY seq DESC LIMIT 1', version);
  return row && toRun(row);
}

function toRun(row: Parameters<typeof numberOf>[0]): Run {
  return {
    seq: numberOf(row, 'seq'),
    first: numberOf(row, 'first'),
    count: numberOf(row, 'count'),
    param: numberOf(row, 'param'),
  };
}

function findParam(db: Database, value: string): number {
  const row = get(db, 'SELECT id FROM param WHERE value = ?', value);
  return row ? numberOf(row, 'id') : insert(db, 'INSERT INTO param (value) VALUES (?)', value);
}

export function runsOf(db: Database, version: number): Run[] {
  return all(db, 'SELECT seq, first, count, param FROM run WHERE version = ? ORDER BY seq', version).map(toRun);
}

export function paramValue(db: Database, id: number): string | undefined {
  return id === 0 ? undefined : maybeText(get(db, 'SELECT value FROM param WHERE id = ?', id), 'value');
}

export interface Range {
  readonly first: number;
  /** The id after the last. */
  readonly end: number;
}

/** The pieces that some version needs, as ranges in order, none touching the next. */
export function neededRanges(db: Database): Range[] {
  const ranges: Range[] = [];
  for (const row of each(db, 'SELECT first, count FROM run ORDER BY first')) {
    const first = numberOf(row, 'first');
    const end = first + numberOf(row, 'count');
    const last = ranges.at(-1);
    if (last === undefined || first > last.end) ranges.push({ first, end });
    else if (end > last.end) ranges[ranges.length - 1] = { first: last.first, end };
  }
  return ranges;
}
