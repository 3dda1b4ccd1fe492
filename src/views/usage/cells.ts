/**
 * Facts added up as far as no report can tell them apart: by quarter of an hour, which every time zone's day is made of,
 * and by all they can be grouped by.
 */
import { asArray, type Json } from '../../format/json.ts';
import { QUARTER } from './days.ts';
import { addTo, type Fact, type Sums } from './facts.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function toCells(facts: Iterable<Fact>): Fact[] {
  const cells = new Map<string, Mutable<Fact>>();
  for (const fact of facts) {
    const time = fact.time === undefined ? undefined : Math.floor(fact.time / QUARTER) * QUARTER;
    const key = [time, fact.model, fact.project, fact.gitBranch, fact.file, fact.agentId].join('\0');
    const cell = cells.get(key);
    if (cell) addTo(cell, fact);
    else cells.set(key, { ...fact, time });
  }
  return [...cells.values()];
}

const NAMES = ['model', 'project', 'gitBranch', 'file', 'agentId'] as const;
/** In the order they are written in. */
export const SUMS = [
  'messages',
  'input',
  'output',
  'cacheCreation',
  'cacheRead',
  'cacheCreation1h',
  'webSearches',
  'cost',
  'unpriced',
  'incomplete',
  'estimatedOutput',
] as const satisfies readonly (keyof Sums)[];

/** One long list: names first, then for each cell its time, the places of its names, and its sums. */
export function cellsToJson(cells: readonly Fact[]): Json {
  const places = new Map<string, number>();
  const placeOf = (name: string): number => {
    const place = places.get(name) ?? places.size;
    places.set(name, place);
    return place;
  };
  const rows = cells.flatMap((cell): Json[] => [
    cell.time === undefined ? null : cell.time / QUARTER,
    ...NAMES.map((name) => placeOf(cell[name])),
    ...SUMS.map((name) => cell[name]),
  ]);
  return [[...places.keys()], rows];
}

/** undefined when it is not what was written. `fileOf`: what to call a file. */
export function cellsFromJson(json: Json | undefined, fileOf = (name: string) => name): Fact[] | undefined {
  const [first, second] = asArray(json) ?? [];
  const names = asArray(first);
  const rows = asArray(second);
  const width = 1 + NAMES.length + SUMS.length;
  if (names === undefined || rows === undefined || rows.length % width !== 0) return undefined;
  // A sum that is no number was none when it was written: it must not be read as nothing.
  if (!rows.every((value, at) => Number.isFinite(value) || (value === null && at % width === 0))) return undefined;
  const number = (at: number): number => {
    const value = rows[at];
    return typeof value === 'number' ? value : 0;
  };
  const name = (at: number): string => {
    const value = names[number(at)];
    return typeof value === 'string' ? value : '';
  };
  const cells: Fact[] = [];
  for (let at = 0; at < rows.length; at += width) {
    const quarter = rows[at];
    cells.push({
      time: typeof quarter === 'number' ? quarter * QUARTER : undefined,
      model: name(at + 1),
      project: name(at + 2),
      gitBranch: name(at + 3),
      file: fileOf(name(at + 4)),
      agentId: name(at + 5),
      messages: number(at + 6),
      input: number(at + 7),
      output: number(at + 8),
      cacheCreation: number(at + 9),
      cacheRead: number(at + 10),
      cacheCreation1h: number(at + 11),
      webSearches: number(at + 12),
      cost: number(at + 13),
      unpriced: number(at + 14),
      incomplete: number(at + 15),
      estimatedOutput: number(at + 16),
    });
  }
  return cells;
}
