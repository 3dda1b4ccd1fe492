/** What the calls of tools were about, which their results are about too. For one transaction. */
import { all, type Database, each, get, maybeNumber, numberOf, run } from '../sqlite.ts';
import type { Holder } from './holder.ts';

/** Ids of labels. */
export interface Labels {
  readonly tool: number | null;
  readonly file: number | null;
}

/** Where a call or a result stands, and by what its call is known there. */
export interface CallPlace {
  readonly call: string;
  readonly piece: number;
  readonly holder: Holder;
}

export interface Calls {
  add(place: CallPlace, labels: Labels): void;
  /** Of the last call before the result, else of one after it (E12). */
  labelsOf(place: CallPlace): Labels | undefined;
  /** What a result is about is put down when its call comes. */
  wait(call: string, part: number): void;
}

/** Results mostly follow their calls. */
const MOST_CALLS = 1000;

export function createCalls(db: Database): Calls {
  const last = new Map<string, { readonly holder: Holder; readonly labels: Labels }>();
  // Mostly there is none, and nothing has to be looked up.
  let someWait = get(db, 'SELECT 1 FROM early LIMIT 1') !== undefined;

  function settle({ call, holder }: CallPlace, { tool, file }: Labels): void {
    const sql = 'SELECT part.id, part.piece FROM early JOIN part ON part.id = early.part WHERE early.call = ?';
    for (const row of all(db, sql, call)) {
      if (!holder.holds(numberOf(row, 'piece'))) continue;
      const part = numberOf(row, 'id');
      run(db, 'UPDATE part SET tool = ?, file = ? WHERE id = ?', tool, file, part);
      run(db, 'DELETE FROM early WHERE call = ? AND part = ?', call, part);
    }
  }

  return {
    add(place, labels) {
      const { call, piece, holder } = place;
      const sql = 'INSERT OR REPLACE INTO call (id, piece, tool, file) VALUES (?, ?, ?, ?)';
      run(db, sql, call, piece, labels.tool, labels.file);
      if (someWait) settle(place, labels);
      if (last.size >= MOST_CALLS) last.clear();
      last.set(call, { holder, labels });
    },
    labelsOf(place) {
      const known = last.get(place.call);
      return known?.holder === place.holder ? known.labels : keptLabels(db, place);
    },
    wait(call, part) {
      someWait = true;
      run(db, 'INSERT OR IGNORE INTO early (call, part) VALUES (?, ?)', call, part);
    },
  };
}

const BEFORE = 'SELECT piece, tool, file FROM call WHERE id = ? AND piece <= ? ORDER BY piece DESC';
const AFTER = 'SELECT piece, tool, file FROM call WHERE id = ? AND piece > ? ORDER BY piece';

/** As the index has them. */
export function keptLabels(db: Database, { call, piece, holder }: CallPlace): Labels | undefined {
  for (const sql of [BEFORE, AFTER]) {
    for (const row of each(db, sql, call, piece)) {
      if (holder.holds(numberOf(row, 'piece')))
        return { tool: maybeNumber(row, 'tool') ?? null, file: maybeNumber(row, 'file') ?? null };
    }
  }
  return undefined;
}
