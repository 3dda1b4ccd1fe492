/** What is asked of both stores, the archive and a team: each question is a command line, and both are to answer it with the same JSON. */
import { isObject, type Json, type JsonObject } from '../../src/format/json.ts';
import { GROUPINGS } from '../../src/views/usage/rows.ts';

export interface Corpus {
  /** Of sessions that are asked about one by one. */
  readonly sessions: readonly string[];
}

export type Questions = (corpus: Corpus) => readonly (readonly string[])[];

const reading: Questions = ({ sessions }) => [
  ['list', '--json'],
  ['list', '--json', '--sort', 'size', '--limit', '5'],
  ['list', '--json', '--after', '2020-01-01', 'the'],
  ['tree', '--json'],
  ['check', '--json'],
  ['show', '@last', '--json'],
  ['show', '@last~2', '--json'],
  ...sessions.flatMap((id) => [
    ['show', id, '--json'],
    ['tree', id.slice(0, 13), '--json'],
    ['context', id, '--json'],
    ['cat', id, '--json'],
  ]),
  ...sessions.slice(1).map((id, place) => ['diff', id, sessions[place] ?? id, '--json']),
];

/** Search: words, phrases, filters, CJK. */
const searching: Questions = ({ sessions: [first = ''] }) =>
  [
    ['zanzibarquokka'],
    ['"exponential backoff jitter"'],
    ['heliotropefjord', '-zanzibarquokka', '--limit', '40'],
    ['项目的结构'],
    ['帮我', 'role:user'],
    ['🚀'],
    ['tool:Bash', 'is:error'],
    ['file:src/', '-role:user', 'in:input', '--limit', '30'],
    [`session:${first.slice(0, 8)}`, 'the', '--limit', '50'],
    ['exponen*'],
    ['~zanzibarquok'],
    ['/zanzi\\w+/'],
  ].map((words) => ['search', ...words, '--sort', 'date', '--json']);

/** Usage in every grouping. */
const counting: Questions = ({ sessions }) => [
  ...GROUPINGS.map((by) => ['usage', '--json', '--utc', '--by', by]),
  ['usage', '--json', '--by', 'day,model,project', '--timezone', 'Asia/Kathmandu', '--heatmap'],
  ['usage', '--json', '--by', 'project,chat,agent', '--model', 'sonnet'],
  ['usage', '--json', '--by', 'model', '--cost', 'computed', '--since', '2026-01-31T12:07:30Z'],
  ['usage', '--json', '--by', 'day', '--utc', '--since', '2025-10-01', '--until', '2026-02-15'],
  ['usage', '--json', '--by', 'total', '--cost', 'recorded'],
  ['usage', '--json', '--by', 'tool'],
  ...sessions.flatMap((id) => [
    ['usage', id, '--json', '--by', 'model,agent'],
    ['usage', id, '--json', '--by', 'tool'],
    ['usage', id, '--json', '--explain', '--limit', '5'],
  ]),
  ['usage', '--json', '--explain', '--utc', '--since', '2026-01-20', '--until', '2026-01-25', '--limit', '3'],
];

export const QUESTIONS: Questions = (corpus) => [reading, searching, counting].flatMap((ask) => ask(corpus));

/** What differs by where it was read from. */
const LEFT_OUT = new Set(['source', 'root', 'engine', 'scanned']);

/** Without the words that say where it was read from; paths below a root `P`. */
export function normal(json: Json, root: string): Json {
  if (typeof json === 'string') {
    return json
      .replaceAll(`${root}/projects/`, 'P/')
      .replaceAll('team:projects/', 'P/')
      .replace(/ --team \S+/, '');
  }
  if (Array.isArray(json)) return json.map((each) => normal(each, root));
  if (!isObject(json)) return json;
  const copy: JsonObject = {};
  for (const [key, value] of Object.entries(json)) {
    if (!LEFT_OUT.has(key) && value !== undefined) copy[key] = normal(value, root);
  }
  return copy;
}

/** Where two answers part; the whole of both is too long to be read. */
export function firstDifference(a: Json | undefined, b: Json | undefined, path = ''): string | undefined {
  if (
    typeof a === 'object' &&
    typeof b === 'object' &&
    a !== null &&
    b !== null &&
    Array.isArray(a) === Array.isArray(b)
  ) {
    const [one, two] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
    for (const key of new Set([...one.keys(), ...two.keys()])) {
      const found = firstDifference(one.get(key), two.get(key), `${path}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  const cut = (value: Json | undefined) => String(JSON.stringify(value)).slice(0, 300);
  return a === b ? undefined : `${path}: ${cut(a)} is not ${cut(b)}`;
}
