/** Parts of texts and regular expressions: the server tells which entries may hold them, their lines are read and matched here. */
import { withinTime } from '../../archive/search/budget.ts';
import { asNumber } from '../../format/json.ts';
import type { SearchRequest } from '../../store/search.ts';
import { createMatcher } from '../../views/search/match.ts';
import { QueryError } from '../../views/search/query.ts';
import type { Team } from '../connect.ts';
import { cutOf } from './cut.ts';
import { conditionsOf, foundSql, type Row, SETTINGS, toRow } from './found.ts';
import { loadEntries, placeOf } from './lines.ts';
import { phrasesOf } from './phrases.ts';
import { createValues } from './values.ts';

/** More is not fetched for one search. */
const MOST_WORDS = 100e6;
const MOST_ROWS = 500_000;
/** Fetched at once. */
const BATCH_WORDS = 2e6;
/** With the signs between them and what JSON adds. */
const BYTES_PER_WORD = 8;

export interface Scanned {
  readonly total: number;
  readonly rows: readonly Row[];
}

export async function scanTeam(team: Team, request: SearchRequest): Promise<Scanned> {
  const { query, offset, limit } = request;
  const values = createValues();
  const conditions = await conditionsOf(team, request, phrasesOf(query), values);
  const cut = cutOf(query, values);
  const found = foundSql(
    { ...conditions, narrow: [...conditions.narrow, ...cut.narrow], text: [...conditions.text, ...cut.text] },
    [],
    '0.',
  );
  const [sum] = await team.rows(
    `SELECT count() AS rows, sum(length) AS words FROM (${found}) ${SETTINGS}`,
    values.params,
  );
  refuseTooMuch(asNumber(sum?.rows) ?? 0, asNumber(sum?.words) ?? 0, team.target.name);
  const rows = (
    await team.rows(`SELECT * FROM (${found}) ORDER BY session, name, n, place ${SETTINGS}`, values.params)
  ).map(toRow);
  const matching: Row[] = [];
  for (const batch of batchesOf(rows)) matching.push(...(await matchingOf(team, batch, request)));
  const ordered = matching.toSorted(byTime);
  return { total: ordered.length, rows: ordered.slice(offset, offset + limit) };
}

function refuseTooMuch(rows: number, words: number, where: string): void {
  if (rows <= MOST_ROWS && words <= MOST_WORDS) return;
  throw new QueryError(
    `${rows.toLocaleString('en')} entries would have to be fetched for it.`,
    where,
    'Add a word that stands beside it, or narrow the search: project: session: after:',
  );
}

/** Newest first; of those of one moment the first of the oldest file, as when files are read. */
function byTime(a: Row, b: Row): number {
  return (
    (b.time ?? -Infinity) - (a.time ?? -Infinity) ||
    a.mtime - b.mtime ||
    (a.session < b.session ? -1 : a.session > b.session ? 1 : 0) ||
    (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) ||
    a.n - b.n ||
    a.place - b.place
  );
}

function* batchesOf(rows: readonly Row[]): Generator<Row[]> {
  let batch: Row[] = [];
  let words = 0;
  for (const row of rows) {
    batch.push(row);
    words += row.length;
    if (words < BATCH_WORDS) continue;
    yield batch;
    batch = [];
    words = 0;
  }
  if (batch.length > 0) yield batch;
}

async function matchingOf(team: Team, rows: readonly Row[], { query, leastMs }: SearchRequest): Promise<Row[]> {
  const entries = await loadEntries(team, rows);
  const matcher = createMatcher(query);
  const bytes = rows.reduce((sum, { length }) => sum + length, 0) * BYTES_PER_WORD;
  const match = () =>
    rows.filter((row) => {
      const part = entries.get(placeOf(row))?.parts[row.place];
      return part !== undefined && matcher.matches(part.text);
    });
  return withinTime(query, bytes, team.target.name, match, leastMs);
}
