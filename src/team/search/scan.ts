/** Parts of texts and regular expressions: the server tells which entries may hold them, their lines are read and matched here. */
import { patienceFor } from '../../archive/search/budget.ts';
import { asNumber } from '../../format/json.ts';
import type { SearchRequest } from '../../store/search.ts';
import { createMatcher } from '../../views/search/match.ts';
import { QueryError } from '../../views/search/query.ts';
import type { Team } from '../connect.ts';
import { cutOf } from './cut.ts';
import { conditionsOf, foundSql, type Row, SETTINGS, toRow } from './found.ts';
import { type EntryState, placeOf, type State, standing, statesOf } from './lines.ts';
import { phrasesOf } from './phrases.ts';
import { createValues } from './values.ts';

/** More is not fetched for one search. */
const MOST_WORDS = 100e6;
const MOST_ROWS = 500_000;
/** Asked for at once. */
const BATCH_WORDS = 2e6;
const BATCH_ROWS = 50_000;
/** Lines that are held while they are matched: one may have many megabytes and few words, as that of a screenshot has. */
const HELD_BYTES = 16 << 20;

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
    if (words < BATCH_WORDS && batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
    words = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Which parts of an entry match. */
interface Verdict extends State {
  readonly parts: readonly number[];
}

/** What is held grows with the number of lines, not with what they hold. */
async function matchingOf(team: Team, rows: readonly Row[], { query, leastMs }: SearchRequest): Promise<Row[]> {
  const wanted = Map.groupBy(rows, placeOf);
  const matcher = createMatcher(query);
  const verdictOf = ({ line, place, version, level, entry }: EntryState): Verdict => {
    const own = (place === undefined ? undefined : wanted.get(place)) ?? [];
    const parts = own.flatMap((row) => {
      const part = entry?.parts[row.place];
      return part !== undefined && matcher.matches(part.text) ? row.place : [];
    });
    return { line, place, version, level, parts };
  };
  const verdicts: Verdict[] = [];
  const within = patienceFor(query, leastMs);
  for await (const some of groupsOf(statesOf(team, rows))) {
    const bytes = some.reduce((sum, each) => sum + each.bytes, 0);
    const judged = within(bytes, team.target.name, () => some.map(verdictOf));
    for (const verdict of judged) verdicts.push(verdict);
  }
  const standingOnes = standing(verdicts);
  return rows.filter((row) => standingOnes.get(placeOf(row))?.parts.includes(row.place));
}

/** As they come, no more at once than may be held. */
export async function* groupsOf<T extends { readonly bytes: number }>(
  states: AsyncIterable<T>,
  most = HELD_BYTES,
): AsyncGenerator<T[]> {
  let group: T[] = [];
  let bytes = 0;
  for await (const state of states) {
    group.push(state);
    bytes += state.bytes;
    if (bytes < most) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}
