/** The most expensive habits of a team, found by its server. Each is defined in docs/team.md; what they cost overlaps and is no part of a total. */
import { asArray, asNumber, asString, type Json, type JsonObject } from '../../format/json.ts';
import type { Pricing } from '../../views/usage/facts.ts';
import { ADVICE, type Habit, type HabitName, type HabitPlace } from '../../views/usage/habits.ts';
import { PER_DOLLAR } from '../../views/usage/rates.ts';
import type { Team } from '../connect.ts';
import { type Wanted, wantedParams } from './messages.ts';
import { CHATS, placed } from './places.ts';
import { priceList } from './pricelist.ts';
import { requests, steps, stepsOfParts } from './steps.ts';

export interface HabitsAsk extends Pick<Wanted, 'since'> {
  /** Milliseconds, both included. */
  readonly from: number;
  readonly to: number;
  /** Only of these. */
  readonly projects: readonly string[];
  readonly models: readonly string[];
}

/** Fewer tokens than this are not cached at all. */
const LEAST_CACHED = 1024;
/** What is lost of a cache counts from this share of it on: a little is said anew in every request. */
const LOST_SHARE = 0.1;
const CHARACTERS_PER_TOKEN = 4;
const HUGE_RESULT = 40_000;
const LONG_CONTEXT = 100_000;
const DEAR_AGENT = PER_DOLLAR;
const PLACES = 5;

const WANTED =
  'ms BETWEEN {from:Int64} AND {to:Int64} AND project IN {projects:Array(String)} AND said_model IN {models:Array(String)}';

/** Tokens that the request before had in the cache, and that were paid in full again. */
const LOST = `if(before_ms > 0, greatest(0, least(before_cached, toInt64(whole)) - toInt64(cache_read)), 0)`;
const LOST_WRITTEN = 'least(lost, toInt64(cache_creation))';
const WRITE_PRICE = '(price_write + (price_write_1h - price_write) * written_1h / greatest(written, 1))';
const LOST_COST = `${LOST_WRITTEN} * (${WRITE_PRICE} - price_read) + (lost - ${LOST_WRITTEN}) * (price_input - price_read)`;
const WHY_LOST = `multiIf(ms - before_ms > before_lives, 'pause', before_model != said_model, 'switched-model', whole < before_cached, 'cut', 'changed-prefix')`;
const IS_LOST = `lost >= ${LEAST_CACHED} AND lost >= before_cached * ${LOST_SHARE}`;

/** Cache misses, long contexts, and all of sub-agents: what one pass over the requests tells. */
function ofRequests(wanted: Wanted): string {
  return `SELECT habit, project, person, session, if(habit = 'dear-agent', 1, count()) AS times, sum(found.3) AS tokens, sum(found.4) AS cost
    FROM (
      SELECT project, person, session, found.1 AS habit, found.2 AS agent, arrayJoin(arrayFilter(each -> each.1 != '', [
          (if(${IS_LOST}, ${WHY_LOST}, ''), '', toFloat64(lost), toFloat64(${LOST_COST})),
          (if(whole > ${LONG_CONTEXT}, 'long-context', ''), '', toFloat64(whole) - ${LONG_CONTEXT}, cost_sent * (toFloat64(whole) - ${LONG_CONTEXT}) / whole),
          (if(said_by != '', 'dear-agent', ''), said_by, toFloat64(whole), toFloat64(cost))
        ])) AS found
      FROM (SELECT *, ${LOST} AS lost FROM (${steps(wanted)}) WHERE is_origin = 1 AND ${WANTED})
    ) GROUP BY habit, project, person, session, agent HAVING habit != 'dear-agent' OR cost >= ${DEAR_AGENT}`;
}

/** The request that sends a result first writes it to the cache, those after it read it, until the conversation is cut. */
function hugeResults(wanted: Wanted): string {
  const huge = [`result_chars >= ${HUGE_RESULT}`, 'timed = 1'];
  const sessions = `session GLOBAL IN (SELECT session FROM tool_calls WHERE ${huge.join(' AND ')})`;
  return `SELECT 'huge-result' AS habit, project, person, session, 1 AS times, length_sent AS tokens, sent_cost AS cost
    FROM (
      SELECT id, project, person, after.session AS session, said_model, ms,
        toInt64(result_chars / ${CHARACTERS_PER_TOKEN}) AS size, last_step - step + 1 AS sent, size * sent AS length_sent,
        size * (price_write + (sent - 1) * price_read) AS sent_cost
      FROM (
        SELECT id, session, name, toString(agent) AS said_by, result_chars, toUnixTimestamp64Milli(time) + toInt64(coalesce(duration, 0)) AS ends
        FROM (${placed('tool_calls', { conditions: huge, withPath: false })})
      ) AS calls
      GLOBAL ASOF INNER JOIN (${stepsOfParts(wanted, [sessions])}) AS after
        ON calls.session = after.session AND calls.name = after.name AND calls.said_by = after.said_by AND calls.ends <= after.ms
      ORDER BY sent_cost DESC LIMIT 1 BY id
    ) WHERE ${WANTED}`;
}

