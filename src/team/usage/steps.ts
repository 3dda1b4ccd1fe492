/** The requests of a conversation one after the other, each with what it cost and with the one before it: what habits are found in. */
import { TIER_FACTOR } from '../tier.ts';
import { sightings, type Wanted } from './messages.ts';
import { PRICE_LIST, priceOf } from './pricelist.ts';

/** Milliseconds a cache lives. */
const CACHED = 300_000;
const CACHED_1H = 3_600_000;

/** Less of what was sent than this share means that the conversation was cut: compacted, rewound, cleared. */
const CUT = 0.5;

const CONVERSATION = 'PARTITION BY session, name, said_by';
const IN_ORDER = `${CONVERSATION} ORDER BY ms, start`;

/**
 * A row for each request of each file. A conversation is a file's own messages of one agent, in the order of their times. `before_*` is the
 * request before it (before_ms 0: none), `step` its number.
 */
export function steps(wanted: Wanted, conditions: readonly string[] = []): string {
  const before = (what: string) => `lagInFrame(${what}) OVER (${IN_ORDER} ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)`;
  return `SELECT *, row_number() OVER (${IN_ORDER}) AS step,
      ${before('ms')} AS before_ms, ${before('said_model')} AS before_model, ${before('whole')} AS before_whole,
      ${before('cached')} AS before_cached, ${before('lives')} AS before_lives
    FROM (${requests(wanted, conditions)})`;
}

/** And `last_step`: the last before the conversation was cut. */
export function stepsOfParts(wanted: Wanted, conditions: readonly string[]): string {
  const cuts = `sum(before_ms > 0 AND whole < before_whole * ${CUT}) OVER (${IN_ORDER} ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)`;
  return `SELECT *, max(step) OVER (${CONVERSATION}, part) AS last_step FROM (SELECT *, ${cuts} AS part FROM (${steps(wanted, conditions)}))`;
}

/**
 * The same without their order: a row for each request of each file, in billionths of a dollar. `is_origin`: copies in other files are one
 * request, which is counted where `skein usage` counts it. Messages without a time or a price are left out, and those of sub-agents that lie
 * in their parent's file and do not say which they are.
 */
export function requests(wanted: Wanted, conditions: readonly string[] = []): string {
  const told = ['copy = 0', 'timed = 1', ...conditions];
  const rows = (
    repeats: boolean,
  ) => `SELECT key, session, name, toString(project) AS project, toString(person) AS person, path, said_by, fork, start, input,
      output, cache_creation, cache_read, written_1h, toString(tier) AS tier, cost_recorded, toString(model) AS said_model, toUnixTimestamp64Milli(time) AS ms,
      toInt32(toDate32(time)) AS day
    FROM (${sightings(wanted, { repeats, withPath: repeats, conditions: told })}) WHERE said_by != 'inline'`;
  return `SELECT key, session, name, project, person, said_by, is_origin, start, ms, said_model, whole, cache_creation, cache_read, written, written_1h,
      toInt64(cache_creation) + toInt64(cache_read) AS cached, if(written_1h > 0, ${CACHED_1H}, ${CACHED}) AS lives,
      ${TIER_FACTOR} AS factor,
      ${priceOf('inputs')} * factor AS price_input, ${priceOf('writes')} * factor AS price_write, ${priceOf('writes_1h')} * factor AS price_write_1h,
      ${priceOf('reads')} * factor AS price_read,
      input * price_input + (written - written_1h) * price_write + written_1h * price_write_1h + cache_read * price_read AS cost_sent,
      if(cost_recorded IS NULL, cost_sent + output * ${priceOf('outputs')} * factor, cost_recorded * 1000000000) AS cost
    FROM (
      SELECT *, greatest(cache_creation, written_1h) AS written, input + written + cache_read AS whole FROM (
        SELECT *, 1 AS is_origin FROM (${rows(false)})
        UNION ALL
        SELECT *, row_number() OVER (PARTITION BY key ORDER BY fork, path, start) = 1 AS is_origin
        FROM (SELECT * FROM (${rows(true)}) ORDER BY output DESC LIMIT 1 BY session, name, key)
      )
    ) AS told
    GLOBAL ASOF INNER JOIN (${PRICE_LIST}) AS prices ON told.said_model = prices.model AND told.day >= prices.from_day
    WHERE factor > 0 OR cost_recorded IS NOT NULL`;
}
