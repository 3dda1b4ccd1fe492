/**
 * Usage added up by the server as far as no report and no price can tell messages apart, so that not each travels. Prices are put to the sums
 * here: that is exact, because messages of one cell cost the same for each token, in whole billionths (views/usage/rates.ts); what is not so
 * is sent one by one.
 */
import { asNumber, asString, type JsonObject } from '../../format/json.ts';
import type { Usage } from '../../format/usage.ts';
import { QUARTER } from '../../views/usage/days.ts';
import type { Fact, Pricing } from '../../views/usage/facts.ts';
import { costOf, costOfSum, startsOf } from '../../views/usage/rates.ts';
import { tierOf } from '../tier.ts';
import { messages, type Wanted } from './messages.ts';
import type { Query } from './places.ts';

/** A row that tells a million dollars or no number at all is somebody's joke: it must not stop the sums of all others. */
const RECORDED =
  'if(isFinite(coalesce(recorded, 0)), least(greatest(coalesce(recorded, 0), -1e6), 1e6), 0) * 1000000000';

/** What a fact can be asked for beside its model, project and time. */
export type Part = 'branch' | 'file' | 'agent' | 'person';

export interface CellsAsk extends Wanted {
  /** What is not named is ''. */
  readonly parts: readonly Part[];
  /** Whether times are told to the millisecond, or for these quarters of an hour alone. */
  readonly exact: boolean | readonly number[];
}

/** What must be told apart for the prices. */
export interface Apart {
  /** Tokens of input above which something costs otherwise. */
  readonly starts: readonly number[];
  /** Models whose tokens do not cost whole billionths. */
  readonly singly: readonly string[];
}

/** The price list has one such step. */
export const USUAL: Apart = { starts: [200_000], singly: [] };

/** Beyond it sums are not exact any more; no real message comes near. */
const MOST_TOKENS = 1_000_000_000;

const PARTS: Readonly<Record<Part, { readonly sql: string; readonly names: readonly string[] }>> = {
  branch: { sql: 'origin.3 AS branch', names: ['branch'] },
  file: { sql: 'origin.1 AS path', names: ['path'] },
  agent: { sql: 'origin.4 AS agent', names: ['agent'] },
  person: { sql: 'origin.5 AS person, origin.6 AS owner', names: ['person', 'owner'] },
};

export function cellsQuery(ask: CellsAsk, { starts, singly }: Apart, withLost: boolean): Query {
  const { sql, params } = messages(ask, { withPath: ask.parts.includes('file'), withLost });
  const quarter = `toInt64(floor(ms / ${QUARTER})) * ${QUARTER}`;
  const exact = ask.exact === true ? 'ms' : `if(has({exact:Array(Int64)}, ${quarter}), ms, ${quarter})`;
  const groups = ['at', 'model', 'tier', 'project', 'has_cost', 'step', 'single'];
  const names = [...groups, ...ask.parts.flatMap((part) => PARTS[part].names)];
  return {
    sql: `SELECT ${names.join(', ')}, count() AS messages,
        sum(input) AS input, sum(output) AS output, sum(cache_creation) AS cache_creation, sum(cache_read) AS cache_read,
        sum(written) AS written, sum(written_1h) AS written_1h, sum(searches) AS searches, min(whole) AS whole,
        sum(cost) AS cost, sum(incomplete) AS incomplete, sum(estimate) AS estimate
      FROM (
        SELECT ${exact} AS at, coalesce(said_model, '') AS model, most.7 AS tier, origin.2 AS project,
          ${ask.parts.map((part) => `${PARTS[part].sql}, `).join('')}
          most.1 AS input, most.2 AS output, most.3 AS cache_creation, most.4 AS cache_read, most.5 AS written_1h, most.6 AS searches,
          greatest(cache_creation, written_1h) AS written, input + written + cache_read AS whole,
          recorded IS NOT NULL AS has_cost,
          ${RECORDED} AS billionths, toInt64(floor(billionths) + (billionths - floor(billionths) >= 0.5)) AS cost,
          has_ended = 0 AND output <= 1 AS incomplete, if(incomplete, coalesce(estimated, 0), 0) AS estimate,
          arrayCount(start -> whole > start, {starts:Array(UInt64)}) AS step,
          if(whole + output > ${MOST_TOKENS} OR searches > ${MOST_TOKENS} OR has({singly:Array(String)}, model), concat(key, '\\0', one), '') AS single
        FROM (${sql}) AS each_once
      ) GROUP BY ${names.join(', ')}`,
    params: {
      ...params,
      starts,
      singly,
      ...(ask.exact === true ? {} : { exact: ask.exact === false ? [] : ask.exact }),
    },
  };
}

export interface Priced {
  readonly facts: Fact[];
  /** What has to be told apart too, for these facts to be exact; undefined when they are. */
  readonly apart: Apart | undefined;
}

export function toFacts(cells: Iterable<JsonObject>, pricing: Pricing, asked: Apart): Priced {
  const starts = new Set(asked.starts);
  const singly = new Set(asked.singly);
  const facts: Fact[] = [];
  for (const cell of cells) {
    const { fact, rates, isExact } = toFact(cell, pricing);
    facts.push(fact);
    if (rates !== undefined) for (const start of startsOf(rates)) starts.add(start);
    if (!isExact) singly.add(fact.model);
  }
  const isDone = starts.size === asked.starts.length && singly.size === asked.singly.length;
  return { facts, apart: isDone ? undefined : { starts: [...starts], singly: [...singly] } };
}

function toFact(cell: JsonObject, pricing: Pricing) {
  const number = (name: string) => asNumber(cell[name]) ?? 0;
  const text = (name: string) => asString(cell[name]) ?? '';
  const time = asNumber(cell.at);
  const model = text('model');
  const count = number('messages');
  const usage: Usage = {
    input: number('input'),
    output: number('output'),
    cacheCreation: number('written'),
    cacheRead: number('cache_read'),
    cacheCreation1h: number('written_1h'),
    webSearches: number('searches'),
    ...tierOf(text('tier')),
  };
  const isRecorded = number('has_cost') === 1 && pricing.mode !== 'computed';
  const isPriced = !isRecorded && pricing.mode !== 'recorded' && model !== '';
  const rates = isPriced ? pricing.ratesOf(model, time) : undefined;
  const computed = rates && (count === 1 ? costOf(usage, rates) : costOfSum(usage, number('whole'), rates));
  const cost = isRecorded ? number('cost') : computed;
  const fact: Fact = {
    time,
    model: model === '' ? 'unknown' : model,
    project: text('project'),
    gitBranch: text('branch'),
    file: text('path'),
    agentId: text('agent'),
    person: text('person'),
    owner: text('owner'),
    messages: count,
    input: usage.input,
    output: usage.output,
    cacheCreation: number('cache_creation'),
    cacheRead: usage.cacheRead,
    cacheCreation1h: usage.cacheCreation1h ?? 0,
    webSearches: usage.webSearches ?? 0,
    cost: cost ?? 0,
    unpriced: cost === undefined ? count : 0,
    incomplete: number('incomplete'),
    estimatedOutput: number('estimate'),
  };
  return { fact, rates, isExact: rates === undefined || count === 1 || computed !== undefined };
}