/** A call that failed and is the same as the call before it, which failed too: what the request cost that made it, shared by its calls. */
function retries(wanted: Wanted): string {
  const before = (what: string) =>
    `lagInFrame(${what}) OVER (PARTITION BY session, name, said_by ORDER BY time, id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)`;
  const failed = `session GLOBAL IN (SELECT session FROM tool_calls WHERE status = 'error' GROUP BY session, tool, input_hash HAVING uniqExact(id) > 1)`;
  const again = `SELECT message, uniqExact(id) AS calls, uniqExactIf(id, is_again) AS repeats FROM (
      SELECT id, message, status = 'error' AND before_status = 'error' AND tool = before_tool AND input_hash = before_hash AS is_again
      FROM (
        SELECT id, message, tool, status, input_hash, ${before('toString(tool)')} AS before_tool, ${before('toString(status)')} AS before_status,
          ${before('input_hash')} AS before_hash
        FROM (
          SELECT id, session, name, toString(agent) AS said_by, message, tool, status, input_hash, time
          FROM (${placed('tool_calls', { conditions: [failed], withPath: false })}) ORDER BY toString(owner) LIMIT 1 BY session, name, id
        )
      ) WHERE message != ''
    ) GROUP BY message HAVING repeats > 0`;
  return `SELECT 'retry' AS habit, project, person, session, repeats AS times, toInt64(whole) * repeats / calls AS tokens, cost * repeats / calls AS cost
    FROM (${again}) AS again
    GLOBAL INNER JOIN (${requests(wanted, [failed])}) AS made ON again.message = made.key
    WHERE is_origin = 1 AND ${WANTED}`;
}

/** One after the other: each is as heavy as a report. */
export async function teamHabits(team: Team, ask: HabitsAsk, pricing: Pricing): Promise<Habit[]> {
  const wanted: Wanted = ask.since === undefined ? {} : { since: ask.since };
  const prices = await priceList(team, wanted, pricing);
  const { from, to, projects, models } = ask;
  const params = { ...wantedParams(wanted), prices, from, to, projects, models };
  const habits: Habit[] = [];
  for (const find of [ofRequests, hugeResults, retries]) {
    const rows = await team.rows(summed(find(wanted)), params);
    habits.push(...rows.map(toHabit));
  }
  return habits.sort((a, b) => b.costUSD - a.costUSD || b.times - a.times || (a.habit < b.habit ? -1 : 1));
}

function summed(found: string): string {
  return `SELECT habit, sum(all_times) AS times, toInt64(sum(all_tokens)) AS tokens, sum(all_cost) AS cost, uniqExact(in_chat) AS chats,
      uniqExact(person) AS people, groupArraySorted(${PLACES})((-all_cost, project, person, in_chat, all_times)) AS places
    FROM (
      SELECT habit, project, person, if(chat = '', session, chat) AS in_chat, sum(times) AS all_times, sum(tokens) AS all_tokens, sum(cost) AS all_cost
      FROM (${found}) AS found GLOBAL ANY LEFT JOIN (${CHATS}) AS chats USING (session) GROUP BY habit, project, person, in_chat
    ) GROUP BY habit`;
}

function toHabit(row: JsonObject): Habit {
  const number = (name: string) => asNumber(row[name]) ?? 0;
  const name = asString(row.habit) ?? '';
  const habit = HABITS.find((each) => each === name) ?? 'changed-prefix';
  return {
    habit,
    ...ADVICE[habit],
    costUSD: number('cost') / PER_DOLLAR,
    times: number('times'),
    tokens: number('tokens'),
    chats: number('chats'),
    people: number('people'),
    where: (asArray(row.places) ?? []).map(toPlace),
  };
}

const HABITS = Object.keys(ADVICE) as HabitName[];

function toPlace(place: Json): HabitPlace {
  const [cost, project, person, chat, times] = asArray(place) ?? [];
  return {
    project: asString(project) ?? '',
    person: asString(person) ?? '',
    chat: asString(chat) ?? '',
    times: asNumber(times) ?? 0,
    costUSD: -(asNumber(cost) ?? 0) / PER_DOLLAR,
  };
}
