/** Sends of one file what the target does not have yet, and takes back what it has no more. */
import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from '../../archive/sqlite.ts';
import type { ToolCallRow, UsageRow } from '../rows.ts';
import type { PushedTable } from '../schema/tables.ts';
import { type Batch, goneRow, hashOfRows } from './batch.ts';
import type { FileItem } from './filerows.ts';
import type { LineRows } from './linerows.ts';
import {
  dropGone,
  dropLine,
  dropOther,
  type FileRecord,
  type GoneRow,
  goneOfLine,
  type LineRecord,
  lineRecord,
  linesFrom,
  othersOf,
  type Pushed,
  pendingGone,
  saveGone,
  saveLine,
  saveOther,
  savePushed,
} from './records.ts';

export interface SendOptions {
  readonly batch: Batch;
  readonly db: Database;
  readonly record: FileRecord;
  /** Of the rows that take others back; the rows themselves have a larger one. */
  readonly goneVersion: number;
}

export interface FileOptions extends SendOptions {
  /** Send everything, whatever is known of earlier pushes. */
  readonly again: boolean;
  /** Its rows may have been sent with another class, and those could outlive the new ones: they are taken back, too. */
  readonly replaces: boolean;
  readonly onHeld: (why: string) => void;
}

export async function sendFile(items: Iterable<FileItem>, done: Pushed, options: FileOptions): Promise<void> {
  const { batch, db, record } = options;
  const file = record.id;
  begin(options);
  const before = { tool_calls: othersOf(db, file, 'tool_calls'), usage: othersOf(db, file, 'usage') };
  const filesBefore = othersOf(db, file, 'files');
  takeBack(pendingGone(db, file), options);
  let last = 0;
  let since = Date.now();
  for (const item of items) {
    if (item.kind === 'line') {
      sendLine(item.n, item.rows, options);
      last = item.n;
    } else if (item.kind === 'held') {
      options.onHeld(item.why);
      dropSent(item.n, options);
      last = item.n;
    } else if (item.kind === 'file') {
      for (const table of ['tool_calls', 'usage'] as const) dropOthers(table, before[table].values(), options);
      const key = JSON.stringify({ machine: item.row?.machine });
      if (item.row !== undefined) sendOther('files', key, item.row, filesBefore, options);
      // Also that of a machine which was called otherwise.
      const others = [...filesBefore.values()].filter((each) => item.row === undefined || each.key !== key);
      dropOthers('files', others, options);
    } else {
      const key = keyOf(item);
      sendOther(item.kind, key, item.row, before[item.kind], options);
      before[item.kind].delete(key);
    }
    if (batch.isFull) await batch.flush();
    if (Date.now() - since < 50) continue;
    // So that Ctrl-C is heard.
    await turn();
    since = Date.now();
  }
  await dropLinesFrom(last + 1, options);
  batch.note({ after: () => savePushed(db, file, done) });
}

/** Until all of it is sent, it is not as it was last pushed: whatever comes between, the next push looks at it again. */
function begin({ batch, db, record }: SendOptions): void {
  batch.note({ before: () => savePushed(db, record.id, undefined), after: () => {} });
}

/** Everything that was sent of it. */
export async function takeBackFile(options: SendOptions): Promise<void> {
  const { batch, db, record } = options;
  begin(options);
  takeBack(pendingGone(db, record.id), options);
  for (const table of ['files', 'tool_calls', 'usage'] as const) {
    dropOthers(table, othersOf(db, record.id, table).values(), options);
    if (batch.isFull) await batch.flush();
  }
  await dropLinesFrom(0, options);
}

