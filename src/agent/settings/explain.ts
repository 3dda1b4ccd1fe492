/** Every value of the settings with where it came from, what it overrides, and whether it counts here. */
import { type Json, parseJson } from '../../format/json.ts';
import { valueAt } from './check.ts';
import { type Said, sayings } from './merge.ts';
import { placeOf } from './text.ts';
import type { Path, Settings, SettingsFile, Source } from './types.ts';

export interface Origin {
  readonly source: Source | 'environment';
  /** Null for the environment. */
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
}

export interface Explained extends Origin {
  /** `permissions.allow`: each item of a list is told by itself. */
  readonly key: string;
  readonly value: Json;
  /** What weaker sources say of it. */
  readonly overridden: readonly (Origin & { readonly value: Json })[];
  /** Why it does not count, or counts otherwise. */
  readonly note: string | null;
}

/** Sorted by key; items of a list in the order they are joined, the strongest source first. */
export function explain(settings: Settings, env: Readonly<Record<string, string | undefined>>): Explained[] {
  const rows = new Map<string, Explained>();
  for (const said of settings.files.flatMap((file) => sayings({ ...file, value: rawOf(file) }))) {
    const { path, value, file } = said;
    const key = path.filter((part) => typeof part === 'string').join('.');
    const isItem = typeof path.at(-1) === 'number';
    const id = isItem ? `${key} ${JSON.stringify(value)}` : key;
    const above = rows.get(id);
    const origin = originOf(file, path);
    if (above === undefined) rows.set(id, { key, value, ...origin, overridden: [], note: noteOn(said, settings) });
    else rows.set(id, { ...above, overridden: [...above.overridden, { value, ...origin }] });
  }
  const model = env.ANTHROPIC_MODEL;
  if (model && settings.env.ANTHROPIC_MODEL === undefined) rows.set('model', overEnvironment(model, rows.get('model')));
  return [...rows.values()].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

function rawOf(file: SettingsFile): SettingsFile['value'] {
  const value = parseJson(file.text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : file.value;
}

function originOf({ source, file, text }: SettingsFile, path: Path): Origin {
  return { source, file, ...placeOf(text, path) };
}

function overEnvironment(value: string, under: Explained | undefined): Explained {
  const { overridden = [], ...said } = under ?? {};
  const weaker = under === undefined ? [] : [{ ...under, ...said }, ...overridden];
  const origin = { source: 'environment' as const, file: null, line: null, column: null };
  const kept = weaker.map(({ value: its, source, file, line, column }) => ({ value: its, source, file, line, column }));
  return { key: 'model', value, ...origin, overridden: kept, note: 'ANTHROPIC_MODEL' };
}

/** Keys that something here goes by. */
const OURS = new Set([
  'model',
  'env',
  'permissions',
  'hooks',
  'disableAllHooks',
  'allowManagedHooksOnly',
  'allowManagedPermissionRulesOnly',
  '$schema',
]);

function noteOn({ path, value, file }: Said, settings: Settings): string | null {
  const [first, second] = path;
  if (!isKept(path, value, file)) return 'left out, see the problems';
  if (!OURS.has(String(first))) return 'kept, but not used here';
  const { source } = file;
  if (first === 'permissions' && second === 'allow') {
    const isUsed = settings.rules.some(
      (rule) => rule.behaviour === 'allow' && rule.from === source && rule.text === value,
    );
    return isUsed ? null : 'not used, see the problems';
  }
  if (first === 'permissions' && second === 'defaultMode' && settings.mode !== value)
    return 'not used, see the problems';
  if (first === 'hooks') return settings.hooks.some(({ from }) => from === source) ? null : 'not run';
  if (first === 'env' && settings.env[String(second)] === undefined) return 'not used, see the problems';
  return null;
}

function isKept(path: Path, value: Json, { value: kept }: SettingsFile): boolean {
  if (typeof path.at(-1) !== 'number') {
    const there = valueAt(kept, path);
    return there === value || there === String(value);
  }
  const list = valueAt(kept, path.slice(0, -1));
  // Groups of hooks may have lost a part.
  if (path[0] === 'hooks') return Array.isArray(list) && list.length > 0;
  return Array.isArray(list) && list.some((item) => JSON.stringify(item) === JSON.stringify(value));
}
