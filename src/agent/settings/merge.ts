/** One value out of many files: lists are joined, of single values the strongest source's holds. */
import { asObject, type Json, type JsonObject } from '../../format/json.ts';
import { valueAt } from './check.ts';
import type { Path, SettingsFile } from './types.ts';

/** What one file says about a key. */
export interface Said {
  readonly path: Path;
  readonly value: Json;
  readonly file: SettingsFile;
}

/** Single values and items of lists, as the file has them. */
export function sayings(file: SettingsFile): Said[] {
  const found: Said[] = [];
  const walk = (value: Json | undefined, path: Path): void => {
    const object = asObject(value);
    if (object !== undefined) for (const [key, each] of Object.entries(object)) walk(each, [...path, key]);
    else if (Array.isArray(value))
      for (const [i, each] of value.entries()) found.push({ path: [...path, i], value: each, file });
    else if (value !== undefined) found.push({ path, value, file });
  };
  walk(file.value, []);
  return found;
}

/** `files`: the strongest first. */
export function merged(files: readonly SettingsFile[]): JsonObject {
  return files.toReversed().reduce<JsonObject>((weaker, { value }) => join(weaker, value), {});
}

function join(weaker: JsonObject, stronger: JsonObject): JsonObject {
  const made: JsonObject = { ...weaker };
  for (const [key, value] of Object.entries(stronger)) {
    const under = Object.hasOwn(weaker, key) ? weaker[key] : undefined;
    if (Array.isArray(value) && Array.isArray(under)) made[key] = unique([...under, ...value]);
    else {
      const [a, b] = [asObject(under), asObject(value)];
      made[key] = a !== undefined && b !== undefined ? join(a, b) : value;
    }
  }
  return made;
}

function unique(items: readonly Json[]): Json[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const text = JSON.stringify(item);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

/** The first file that says it. */
export function strongest(files: readonly SettingsFile[], path: Path): Said | undefined {
  for (const file of files) {
    const value = valueAt(file.value, path);
    if (value !== undefined) return { path, value, file };
  }
  return undefined;
}
