/**
 * Facts added up by the days of the machine's time zone: a tenth of the cells (cells.ts), and all that most reports ask for. They
 * hold as long as the zone has the days it had, which is looked at when they are read.
 */
import { asArray, asNumber, asString, type Json } from '../../format/json.ts';
import { BITS } from './activity.ts';
import { SUMS } from './cells.ts';
import { localDayOf, QUARTER } from './days.ts';
import { addTo, type Fact, NOTHING } from './facts.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type DayCell = Mutable<Fact> & { quarters: number[] };

/** undefined where a day does not begin with a quarter of an hour, or before all times. `facts`: cells will do. */
export function toDayCells(facts: Iterable<Fact>): Fact[] | undefined {
  const cells = new Map<string, DayCell>();
  for (const fact of facts) {
    const day = fact.time === undefined ? undefined : localDayOf(fact.time);
    if (day !== undefined && !isWhole(day)) return undefined;
    const key = [day?.start, fact.model, fact.project, fact.gitBranch].join('\0');
    const cell = cells.get(key) ?? emptyCell(fact, day?.start);
    cells.set(key, cell);
    addTo(cell, fact);
    if (fact.time === undefined || day === undefined) continue;
    const quarter = Math.floor((fact.time - day.start) / QUARTER);
    const place = Math.floor(quarter / BITS);
    cell.quarters[place] = (cell.quarters[place] ?? 0) | (1 << (quarter % BITS));
  }
  return [...cells.values()];
}

const LONGEST_DAY = 25 * 3_600_000;

function isWhole({ start, end }: { readonly start: number; readonly end: number }): boolean {
  return start >= 0 && start % QUARTER === 0 && end % QUARTER === 0 && end > start && end - start <= LONGEST_DAY;
}

function emptyCell({ model, project, gitBranch }: Fact, time: number | undefined): DayCell {
  return { time, model, project, gitBranch, file: '', agentId: '', ...NOTHING, quarters: [0, 0, 0, 0] };
}

/** Names and the first and last of each day, then one long list: for each cell the places of its day and names, its sums and quarters. */
export function dayCellsToJson(cells: readonly Fact[]): Json {
  const names = new Map<string, number>();
  const days = new Map<number, number>();
  const rows = cells.flatMap(({ time, model, project, gitBranch, quarters = [], ...sums }): Json[] => [
    time === undefined ? -1 : placeOf(days, time),
    placeOf(names, model),
    placeOf(names, project),
    placeOf(names, gitBranch),
    ...SUMS.map((name) => sums[name]),
    ...quarters,
  ]);
  return [[...names.keys()], [...days.keys()].flatMap((start) => [start, localDayOf(start).end]), rows];
}

function placeOf<T>(places: Map<T, number>, value: T): number {
  const place = places.get(value) ?? places.size;
  places.set(value, place);
  return place;
}

const NAMES = 4;
const QUARTERS = NAMES + SUMS.length;
const WIDTH = QUARTERS + 4;
const UNPRICED = NAMES + SUMS.indexOf('unpriced');

/**
 * undefined when it is not what was written, or the machine's days are others now. `named`: without it projects, branches and
 * models are not told apart, but for models without a price.
 */
export function dayCellsFromJson(json: Json | undefined, named = true): Fact[] | undefined {
  const [names, days, all] = (asArray(json) ?? []).map(asArray);
  if (names === undefined || days === undefined || all === undefined || all.length % WIDTH !== 0) return undefined;
  // A sum that is no number was none when it was written: it must not be read as nothing.
  if (!areNumbers(all) || !areDaysOfNow(days)) return undefined;
  const rows = named ? all : withoutNames(all, names.length);
  const name = (place = 0): string => asString(names[place]) ?? '';
  const cells: Fact[] = [];
  for (let at = 0; at < rows.length; at += WIDTH) {
    cells.push({
      time: asNumber(days[2 * (rows[at] ?? 0)]),
      model: name(rows[at + 1]),
      project: name(rows[at + 2]),
      gitBranch: name(rows[at + 3]),
      file: '',
      agentId: '',
      messages: rows[at + 4] ?? 0,
      input: rows[at + 5] ?? 0,
      output: rows[at + 6] ?? 0,
      cacheCreation: rows[at + 7] ?? 0,
      cacheRead: rows[at + 8] ?? 0,
      cacheCreation1h: rows[at + 9] ?? 0,
      webSearches: rows[at + 10] ?? 0,
      cost: rows[at + 11] ?? 0,
      unpriced: rows[at + 12] ?? 0,
      incomplete: rows[at + 13] ?? 0,
      estimatedOutput: rows[at + 14] ?? 0,
      quarters: rows.slice(at + QUARTERS, at + WIDTH),
    });
  }
  return cells;
}

/** As numbers: something for each of a thousand rows takes ten times as long to make as to add up. The names are those of one of them. */
function withoutNames(rows: readonly number[], names: number): number[] {
  const places = new Map<number, number>();
  const merged: number[] = [];
  for (let at = 0; at < rows.length; at += WIDTH) {
    const model = (rows[at + UNPRICED] ?? 0) > 0 ? (rows[at + 1] ?? 0) : names;
    const key = (rows[at] ?? 0) * (names + 1) + model;
    const place = places.get(key);
    if (place === undefined) {
      places.set(key, merged.length);
      merged.push(...rows.slice(at, at + WIDTH));
    } else addRow(merged, place, rows, at);
  }
  return merged;
}

function addRow(sums: number[], place: number, rows: readonly number[], at: number): void {
  for (let each = NAMES; each < QUARTERS; each += 1)
    sums[place + each] = (sums[place + each] ?? 0) + (rows[at + each] ?? 0);
  for (let each = QUARTERS; each < WIDTH; each += 1)
    sums[place + each] = (sums[place + each] ?? 0) | (rows[at + each] ?? 0);
}

/** Told by V8 itself, of twenty for each cell. */
function areNumbers(values: Json[]): values is number[] {
  return values.every(Number.isFinite);
}

/** Whoever travels, or whose country changes its clocks, has others. */
function areDaysOfNow(days: readonly Json[]): boolean {
  for (let at = 0; at < days.length; at += 2) {
    const start = asNumber(days[at]);
    const day = start === undefined ? undefined : localDayOf(start);
    if (day === undefined || day.start !== start || day.end !== days[at + 1]) return false;
  }
  return true;
}
