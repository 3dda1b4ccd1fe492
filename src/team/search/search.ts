/** A search in a team: the server finds and orders, and only the lines of the page are read here. The hits are those of the archive. */

import type { Candidate } from '../../archive/search/hit.ts';
import { isForIndex } from '../../archive/search/indexed.ts';
import { hitsOf } from '../../archive/search/page.ts';
import { toLoaded } from '../../archive/search/scan.ts';
import { asNumber, asString, type JsonObject } from '../../format/json.ts';
import type { Hit, KnownChat, SearchRequest, SearchResult } from '../../store/search.ts';
import type { Team } from '../connect.ts';
import { teamPath } from '../paths.ts';
import { fullest, newest } from '../read/chosen.ts';
import { timeOf } from './filters.ts';
import { type Conditions, conditionsOf, foundSql, keyOfRow, type Row, SETTINGS, toRow } from './found.ts';
import { loadEntries, placeOf } from './lines.ts';
import { phrasesOf } from './phrases.ts';
import { BY_TIME, byRank, rankOf } from './rank.ts';
import { scanTeam } from './scan.ts';
import { createValues, type Values } from './values.ts';

/** Of a word that stands nearly everywhere only the newest are ranked: for that their words are read. */
const MOST_RANKED = 200_000;

export async function searchTeam(
  team: Team,
  request: SearchRequest,
  { mostRanked = MOST_RANKED }: { readonly mostRanked?: number } = {},
): Promise<SearchResult> {
  const { total, rows } = isForIndex(request.query)
    ? await pageOf(team, request, mostRanked)
    : await scanTeam(team, request);
  const entries = await loadEntries(team, rows);
  const hits = hitsOf(
    rows.map(
      (row): Candidate => ({
        key: keyOfRow(row),
        time: row.time,
        score: row.score,
        load: () =>
          toLoaded(
            entries.get(placeOf(row)),
            row.place,
            teamPath(row.slug, row.name),
            row.session || undefined,
            row.agent || undefined,
          ),
      }),
    ),
    request,
  );
  return { total, hits, engine: 'team', scanned: 0, problems: [], chats: await chatsOf(team, hits) };
}

interface Page {
  readonly total: number;
  readonly rows: readonly Row[];
}

async function pageOf(team: Team, request: SearchRequest, mostRanked: number): Promise<Page> {
  const { query, sort, offset, limit, now } = request;
  const values = createValues();
  const phrases = phrasesOf(query);
  const isRanked = sort === 'rank' && phrases.wanted.length > 0;
  const [conditions, rank] = await Promise.all([
    conditionsOf(team, request, phrases, values),
    isRanked ? rankOf(team, phrases.wanted, values) : { counts: [], score: '0.' },
  ]);
  const newest = isRanked ? await newestOf(team, conditions, mostRanked, values) : undefined;
  const ranked = newest === undefined ? conditions : { ...conditions, narrow: [...conditions.narrow, newest] };
  const order = isRanked ? byRank(now.getTime(), values) : BY_TIME;
  const page = `LIMIT ${values.add('UInt64', limit)} OFFSET ${values.add('UInt64', offset)}`;
  const found = foundSql(ranked, rank.counts, rank.score);
  const sql = `SELECT *, count() OVER () AS total FROM (${found}) ORDER BY ${order} ${page} ${SETTINGS}`;
  const rows = await team.rows(sql, values.params);
  const [first] = rows;
  // Behind the last page nothing tells how many there are.
  const isTold = newest === undefined && (first !== undefined || offset === 0);
  const told = isTold ? first : await countAll(team, foundSql(conditions, [], '0.'), values.params);
  return { total: asNumber(told?.total) ?? 0, rows: rows.map(toRow) };
}

/** Those from then on are enough; undefined when there are not so many. */
async function newestOf(team: Team, { narrow }: Conditions, most: number, values: Values): Promise<string | undefined> {
  const matching = `SELECT toUnixTimestamp64Milli(time) AS at FROM messages WHERE ${narrow.join(' AND ') || '1'}`;
  const [counted] = await team.rows(`SELECT count() AS matching FROM (${matching})`, values.params);
  if ((asNumber(counted?.matching) ?? 0) <= most) return undefined;
  const [row] = await team.rows(
    `SELECT min(at) AS since FROM (${matching} ORDER BY at DESC LIMIT ${values.add('UInt64', most)})`,
    values.params,
  );
  return `time >= ${timeOf(asNumber(row?.since) ?? 0, values)}`;
}

async function countAll(team: Team, found: string, params: Readonly<Record<string, unknown>>) {
  const [row] = await team.rows(`SELECT count() AS total FROM (${found}) ${SETTINGS}`, params);
  return row;
}

const CHATS = `SELECT f.session AS session, argMax(f.chat, ${newest('f.')}) AS chat, argMax(f.title, ${fullest('f.')}) AS title
  FROM files AS f FINAL WHERE f.kind = 'session' AND f.session IN {sessions: Array(String)} GROUP BY f.session`;

/** A title stands in the row of the session that said it, and that may be another one of the chat. */
const TITLES = `SELECT f.chat AS chat, argMax(f.title, ${fullest('f.')}) AS title
  FROM files AS f FINAL WHERE f.kind = 'session' AND f.title != '' AND f.chat IN {chats: Array(String)} GROUP BY f.chat`;

async function chatsOf(team: Team, hits: readonly Hit[]): Promise<Map<string, KnownChat>> {
  const sessions = [...new Set(hits.flatMap(({ session }) => session ?? []))];
  if (sessions.length === 0) return new Map();
  const rows = (await team.rows(CHATS, { sessions })).map(toChat).filter(({ chat }) => chat !== '');
  const untitled = rows.flatMap(({ chat, title }) => (title === '' ? chat : []));
  const told = untitled.length === 0 ? [] : (await team.rows(TITLES, { chats: [...new Set(untitled)] })).map(toChat);
  const titles = new Map(told.map(({ chat, title }) => [chat, title]));
  return new Map(rows.map(({ session, chat, title }) => [session, { id: chat, title: title || titles.get(chat) }]));
}

function toChat(row: JsonObject): { readonly session: string; readonly chat: string; readonly title: string } {
  return { session: asString(row.session) ?? '', chat: asString(row.chat) ?? '', title: asString(row.title) ?? '' };
}
