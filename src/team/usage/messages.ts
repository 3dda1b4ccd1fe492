/**
 * Each message of a team once, as graph/usage/fold.ts has it, said in SQL. A row of `usage` is what one file tells of a message; files come
 * in the order of their paths.
 */
import { pathParams, placed, type Query, repeated } from './places.ts';

export interface Wanted {
  /** Only of the files at these paths. */
  readonly files?: readonly string[];
  /** Milliseconds. Only messages that may be of this time: earlier ones can still be among them. */
  readonly since?: number;
}

/** What tells one message from another; one without an id is its own. */
const KEY = `if(message = '', concat('\\0', session, '\\0', name, '\\0', toString(copy), '\\0', toString(start)), message)`;

const LATE = 'message GLOBAL IN (SELECT message FROM usage WHERE time >= fromUnixTimestamp64Milli({since:Int64}))';

export interface SightingOptions {
  readonly withPath: boolean;
  /** Messages that stand in several rows, or those that do not. */
  readonly repeats: boolean;
  readonly conditions?: readonly string[];
}

/** A row for each message of each file, as `usage` has it, with `key`, `said_by` (the agent), `path`, and `place`: the order of the fold. */
export function sightings({ files, since }: Wanted, { withPath, repeats, conditions = [] }: SightingOptions): string {
  const late = since === undefined ? [] : [LATE];
  const among = repeated('usage', 'message', late);
  const which = repeats
    ? `(message = '' OR message GLOBAL IN (${among}))`
    : `message != '' AND message GLOBAL NOT IN (${among})`;
  const all = [...late, which, ...conditions];
  return `SELECT *, ${KEY} AS key, if(agent = '' AND sidechain = 1, 'inline', agent) AS said_by,
      coalesce(cache_creation_1h, 0) AS written_1h, coalesce(web_searches, 0) AS searches, (path, copy, start, toString(owner)) AS place
    FROM (${placed('usage', { conditions: all, isOfFiles: files !== undefined, withPath })})`;
}

export function wantedParams({ files, since }: Wanted): Query['params'] {
  return { ...pathParams(files), ...(since !== undefined && { since: Math.floor(since) }) };
}

const USAGE = '(input, output, cache_creation, cache_read, written_1h, searches, toString(tier))';
const ORIGIN = '(path, toString(project), toString(branch), said_by, toString(person), toString(owner))';

export interface MessageOptions {
  /** Whether the path of the origin is needed. */
  readonly withPath: boolean;
  /** Whether there are copies without a request id. */
  readonly withLost: boolean;
}

/** Whether some copies lost their request id: clients of today keep it, and to look for whom they belong to takes half the time of all. */
export const ANY_LOST = `SELECT 1 AS found FROM usage WHERE request = '' AND message != '' LIMIT 1`;

/**
 * A row a message: `most` is the usage of the line with most output, `ms` the least time, `said_model` the model that was told first, `origin`
 * the line it is counted under. Copies that lost their request id join the first request that claims the id (graph/idindex.ts).
 */
export function messages(wanted: Wanted, { withPath, withLost }: MessageOptions): Query {
  const again = sightings(wanted, { repeats: true, withPath: true });
  const sql = `SELECT key, request AS one, ${USAGE} AS most, ended AS has_ended, if(model = '', NULL, toString(model)) AS said_model,
      if(timed = 1, toUnixTimestamp64Milli(time), NULL) AS ms, cost_recorded AS recorded, estimate AS estimated, ${ORIGIN} AS origin
    FROM (${sightings(wanted, { repeats: false, withPath })})
    UNION ALL
    SELECT key, one,
      argMin(${USAGE}, (-toInt64(output), -toInt64(input + cache_creation + cache_read), place)) AS most,
      max(ended) AS has_ended,
      argMinOrNullIf(toString(model), place, model != '') AS said_model,
      toUnixTimestamp64Milli(minOrNullIf(time, timed = 1)) AS ms,
      max(cost_recorded) AS recorded,
      max(estimate) AS estimated,
      argMin(${ORIGIN}, (copy * 2 + fork, place)) AS origin
    FROM (${withLost ? claimed(wanted, again) : `SELECT *, request AS one FROM (${again})`}) GROUP BY key, one`;
  return { sql, params: wantedParams(wanted) };
}

function claimed(wanted: Wanted, again: string): string {
  const lost = `message != '' AND message GLOBAL IN (SELECT message FROM usage WHERE request = '')`;
  const some = sightings(wanted, { repeats: true, withPath: true, conditions: [lost] });
  return `SELECT *, if(request = '', claimed, request) AS one FROM (${again}) AS seen
    GLOBAL ANY LEFT JOIN (SELECT key, argMinIf(request, place, request != '') AS claimed FROM (${some}) GROUP BY key) AS claims USING (key)`;
}
