/** The SQL of a search: what is found, copies once, with the file each stands in. */

import { partKey } from '../../archive/search/hit.ts';
import { asNumber, asString, type JsonObject } from '../../format/json.ts';
import type { SearchRequest } from '../../store/search.ts';
import type { Team } from '../connect.ts';
import { TRANSCRIPTS } from '../read/chosen.ts';
import { filterConditions, wantedSlugs } from './filters.ts';
import { indexConditions, type Phrases, textConditions } from './phrases.ts';
import type { Values } from './values.ts';

/** One of what was found. */
export interface Row {
  readonly session: string;
  readonly name: string;
  readonly n: number;
  readonly place: number;
  readonly identity: string;
  readonly agent: string;
  readonly slug: string;
  /** Milliseconds; undefined when the entry tells none. */
  readonly time: number | undefined;
  readonly mtime: number;
  /** Words. */
  readonly length: number;
  readonly score: number;
}

export interface Conditions {
  /** Told by the index of words and by narrow columns. */
  readonly narrow: readonly string[];
  /** Told by the words themselves. */
  readonly text: readonly string[];
  readonly slugs: string | undefined;
}

export async function conditionsOf(
  team: Team,
  { query }: SearchRequest,
  phrases: Phrases,
  values: Values,
): Promise<Conditions> {
  const [filters, slugs] = await Promise.all([filterConditions(team, query, values), wantedSlugs(team, query)]);
  return {
    narrow: [...indexConditions(phrases, values), ...filters],
    text: textConditions(phrases, values),
    slugs: slugs && values.add('Array(String)', slugs),
  };
}

const KEY = 'sipHash64(session, name, n, place, identity, owner, version)';
const COLUMNS = 'session, name, n, place, identity, agent, copy, timed, toUnixTimestamp64Milli(time) AS at, length';

/**
 * Copies of an entry are one row: the original's if it is there, else that of the oldest file. What was replaced or taken back is
 * told by FINAL, which reads whole columns: so it reads narrow ones only, and words are read where the index found something.
 */
export function foundSql({ narrow, text, slugs }: Conditions, counts: readonly string[], score: string): string {
  const live = `messages FINAL ${where(narrow)}`;
  const isNarrow = text.length === 0 && counts.length === 0;
  const rows = isNarrow
    ? `SELECT ${COLUMNS} FROM ${live}`
    : `SELECT ${[COLUMNS, ...counts].join(', ')} FROM messages ${where([...narrow, ...text, `${KEY} IN (SELECT ${KEY} FROM ${live})`])}`;
  const files = slugs === undefined ? TRANSCRIPTS : `SELECT * FROM (${TRANSCRIPTS}) WHERE slug IN ${slugs}`;
  return `SELECT identity, place, best.1 AS session, best.2 AS name, best.3 AS n, best.4 AS agent, best.5 AS slug, best.6 AS timed,
    best.7 AS at, best.8 AS mtime, best.9 AS length, best.10 AS score
  FROM (
    SELECT identity, place,
      argMin((session, name, n, agent, slug, timed, if(timed = 1, at, 0), mtime, length, ${score}), (copy, mtime, session, name, n)) AS best
    FROM (${rows}) AS found INNER JOIN (${files}) AS file USING (session, name) GROUP BY identity, place
  )`;
}

/** Sessions lie whole on one shard: what is looked up beside them is there, too. */
export const SETTINGS = "SETTINGS distributed_product_mode = 'local'";

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}

export function toRow(row: JsonObject): Row {
  const text = (name: string) => asString(row[name]) ?? '';
  const number = (name: string) => asNumber(row[name]) ?? 0;
  return {
    session: text('session'),
    name: text('name'),
    n: number('n'),
    place: number('place'),
    identity: text('identity'),
    agent: text('agent'),
    slug: text('slug'),
    time: number('timed') === 1 ? number('at') : undefined,
    mtime: number('mtime'),
    length: number('length'),
    score: number('score'),
  };
}

export function keyOfRow({ identity, place }: Row): string {
  return partKey(Buffer.from(identity, 'hex'), place);
}
