/**
 * Rows on their way: gathered up to a size, put down as on their way, sent table by table with the rows that complete a file last, then
 * put down as sent. A group that was cut short is simply sent again: its rows replace themselves.
 */
import { createHash } from 'node:crypto';
import { type Database, transaction } from '../../archive/sqlite.ts';
import type { JsonObject } from '../../format/json.ts';
import { TABLES } from '../schema/tables.ts';
import type { Sender } from './late.ts';
import type { GoneRow } from './records.ts';
import { type Patience, retried } from './retry.ts';

const MOST_ROWS = 10_000;
const MOST_BYTES = 8 << 20;

/** Files last: by its row a file is there for readers. */
const ORDER = ['entries', 'messages', 'tool_calls', 'usage', 'recalls', 'files'] as const;
export type SentTable = (typeof ORDER)[number];

/** What the state holds after the group was taken. */
export interface Note {
  /** Before it is sent. */
  readonly before?: (db: Database) => void;
  readonly after: (db: Database) => void;
}

export interface Batch {
  /** Rows that were sent, and that wait. */
  readonly rows: number;
  readonly pending: number;
  /** Of the rows that were sent. */
  readonly bytes: number;
  /** Rows sent so far, by table. */
  readonly sent: Readonly<Record<SentTable, number>>;
  add(table: SentTable, row: object): void;
  /** A row that takes another back goes first: in one insert with what replaces it, only the latter would stay, and maybe not for long. */
  addGone(table: SentTable, row: object): void;
  note(note: Note): void;
  /** Enough has gathered. */
  readonly isFull: boolean;
  flush(): Promise<void>;
}

const COLUMNS = new Map(
  TABLES.map(({ name, columns }) => [name, columns.filter(({ fill }) => fill === undefined).map(({ name: of }) => of)]),
);

/** Without a team it only counts. */
export function createBatch(team: Sender | undefined, db: Database, patience: Patience): Batch {
  const waiting = new Map<SentTable, string[]>();
  const gone = new Map<SentTable, string[]>();
  let notes: Note[] = [];
  let held = 0;
  let heldBytes = 0;
  let bytes = 0;
  const sent = { entries: 0, messages: 0, tool_calls: 0, usage: 0, recalls: 0, files: 0 };

  async function flush(): Promise<void> {
    if (held === 0 && notes.length === 0) return;
    patience.signal.throwIfAborted();
    const put = (step: 'before' | 'after') => {
      const all = () => {
        for (const note of notes) note[step]?.(db);
      };
      // Whoever only counts takes all of it back at the end.
      if (team === undefined) all();
      else transaction(db, all);
    };
    put('before');
    for (const rows of [gone, waiting]) {
      for (const table of ORDER) await send(table, rows.get(table) ?? []);
    }
    put('after');
    gone.clear();
    waiting.clear();
    notes = [];
    held = 0;
    bytes += heldBytes;
    heldBytes = 0;
  }

  async function send(table: SentTable, lines: readonly string[]): Promise<void> {
    for (const part of parts(lines)) {
      const token = tokenOf(table, part);
      if (team)
        await retried(
          () => team.insert(table, COLUMNS.get(table) ?? [], part, { token, signal: patience.signal }),
          patience,
        );
      sent[table] += part.length;
    }
  }

  function hold(rows: Map<SentTable, string[]>, table: SentTable, row: object): void {
    const line = rowText(row);
    const lines = rows.get(table) ?? [];
    lines.push(line);
    rows.set(table, lines);
    held += 1;
    heldBytes += line.length;
  }

  return {
    get rows() {
      return Object.values(sent).reduce((sum, count) => sum + count, 0);
    },
    get pending() {
      return held;
    },
    get bytes() {
      return bytes;
    },
    sent,
    add: (table, row) => hold(waiting, table, row),
    addGone: (table, row) => hold(gone, table, row),
    note: (note) => {
      notes.push(note);
    },
    get isFull() {
      return held >= MOST_ROWS || heldBytes >= MOST_BYTES;
    },
    flush,
  };
}

/** Half of a character is an escape here, which the server cannot read: it stands for what cannot be read there, too. */
function rowText(row: object): string {
  const text = JSON.stringify(row);
  return text.includes('\\ud')
    ? JSON.stringify(row, (_name, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value))
    : text;
}

/** A group of many small tables is one request each; a table that is more than that is several. */
function* parts(lines: readonly string[]): Generator<string[]> {
  let part: string[] = [];
  let size = 0;
  for (const line of lines) {
    part.push(line);
    size += line.length;
    if (part.length < MOST_ROWS && size < MOST_BYTES) continue;
    yield part;
    part = [];
    size = 0;
  }
  if (part.length > 0) yield part;
}

/** The same rows again are the same insert. */
function tokenOf(table: string, lines: readonly string[]): string {
  const hash = createHash('sha256').update(table);
  for (const line of lines) hash.update('\n').update(line);
  return hash.digest('hex').slice(0, 32);
}

export function hashOfRows(rows: readonly object[]): string {
  const hash = createHash('sha256');
  for (const { version: _, ...row } of rows as readonly { version?: number }[])
    hash.update(JSON.stringify(row)).update('\n');
  return hash.digest('base64url').slice(0, 16);
}

/** A row that takes another back: its key, and the time that says where it lies. Of no class, so that it outlives what it takes back. */
export function goneRow(
  { kind, key, time }: GoneRow,
  common: { readonly session: string; readonly name: string },
  version: number,
): JsonObject {
  const columns: JsonObject = JSON.parse(key);
  const nullable = kind === 'files' ? { mtime: time } : {};
  return { ...common, ...columns, ...nullable, retention: '', time, version, deleted: 1 };
}
