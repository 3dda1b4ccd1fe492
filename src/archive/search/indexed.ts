/** Searching the index of words. Which words a text has was settled when it was indexed (views/search/words.ts): nothing is verified again. */

import { labelTests, wheresOf } from '../../views/search/filter.ts';
import { ROLES, WHERES } from '../../views/search/parts.ts';
import type { Choice, Query, Term } from '../../views/search/query.ts';
import { all, blobOf, type Database, get, maybeNumber, numberOf, type Row, textOf } from '../sqlite.ts';
import { entryKeyIn, partKey } from './hit.ts';
import { uuidOf } from './keys.ts';

export interface IndexRow {
  readonly piece: number;
  readonly place: number;
  readonly uuid: string | undefined;
  /** Where its line begins in the file it was first taken from, as far as is known. */
  readonly start: number | undefined;
  readonly key: string;
  readonly time: number | undefined;
  readonly score: number;
  readonly isCopy: boolean;
  /** How often it is written, each time in another way. */
  readonly written: number;
}

export interface IndexQuery {
  readonly query: Query;
  readonly sort: 'rank' | 'date';
  readonly now: number;
  /** Of pieces; all without it. */
  readonly isWanted?: (piece: number) => boolean;
  /** Archived files that tell themselves which of their prompts stand only in the queue. */
  readonly telling?: readonly number[];
}

export interface IndexFound {
  readonly total: number;
  /** The first so many, in their order. */
  readonly rows: readonly IndexRow[];
}

/** Whether the index alone can tell. */
export function isForIndex({ terms }: Query): boolean {
  return terms.every(({ kind }) => kind === 'words');
}

export function findIndexed(db: Database, question: IndexQuery, most: number): IndexFound {
  const { now, sort } = question;
  const { sql, values } = groupedSql(db, question, ROW, { isRanked: sort === 'rank' });
  // What is older than a month counts up to half as much.
  const ranked = `score * (1.0 + 1.0 / (1.0 + max(0, ${now} - coalesce(part.time, 0)) / 2592000000.0)), part.time DESC NULLS LAST`;
  const order = sort === 'date' ? 'part.time DESC NULLS LAST' : ranked;
  const found = all(db, `${sql} ORDER BY ${order}, part.id DESC LIMIT ?`, ...values, most);
  const total = found.length < most ? found.length : countAll(db, question);
  return { total, rows: found.map(toRow) };
}

function toRow(row: Row): IndexRow {
  return {
    piece: numberOf(row, 'piece'),
    place: numberOf(row, 'place'),
    uuid: uuidOf(blobOf(row, 'key')),
    start: maybeNumber(row, 'start'),
    key: partKey(blobOf(row, 'key'), numberOf(row, 'place')),
    time: maybeNumber(row, 'time'),
    score: numberOf(row, 'score'),
    isCopy: numberOf(row, 'copy') === 1,
    written: numberOf(row, 'written'),
  };
}

/** More make a long statement. */
const MOST_NAMED = 1000;

/** All that some of what was found is written as, oldest first; by what tells it apart. */
export function writtenAs(
  db: Database,
  question: IndexQuery,
  some: readonly IndexRow[],
): ReadonlyMap<string, readonly IndexRow[]> {
  const entries = some.length > MOST_NAMED ? undefined : some.map(({ key }) => entryKeyIn(key));
  const { sql, values } = groupedSql(db, question, ROW, { by: 'part.id', entries });
  return Map.groupBy(all(db, `${sql} ORDER BY part.id`, ...values).map(toRow), ({ key }) => key);
}

function countAll(db: Database, question: IndexQuery): number {
  const { sql, values } = groupedSql(db, question, '1');
  return numberOf(get(db, `SELECT count(*) AS n FROM (${sql})`, ...values), 'n');
}

/** All that is found, by what tells it apart. */
export function keysFound(db: Database, question: IndexQuery): Set<string> {
  const { sql, values } = groupedSql(db, question, 'part.key, part.place');
  return new Set(all(db, sql, ...values).map((row) => partKey(blobOf(row, 'key'), numberOf(row, 'place'))));
}

interface Sql {
  readonly sql: string;
  readonly values: readonly string[];
}

/** Of the row with the least value of min() SQLite takes the other columns too. */
const ROW =
  'part.id, part.piece, part.place, part.key, part.copy, part.time, part.start, found.score, count(*) AS written, min(part.copy * 1e15 + part.id)';

