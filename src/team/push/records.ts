/** The rows of the state: files, their lines and what else was sent of them, and what has to be taken back. */
import { all, type Database, each, get, maybeNumber, maybeText, numberOf, run, textOf } from '../../archive/sqlite.ts';
import { asArray, asString, parseJson } from '../../format/json.ts';
import type { PushedTable } from '../schema/tables.ts';

export interface FileRecord {
  readonly id: number;
  readonly key: string;
  readonly session: string;
  readonly name: string;
  readonly machine: string;
  /** The digest its folders were read at. */
  readonly looked: string | undefined;
  readonly cwds: readonly string[];
  readonly digest: string | undefined;
  readonly fingerprint: string | undefined;
  /** How large it was when it was pushed. */
  readonly size: number | undefined;
}

const FILE = 'SELECT id, key, session, name, machine, looked, cwds, digest, fingerprint, size FROM file';

function fileRecord(db: Database, key: string): FileRecord | undefined {
  const row = get(db, `${FILE} WHERE key = ?`, key);
  return row && toRecord(row);
}

export function fileRecords(db: Database): FileRecord[] {
  return all(db, `${FILE} ORDER BY id`).map(toRecord);
}

function toRecord(row: Parameters<typeof textOf>[0]): FileRecord {
  return {
    id: numberOf(row, 'id'),
    key: textOf(row, 'key'),
    session: textOf(row, 'session'),
    name: textOf(row, 'name'),
    machine: textOf(row, 'machine'),
    looked: maybeText(row, 'looked'),
    cwds: cwdsOf(maybeText(row, 'cwds')),
    digest: maybeText(row, 'digest'),
    fingerprint: maybeText(row, 'fingerprint'),
    size: maybeNumber(row, 'size'),
  };
}

function cwdsOf(text: string | undefined): string[] {
  return (text === undefined ? undefined : asArray(parseJson(text)))?.flatMap((each) => asString(each) ?? []) ?? [];
}

export function ensureFile(
  db: Database,
  { key, session, name }: { readonly key: string; readonly session: string; readonly name: string },
  machine: string,
): FileRecord {
  run(db, 'INSERT OR IGNORE INTO file (key, session, name, machine) VALUES (?, ?, ?, ?)', key, session, name, machine);
  const record = fileRecord(db, key);
  if (record === undefined) throw new Error('a file that was just written is there');
  return record;
}

export function saveLooked(db: Database, id: number, digest: string, cwds: Iterable<string>): void {
  run(db, 'UPDATE file SET looked = ?, cwds = ? WHERE id = ?', digest, JSON.stringify([...cwds]), id);
}

/** A row that has to be taken back. */
export interface GoneRow {
  readonly file: number;
  readonly kind: PushedTable;
  /** The columns of the key that tell it apart within its file, as JSON. */
  readonly key: string;
  readonly time: string;
}

export function pendingGone(db: Database, file: number): GoneRow[] {
  return all(db, 'SELECT kind, key, time FROM gone WHERE file = ?', file).map((row) => ({
    file,
    kind: kindOf(textOf(row, 'kind')),
    key: textOf(row, 'key'),
    time: textOf(row, 'time'),
  }));
}

const KINDS = ['files', 'entries', 'messages', 'tool_calls', 'usage'] as const;

function kindOf(text: string): PushedTable {
  return KINDS.find((kind) => kind === text) ?? 'entries';
}

export interface LineRecord {
  readonly id: string;
  readonly identity: string;
  readonly places: number;
  readonly time: string;
  /** That of its parts, where it differs: an entry inside another has its own. */
  readonly inner: string;
  readonly hash: string | undefined;
}

export function lineRecord(db: Database, file: number, n: number): LineRecord | undefined {
  const row = get(
    db,
    'SELECT id, identity, places, time, inner_time AS inner, hash FROM line WHERE file = ? AND n = ?',
    file,
    n,
  );
  return row && toLine(row);
}

function toLine(row: Parameters<typeof textOf>[0]): LineRecord {
  return {
    id: textOf(row, 'id'),
    identity: maybeText(row, 'identity') ?? '',
    places: numberOf(row, 'places'),
    time: textOf(row, 'time'),
    inner: maybeText(row, 'inner') ?? '',
    hash: maybeText(row, 'hash'),
  };
}

/** In order, one at a time. */
export function* linesFrom(db: Database, file: number, n: number): Generator<LineRecord & { readonly n: number }> {
  const sql =
    'SELECT n, id, identity, places, time, inner_time AS inner, hash FROM line WHERE file = ? AND n >= ? ORDER BY n';
  for (const row of each(db, sql, file, n)) yield { ...toLine(row), n: numberOf(row, 'n') };
}

