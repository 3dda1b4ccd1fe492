/**
 * Facts added up as far as no report can tell them apart: by quarter of an hour, which every time zone's day is made of,
 * and by all they can be grouped by.
 */
import { asArray, asNumber, asString, type Json } from '../../format/json.ts';
import { addTo, type Fact, type Sums } from './facts.ts';

const QUARTER = 15 * 60_000;

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
const SUMS = [
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
  const cells: Fact[] = [];
  for (let at = 0; at < rows.length; at += width) {
    const quarter = asNumber(rows[at]);
    const name = (place: number) => asString(names[asNumber(rows[at + 1 + place]) ?? -1]) ?? '';
    const sum = (place: number) => asNumber(rows[at + 1 + NAMES.length + place]) ?? 0;
    cells.push({
      time: quarter === undefined ? undefined : quarter * QUARTER,
      model: name(0),
      project: name(1),
      gitBranch: name(2),
      file: fileOf(name(3)),
      agentId: name(4),
      messages: sum(0),
      input: sum(1),
      output: sum(2),
      cacheCreation: sum(3),
      cacheRead: sum(4),
      cacheCreation1h: sum(5),
      webSearches: sum(6),
      cost: sum(7),
      unpriced: sum(8),
      incomplete: sum(9),
      estimatedOutput: sum(10),
    });
  }
  return cells;
}