interface Grouping {
  /** How well each fits is worked out too, which takes half of the time where much is found. */
  readonly isRanked?: boolean;
  /** A copy may be written another way than its original (H1): one row for all of them, the original's if it is there. */
  readonly by?: string;
  /** Only the parts of these. */
  readonly entries?: readonly Buffer[];
}

function groupedSql(
  db: Database,
  { query, isWanted, telling = [] }: IndexQuery,
  columns: string,
  { isRanked = false, by = 'part.key, part.place', entries }: Grouping = {},
): Sql {
  const wanted = toMatch(query.terms);
  const conditions = conditionsOf(db, query);
  if (isWanted !== undefined) {
    db.function('is_wanted', (piece) => (typeof piece === 'number' && isWanted(piece) ? 1 : 0));
    conditions.push('is_wanted(part.piece)');
  }
  if (telling.length > 0) conditions.push(`part.id NOT IN (SELECT part FROM queued WHERE file IN (${telling.join()}))`);
  if (entries !== undefined)
    conditions.push(`part.key IN (${entries.map((key) => `x'${key.toString('hex')}'`).join()})`);
  if (wanted.none !== undefined) conditions.push('part.id NOT IN (SELECT rowid FROM words WHERE words MATCH ?)');
  const found =
    wanted.match === undefined
      ? 'SELECT id, 0.0 AS score FROM part'
      : `SELECT rowid AS id, ${isRanked ? 'bm25(words)' : '0.0'} AS score FROM words WHERE words MATCH ?`;
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const sql = `WITH found AS ${isRanked ? '' : 'NOT '}MATERIALIZED (${found}) SELECT ${columns}
    FROM found CROSS JOIN part ON part.id = found.id ${where} GROUP BY ${by}`;
  return { sql, values: [wanted.match, wanted.none].filter((each) => each !== undefined) };
}

/** In the index's own language; words hold nothing that means something in it. */
function toMatch(terms: readonly Term[]): { match?: string; none?: string } {
  const phrases = (negated: boolean) =>
    terms.flatMap((term) =>
      term.kind === 'words' && term.negated === negated ? [`"${term.words.join(' ')}"${term.prefix ? ' *' : ''}`] : [],
    );
  const [wanted, not] = [phrases(false), phrases(true)];
  if (wanted.length === 0) return not.length === 0 ? {} : { none: not.join(' OR ') };
  // One NOT: a chain of them is as deep as it is long, and FTS5 takes no more than 256.
  return { match: not.length === 0 ? wanted.join(' AND ') : `(${wanted.join(' AND ')}) NOT (${not.join(' OR ')})` };
}

function conditionsOf(db: Database, query: Query): string[] {
  const { filters, after, before } = query;
  const tests = labelTests(query);
  const numbers = (names: readonly string[], all: readonly string[]) => names.map((name) => all.indexOf(name));
  return [
    ...isIn('part.role', numbers(filters.role.any, ROLES), numbers(filters.role.none, ROLES), filters.role),
    ...isIn(
      'part.said',
      numbers(wheresOf(filters.in.any), WHERES),
      numbers(wheresOf(filters.in.none), WHERES),
      filters.in,
    ),
    ...filters.is.any.map(() => 'part.error = 1'),
    ...filters.is.none.map(() => 'part.error = 0'),
    ...labelled(db, 'part.tool', filters.tool, tests.tool),
    ...labelled(db, 'part.file', filters.file, tests.file),
    ...labelled(db, 'part.model', filters.model, tests.model),
    ...labelled(db, 'part.branch', filters['git-branch'], tests['git-branch']),
    ...(after === undefined ? [] : [`part.time >= ${after}`]),
    ...(before === undefined ? [] : [`part.time < ${before}`]),
  ];
}

function isIn(column: string, any: readonly number[], none: readonly number[], choice: Choice): string[] {
  return [
    ...(choice.any.length > 0 ? [`${column} IN (${any.join()})`] : []),
    ...(choice.none.length > 0 ? [`${column} NOT IN (${none.join()})`] : []),
  ];
}

/** What has no label fits only when none is asked for. */
function labelled(
  db: Database,
  column: string,
  choice: Choice,
  fits: (value: string | undefined) => boolean,
): string[] {
  if (choice.any.length + choice.none.length === 0) return [];
  const ids = all(db, 'SELECT id, text FROM label').flatMap((row) =>
    fits(textOf(row, 'text')) ? [numberOf(row, 'id')] : [],
  );
  const has = `${column} IN (${ids.join()})`;
  return [fits(undefined) ? `(${column} IS NULL OR ${has})` : has];
}