/** The rows that stood for a line, to be taken back. */
export function goneOfLine(file: number, n: number, line: LineRecord): GoneRow[] {
  return [
    { file, kind: 'entries', key: JSON.stringify({ n, id: line.id }), time: line.time },
    ...Array.from({ length: line.places }, (_, place) => ({
      file,
      kind: 'messages' as const,
      key: JSON.stringify({ n, place, identity: line.identity }),
      time: line.inner || line.time,
    })),
  ];
}

export interface RecallRecord {
  readonly session: string;
  /** person: by `skein team recall`, until it is undone. policy: until a policy allows it again. forgotten: with the archive. */
  readonly by: 'person' | 'policy' | 'forgotten';
  readonly reason: string;
  readonly told: boolean;
}

export function recallsIn(db: Database): Map<string, RecallRecord> {
  const rows = all(db, 'SELECT session, by, reason, told FROM recall');
  return new Map(
    rows.map((row) => {
      const by = textOf(row, 'by');
      const session = textOf(row, 'session');
      const known = by === 'policy' || by === 'forgotten' ? by : ('person' as const);
      return [session, { session, by: known, reason: textOf(row, 'reason'), told: numberOf(row, 'told') === 1 }];
    }),
  );
}

export function saveRecall(db: Database, { session, by, reason, told }: RecallRecord): void {
  const sql = 'INSERT OR REPLACE INTO recall (session, by, reason, told) VALUES (?, ?, ?, ?)';
  run(db, sql, session, by, reason, told ? 1 : 0);
}

export function dropRecall(db: Database, session: string): void {
  run(db, 'DELETE FROM recall WHERE session = ?', session);
}

export interface OtherRecord {
  readonly key: string;
  readonly time: string;
  readonly hash: string | undefined;
}

/** Rows of a file that are not lines, by what tells them apart within it. */
export function othersOf(db: Database, file: number, kind: PushedTable): Map<string, OtherRecord> {
  const rows = all(db, 'SELECT key, time, hash FROM other WHERE file = ? AND kind = ?', file, kind);
  return new Map(
    rows.map((row) => {
      const key = textOf(row, 'key');
      return [key, { key, time: textOf(row, 'time'), hash: maybeText(row, 'hash') }];
    }),
  );
}

export function saveOther(db: Database, file: number, kind: PushedTable, { key, time, hash }: OtherRecord): void {
  const sql = 'INSERT OR REPLACE INTO other (file, kind, key, time, hash) VALUES (?, ?, ?, ?, ?)';
  run(db, sql, file, kind, key, time, hash ?? null);
}

export function dropOther(db: Database, file: number, kind: PushedTable, key: string): void {
  run(db, 'DELETE FROM other WHERE file = ? AND kind = ? AND key = ?', file, kind, key);
}

export function dropLine(db: Database, file: number, n: number): void {
  run(db, 'DELETE FROM line WHERE file = ? AND n = ?', file, n);
}

export function saveLine(db: Database, file: number, n: number, line: LineRecord): void {
  const sql =
    'INSERT OR REPLACE INTO line (file, n, id, identity, places, time, inner_time, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)';
  const { id, identity, places, time, inner, hash } = line;
  run(db, sql, file, n, id, identity || null, places, time, inner || null, hash ?? null);
}

export function saveGone(db: Database, rows: readonly GoneRow[]): void {
  for (const { file, kind, key, time } of rows) {
    run(db, 'INSERT OR IGNORE INTO gone (file, kind, key, time) VALUES (?, ?, ?, ?)', file, kind, key, time);
  }
}

export function dropGone(db: Database, rows: readonly GoneRow[]): void {
  for (const { file, kind, key, time } of rows) {
    run(db, 'DELETE FROM gone WHERE file = ? AND kind = ? AND key = ? AND time = ?', file, kind, key, time);
  }
}

/** Everything of it was taken: the next push passes over it while it stays as it is. */
export function savePushed(db: Database, file: number, pushed: Pushed | undefined): void {
  const { digest = null, fingerprint = null, size = null } = pushed ?? {};
  run(db, 'UPDATE file SET digest = ?, fingerprint = ?, size = ? WHERE id = ?', digest, fingerprint, size, file);
}

/** What was sent of it may not be there: the next push sends all of it again. */
export function markUnsent(db: Database, file: number): void {
  savePushed(db, file, undefined);
  run(db, 'UPDATE line SET hash = NULL WHERE file = ?', file);
  run(db, 'UPDATE other SET hash = NULL WHERE file = ?', file);
}

export interface Pushed {
  readonly digest: string;
  readonly fingerprint: string;
  readonly size: number;
}

/** Whether anything of it was sent, or may have been. */
export function hasRows(db: Database, file: number): boolean {
  const sql =
    'SELECT 1 FROM line WHERE file = ?1 UNION ALL SELECT 1 FROM other WHERE file = ?1 UNION ALL SELECT 1 FROM gone WHERE file = ?1 LIMIT 1';
  return db.prepare(sql).get(file) !== undefined;
}