function sendLine(n: number, { entry, messages }: LineRows, options: FileOptions): void {
  const { batch, db, record, again, replaces } = options;
  const file = record.id;
  const hash = hashOfRows([entry, ...messages]);
  const known = lineRecord(db, file, n);
  if (known?.hash === hash && !again) return;
  const [first] = messages;
  const line: LineRecord = {
    id: entry.id,
    identity: first?.identity ?? '',
    places: messages.length,
    time: entry.time,
    inner: first === undefined || first.time === entry.time ? '' : first.time,
    hash: undefined,
  };
  const kept = new Set(replaces ? [] : goneOfLine(file, n, line).map(nameOf));
  const gone = known === undefined ? [] : goneOfLine(file, n, known).filter((row) => !kept.has(nameOf(row)));
  batch.add('entries', entry);
  for (const row of messages) batch.add('messages', row);
  takeBack(gone, options);
  batch.note({
    before: () => {
      saveGone(db, gone);
      saveLine(db, file, n, line);
    },
    after: () => saveLine(db, file, n, { ...line, hash }),
  });
}

/** The same row, wherever it lies. */
function nameOf({ kind, key }: GoneRow): string {
  return `${kind} ${key}`;
}

function sendOther(
  kind: PushedTable,
  key: string,
  row: { readonly time: string },
  known: ReadonlyMap<string, { readonly hash: string | undefined; readonly time: string }>,
  options: FileOptions,
): void {
  const { batch, db, record, again, replaces } = options;
  const hash = hashOfRows([row]);
  const before = known.get(key);
  if (before?.hash === hash && !again && kind !== 'files') return;
  const other = { key, time: row.time, hash: undefined };
  const gone = replaces && before !== undefined ? [{ file: record.id, kind, key, time: before.time }] : [];
  batch.add(kind, row);
  takeBack(gone, options);
  batch.note({
    before: () => {
      saveGone(db, gone);
      saveOther(db, record.id, kind, other);
    },
    after: () => saveOther(db, record.id, kind, { ...other, hash }),
  });
}

function dropOthers(
  kind: PushedTable,
  others: Iterable<{ readonly key: string; readonly time: string }>,
  options: SendOptions,
): void {
  const { db, record, batch } = options;
  for (const { key, time } of others) {
    const gone = [{ file: record.id, kind, key, time }];
    takeBack(gone, options);
    batch.note({
      before: () => {
        saveGone(db, gone);
        dropOther(db, record.id, kind, key);
      },
      after: () => {},
    });
  }
}

function dropSent(n: number, options: SendOptions): void {
  const known = lineRecord(options.db, options.record.id, n);
  if (known !== undefined) dropKnown(n, known, options);
}

function dropKnown(n: number, known: LineRecord, options: SendOptions): void {
  const { db, record, batch } = options;
  const gone = goneOfLine(record.id, n, known);
  takeBack(gone, options);
  batch.note({
    before: () => {
      saveGone(db, gone);
      dropLine(db, record.id, n);
    },
    after: () => {},
  });
}

const SOME = 2000;

async function dropLinesFrom(from: number, options: SendOptions): Promise<void> {
  const { db, record, batch } = options;
  for (let next = from; ; ) {
    const some: (LineRecord & { n: number })[] = [];
    for (const line of linesFrom(db, record.id, next)) {
      some.push(line);
      if (some.length >= SOME) break;
    }
    for (const line of some) dropKnown(line.n, line, options);
    if (some.length < SOME) return;
    if (batch.isFull) await batch.flush();
    next = (some.at(-1)?.n ?? next) + 1;
  }
}

function takeBack(rows: readonly GoneRow[], { batch, db, record, goneVersion }: SendOptions): void {
  if (rows.length === 0) return;
  const { session, name } = record;
  for (const row of rows) batch.addGone(row.kind, goneRow(row, { session, name }, goneVersion));
  batch.note({ after: () => dropGone(db, rows) });
}

/** The columns of the table's key that tell rows of one file apart. */
function keyOf(item: { kind: 'tool_calls'; row: ToolCallRow } | { kind: 'usage'; row: UsageRow }): string {
  if (item.kind === 'tool_calls') return JSON.stringify({ id: item.row.id });
  const { message, request, copy, start } = item.row;
  return JSON.stringify({ message, request, copy, start });
}
