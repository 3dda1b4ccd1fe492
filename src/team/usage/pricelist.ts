/** The prices of a team's models as rows the server can join: billionths of a dollar a token, from a day on, by how much was sent. */
import { asNumber, asString } from '../../format/json.ts';
import type { Pricing } from '../../views/usage/facts.ts';
import { pricesAt, type Rates, startsOf } from '../../views/usage/rates.ts';
import type { Team } from '../connect.ts';
import { type Wanted, wantedParams } from './messages.ts';

const DAY = 86_400_000;

/** A row of the list; its arrays hold a price for each step of `above`. */
const TYPE =
  'Array(Tuple(String, Int32, Array(Int64), Array(Float64), Array(Float64), Array(Float64), Array(Float64), Array(Float64), Float64, Float64))';

/** `from_day`: since 1970. `fast`, `us`: how many times as much tokens cost in fast mode (0: not known) and from the United States. */
export const PRICE_LIST = `SELECT each.1 AS model, each.2 AS from_day, each.3 AS above, each.4 AS inputs, each.5 AS outputs, each.6 AS writes,
    each.7 AS writes_1h, each.8 AS reads, each.9 AS fast, each.10 AS us
  FROM (SELECT arrayJoin(JSONExtract({prices:String}, '${TYPE}')) AS each)`;

/** Which of them a message with `whole` tokens of input pays. */
export function priceOf(list: string): string {
  return `${list}[arrayCount(start -> whole > start, above)]`;
}

/** As the parameter {prices}. Models without a price are not among it. */
export async function priceList(team: Team, { since }: Wanted, pricing: Pricing): Promise<string> {
  const where = since === undefined ? '' : ' WHERE time >= fromUnixTimestamp64Milli({since:Int64})';
  const sql = `SELECT toString(model) AS name, toInt32(toDate32(time)) AS day FROM usage${where} GROUP BY name, day ORDER BY name, day`;
  const rows = await team.rows(sql, wantedParams({ ...(since !== undefined && { since }) }));
  const list: (readonly [string, number, ...(number | readonly number[])[]])[] = [];
  let last: { readonly model: string; readonly prices: string } | undefined;
  for (const row of rows) {
    const model = asString(row.name) ?? '';
    const day = asNumber(row.day) ?? 0;
    const rates = model === '' ? undefined : pricing.ratesOf(model, day * DAY);
    if (rates === undefined) continue;
    const columns = columnsOf(rates);
    const prices = JSON.stringify(columns);
    // Prices hardly ever change: only the days from which others hold are told.
    if (last?.model !== model || last.prices !== prices) list.push([model, day, ...columns]);
    last = { model, prices };
  }
  return JSON.stringify(list);
}

function columnsOf(rates: Rates): (number | readonly number[])[] {
  const above = [-1, ...new Set(startsOf(rates).sort((a, b) => a - b))];
  const steps = above.map((start) => pricesAt(rates, start + 1));
  const each = (name: 'input' | 'output' | 'cacheWrite' | 'cacheWrite1h' | 'cacheRead') =>
    steps.map((prices) => prices[name] * 1000);
  const prices = [each('input'), each('output'), each('cacheWrite'), each('cacheWrite1h'), each('cacheRead')];
  return [above, ...prices, rates.fast ?? 0, rates.usOnly ?? 1];
}
