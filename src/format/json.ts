/** JSON values as they come out of a transcript, and the only way code looks into them: nothing is assumed, nothing is cast. */
export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json | undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asObject(value: Json | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

export function asArray(value: Json | undefined): Json[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function asString(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A string that names something: an empty one names nothing. */
export function asName(value: Json | undefined): string | undefined {
  return value === '' ? undefined : asString(value);
}

export function asNumber(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

export function asBoolean(value: Json | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** The value at a path of keys, undefined as soon as one is not there. */
export function at(value: Json | undefined, ...path: string[]): Json | undefined {
  let here = value;
  for (const key of path) here = isObject(here) ? here[key] : undefined;
  return here;
}

/**
 * What nests deeper is not looked into: whoever walks a value calls himself for each level, and JSON.parse, which does not,
 * would hand out values that nobody can walk or write again.
 */
const MAX_DEPTH = 1000;

/** `length` is that of its text: short ones cannot be deep. */
export function isTooDeep(value: Json, length: number): boolean {
  return length > 2 * MAX_DEPTH && isDeeper(value, MAX_DEPTH);
}

function isDeeper(value: Json | undefined, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const each of value) if (isDeeper(each, levels - 1)) return true;
    return false;
  }
  for (const key in value) if (isDeeper(value[key], levels - 1)) return true;
  return false;
}

/** JSON.parse as a value: undefined when the text is not JSON, or nests too deeply. */
export function parseJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text);
    return isTooDeep(value, text.length) ? undefined : value;
  } catch {
    return undefined;
  }
}
