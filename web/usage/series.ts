/** Rows of the server → what the plots draw. */

import { daysBetween, monthOf, weekOf } from '../../src/views/usage/days.ts';
import { UNKNOWN } from '../../src/views/usage/rows.ts';
import type { UsageAnswer } from '../app/answers.ts';

export type UsageRow = UsageAnswer['rows'][number];
export type Sums = UsageAnswer['totals'];
export type Span = 'day' | 'week' | 'month';
export const SPANS: readonly Span[] = ['day', 'week', 'month'];

export interface Column {
  /** The day, the Monday of the week, or the month. */
  readonly key: string;
  readonly total: number;
  /** In the order of the series. */
  readonly parts: readonly number[];
}

export interface Stacked {
  readonly series: readonly { readonly name: string; readonly total: number }[];
  readonly columns: readonly Column[];
}

export interface Days {
  readonly first: string;
  readonly last: string;
}

const MOST_SERIES = 8;
export const OTHERS = 'others';

/** Cost by time, stacked by model or another key; the dearest at the bottom, what is beyond eight together. */
export function stacked(rows: readonly UsageRow[], span: Span, days?: Days | null, by = 'model'): Stacked {
  const totals = new Map<string, number>();
  const cells = new Map<string, Map<string, number>>();
  for (const { key, costUSD } of rows) {
    const { day = UNKNOWN, [by]: name = '' } = key;
    if (day === UNKNOWN) continue;
    const at = keyOf(day, span);
    const cell = cells.get(at) ?? new Map<string, number>();
    cells.set(at, cell);
    cell.set(name, (cell.get(name) ?? 0) + (costUSD ?? 0));
    totals.set(name, (totals.get(name) ?? 0) + (costUSD ?? 0));
  }
  const names = [...totals.keys()].sort((a, b) => (totals.get(b) ?? 0) - (totals.get(a) ?? 0));
  const own = names.length > MOST_SERIES ? names.slice(0, MOST_SERIES - 1) : names;
  const rest = names.slice(own.length);
  const sum = (values: (number | undefined)[]) => values.reduce<number>((all, value) => all + (value ?? 0), 0);
  const series = own.map((name) => ({ name, total: totals.get(name) ?? 0 }));
  if (rest.length > 0) series.push({ name: OTHERS, total: sum(rest.map((name) => totals.get(name))) });
  const ends = days ? [keyOf(days.first, span), keyOf(days.last, span)] : [];
  const columns = allKeys([...cells.keys(), ...ends].sort(), span).map((key) => {
    const cell = cells.get(key);
    const parts = own.map((name) => cell?.get(name) ?? 0);
    if (rest.length > 0) parts.push(sum(rest.map((name) => cell?.get(name))));
    return { key, parts, total: sum(parts) };
  });
  return { series, columns };
}

function keyOf(day: string, span: Span): string {
  return span === 'day' ? day : span === 'week' ? weekOf(day) : monthOf(day);
}

/** Those in between too, in which nothing was done. */
function allKeys(keys: readonly string[], span: Span): string[] {
  const [first, last] = [keys[0], keys.at(-1)];
  if (first === undefined || last === undefined) return [];
  const day = (key: string) => (span === 'month' ? `${key}-01` : key);
  return [...new Set(daysBetween(day(first), day(last)).map((each) => keyOf(each, span)))];
}

export interface Sum {
  readonly key: string;
  readonly messages: number;
  readonly input: number;
  readonly output: number;
  readonly cacheCreation: number;
  readonly cacheRead: number;
  readonly costUSD: number | null;
  readonly unpriced: number;
  readonly incomplete: number;
}

/** Rows added up by one of their keys, the dearest first. */
export function summed(rows: readonly UsageRow[], name: string): Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const key = row.key[name] ?? '';
    const before = sums.get(key);
    const cost = (before?.costUSD ?? 0) + (row.costUSD ?? 0);
    const unpriced = (before?.unpriced ?? 0) + row.unpriced;
    const messages = (before?.messages ?? 0) + row.messages;
    sums.set(key, {
      key,
      messages,
      input: (before?.input ?? 0) + row.input,
      output: (before?.output ?? 0) + row.output,
      cacheCreation: (before?.cacheCreation ?? 0) + row.cacheCreation,
      cacheRead: (before?.cacheRead ?? 0) + row.cacheRead,
      costUSD: unpriced > 0 && unpriced === messages ? null : cost,
      unpriced,
      incomplete: (before?.incomplete ?? 0) + row.incomplete,
    });
  }
  return [...sums.values()].sort((a, b) => (b.costUSD ?? 0) - (a.costUSD ?? 0) || tokensOf(b) - tokensOf(a));
}

type Tokens = Pick<Sum, 'input' | 'output' | 'cacheCreation' | 'cacheRead'>;

export function tokensOf({ input, output, cacheCreation, cacheRead }: Tokens): number {
  return input + output + cacheCreation + cacheRead;
}

/** Of what was sent to the model, how much came from the cache; undefined when nothing was sent. */
export function hitRate({ input, cacheCreation, cacheRead }: Tokens): number | undefined {
  const sent = input + cacheCreation + cacheRead;
  return sent === 0 ? undefined : cacheRead / sent;
}
