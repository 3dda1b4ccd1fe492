/**
 * Whose lines without an id and a request are: only those around them tell (E4, E12). Of the others only what hangs together with such
 * a line is looked at, by the same merging as everywhere: one such line in a large file costs no more than a second look for the others.
 */
import { type Entry, jsonOf, toEntry } from '../format/entry.ts';
import type { Head } from '../format/head.ts';
import { createIds, type Ids } from '../format/ids.ts';
import { createNumbers } from '../format/numbers.ts';
import { copiedMessages, idsOfMessage, type MessageIds, mergeMessages, repeatsMessage } from '../graph/messages.ts';
import type { Message } from '../graph/types.ts';
import { type LineUsage, usageInLine } from '../graph/usage/line.ts';
import { linesHolding } from './needle.ts';
import { readEntriesOf } from './read.ts';
import { fileSource } from './source.ts';

const NEEDLE = Buffer.from('"assistant"');

export function idsAround(file: string): (line: LineUsage) => MessageIds | undefined {
  const told = linesOf(file);
  const own = idsIn(mergeMessages(entriesOf(file, told.own, true)), file);
  const copies = idsIn(copiedMessages(entriesOf(file, told.copies, false)), file);
  return ({ origin }) => (origin.isCopy ? copies : own).get(origin.start);
}

function idsIn(messages: readonly Message[], file: string): ReadonlyMap<number, MessageIds> {
  const ids = new Map<number, MessageIds>();
  const unnamed = createNames(file);
  for (const message of messages) {
    const wanted = message.entries.filter(({ head }) => hasNoIds(message.copyIn ? head.progress?.copy : head));
    if (wanted.length === 0) continue;
    const found = idsOfMessage(message, () => unnamed(message));
    for (const { line } of wanted) ids.set(line.start, found);
  }
  return ids;
}

type Told = Pick<Head, 'uuid' | 'requestId' | 'message'>;

function hasNoIds(told: Pick<Told, 'requestId' | 'message'> | undefined): boolean {
  return told?.requestId === undefined && told?.message?.id === undefined;
}

/** The file's own assistant lines, and the copies of some. */
function linesOf(file: string) {
  const source = fileSource(file);
  const own = createTable();
  const copies = createTable();
  for (const { line, bytes } of linesHolding(file, NEEDLE)) {
    const entry = toEntry(source, line, bytes);
    const { kind, head } = entry;
    if (kind === 'assistant') own.add(line, head);
    else if (kind === 'progress' && repeatsMessage(entry)) copies.add(line, head.progress?.copy ?? {});
  }
  return { own, copies };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Table {
  add(line: Span, told: Told): void;
  /** What hangs together with lines that tell neither id nor request; those, and what is written under their uuid, belong to the line before. */
  around(): Generator<Span & { readonly isLoose: boolean; readonly before: Span | undefined }>;
}

function createTable(): Table {
  const starts = createNumbers(0, 'float');
  const ends = createNumbers(0, 'float');
  const names = { uuid: createColumn(), id: createColumn(), requestId: createColumn() };
  const bare = new Set<number>();
  const spanAt = (row: number): Span => ({ start: starts.get(row), end: ends.get(row) });

  function isLoose(row: number): boolean {
    if (row >= starts.length) return false;
    const uuid = names.uuid.at(row);
    return names.id.at(row) < 0 && names.requestId.at(row) < 0 ? true : uuid >= 0 && bare.has(uuid);
  }

  function chosen(): Uint8Array {
    const rows = new Uint8Array(starts.length);
    const open: number[] = [];
    const choose = (row: number) => {
      if (rows[row] === 1) return;
      rows[row] = 1;
      open.push(row);
    };
    for (let row = 0; row < rows.length; row += 1) if (isLoose(row) || isLoose(row + 1)) choose(row);
    const columns = Object.values(names).map(({ alike }) => alike(rows.length));
    for (let row = open.pop(); row !== undefined; row = open.pop())
      for (const eachAlike of columns) eachAlike(row, choose);
    return rows;
  }

  return {
    add({ start, end }, { uuid, requestId, message }) {
      const row = starts.length;
      starts.push(start);
      ends.push(end);
      names.uuid.set(row, uuid);
      names.id.set(row, message?.id);
      names.requestId.set(row, requestId);
      if (hasNoIds({ requestId, message }) && uuid !== undefined) bare.add(names.uuid.at(row));
    },
    *around() {
      const rows = chosen();
      for (let row = rows.indexOf(1); row >= 0; row = rows.indexOf(1, row + 1))
        yield { ...spanAt(row), isLoose: isLoose(row), before: row === 0 ? undefined : spanAt(row - 1) };
    },
  };
}

/** Names by row, each by its number; -1 for none. */
function createColumn() {
  const ids: Ids = createIds();
  const rows = createNumbers(-1);
  return {
    at: rows.get,
    /** Of so many rows: tells those that have the name of one, the first time it is asked of the name. */
    alike(count: number) {
      const last = new Int32Array(ids.size).fill(-1);
      const before = new Int32Array(count);
      for (let row = 0; row < count; row += 1) {
        const name = rows.get(row);
        if (name < 0) continue;
        before[row] = last[name] ?? -1;
        last[name] = row;
      }
      return (row: number, visit: (alike: number) => void): void => {
        const name = rows.get(row);
        if (name < 0) return;
        for (let each = last[name] ?? -1; each >= 0; each = before[each] ?? -1) visit(each);
        last[name] = -1;
      };
    },
    set(row: number, name: string | undefined): void {
      if (name !== undefined) rows.set(row, ids.add(name));
    },
  };
}

/** `withUsers`: what was said between two lines keeps them apart. */
function entriesOf(file: string, table: Table, withUsers: boolean): Entry[] {
  const source = fileSource(file);
  const entries: Entry[] = [];
  for (const { start, end, isLoose, before } of table.around()) {
    const user = withUsers && isLoose && before !== undefined ? userBetween(file, before.end + 1, start) : undefined;
    if (user !== undefined) entries.push(user);
    entries.push(toEntry(source, { number: 0, start, end, terminated: true }, source.read(start, end)));
  }
  source.close();
  return entries;
}

function userBetween(file: string, offset: number, to: number): Entry | undefined {
  if (offset >= to) return undefined;
  for (const entry of readEntriesOf(file, { from: { offset, number: 1 }, to })) if (entry.kind === 'user') return entry;
  return undefined;
}

/**
 * What tells messages without any id apart, the same for their copies in other files: when they were said, by whom, and what they took; what
 * only looks alike in one file is told apart by its order.
 */
function createNames(file: string): (message: Message) => string {
  const alike = new Map<string, number>();
  return (message) => {
    const [first] = message.entries.flatMap((entry) => usageOfEntry(file, entry) ?? []);
    if (first?.time === undefined) return `${file}:${message.entries[0]?.line.start}`;
    const { input, output, cacheCreation, cacheRead } = first.usage;
    const said = [new Date(first.time).toISOString(), first.model, input, output, cacheCreation, cacheRead].join(' ');
    const before = alike.get(said) ?? 0;
    alike.set(said, before + 1);
    return `${said} #${before}`;
  };
}

function usageOfEntry(file: string, entry: Entry): LineUsage | undefined {
  const { number, start, end } = entry.line;
  return usageInLine(jsonOf(entry) ?? {}, { file, line: number, start, end });
}
