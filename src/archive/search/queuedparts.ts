/**
 * Prompts that stand only in the queue (E9). Whether one does is known when the rest of its transcript was seen, which may be syncs
 * later: what stands now is a part like others, and is taken out again when something shows it. For one transaction.
 */
import { asString, parseJson } from '../../format/json.ts';
import { createQueue, type Queue, type Queued } from '../../format/queue.ts';
import type { Found } from '../../views/search/parts.ts';
import { toIndexed } from '../../views/search/words.ts';
import { all, type Database, get, numberOf, run, textOf } from '../sqlite.ts';

/** A part that is in the index, or the function that puts it there and gives its number. */
type Enqueued = number | (() => number);

export interface QueuedParts {
  /** The next line of a transcript. `write`: puts what it enqueues into the index. */
  add(file: number, step: NonNullable<Found['queue']>, write: () => number): void;
  /** Whether prompts of a transcript wait, as far as its lines were added. */
  isWaiting(file: number): boolean;
  /** Before the transaction ends. */
  flush(): void;
}

interface Followed {
  readonly queue: Queue<Enqueued>;
  readonly known: readonly Queued<Enqueued>[];
}

export function createQueuedParts(db: Database): QueuedParts {
  const files = new Map<number, Followed>();
  /** Mostly there are none, and nothing has to be looked up. Asked for when the transaction has begun. */
  let someKnown: boolean | undefined;

  function follow(file: number): Followed {
    someKnown ??= get(db, 'SELECT 1 FROM queued LIMIT 1') !== undefined;
    const known = someKnown ? knownOf(db, file) : [];
    const followed = { queue: createQueue(known), known };
    files.set(file, followed);
    return followed;
  }

  return {
    add(file, step, write) {
      const { queue } = files.get(file) ?? follow(file);
      queue.add(step, write);
    },
    isWaiting: (file) => !(files.get(file) ?? follow(file)).queue.isEmpty(),
    flush() {
      for (const [file, { queue, known }] of files) save(db, file, known, queue.result());
      files.clear();
    },
  };
}

function knownOf(db: Database, file: number): Queued<Enqueued>[] {
  const rows = all(db, 'SELECT part, taken, text FROM queued WHERE file = ? ORDER BY part', file);
  return rows.map((row) => {
    const part = numberOf(row, 'part');
    return {
      text: asString(parseJson(textOf(row, 'text'))) ?? '',
      from: part,
      takenBy: numberOf(row, 'taken') === 1 ? part : undefined,
    };
  });
}

function save(
  db: Database,
  file: number,
  known: readonly Queued<Enqueued>[],
  standing: readonly Queued<Enqueued>[],
): void {
  const left = new Set(standing.map(({ from }) => from));
  for (const { from, text } of known) if (typeof from === 'number' && !left.has(from)) takeOut(db, from, text);
  for (const each of standing) {
    if (known.includes(each)) continue;
    const { from, takenBy, text } = each;
    const taken = takenBy === undefined ? 0 : 1;
    const part = typeof from === 'number' ? from : from();
    // As JSON: SQLite would end a text at its first NUL, and UTF-8 has no half of a character.
    const json = JSON.stringify(text);
    run(db, 'INSERT OR REPLACE INTO queued (part, file, taken, text) VALUES (?, ?, ?, ?)', part, file, taken, json);
  }
}

/** The words are without content: they are told which to take out. */
function takeOut(db: Database, part: number, text: string): void {
  run(db, "INSERT INTO words (words, rowid, body) VALUES ('delete', ?, ?)", part, toIndexed(text));
  run(db, 'DELETE FROM part WHERE id = ?', part);
  run(db, 'DELETE FROM queued WHERE part = ?', part);
}
