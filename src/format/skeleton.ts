/**
 * The metadata of a line without building the whole object: a byte scan that checks the line is JSON and keeps only the
 * values the spec names. `skeleton(bytes)` equals `prune(JSON.parse(bytes))` for every line it accepts; where it is not
 * sure (invalid or very deep JSON) it says so with undefined, and the caller falls back to JSON.parse.
 */
import { isObject, type Json, type JsonObject } from './json.ts';
import {
  beginScan,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  parseOrUnsure,
  QUOTE,
  skipColon,
  skipSpace,
  skipString,
  skipValue,
  UNSURE,
  wasPlain,
} from './jsonscan.ts';
import { decode, decodeAscii, encodeAscii } from './text.ts';

/** What to keep of a value: all of it, its type only (a string becomes ''), the named keys of an object, or the items of an array. */
export type Keep = 'value' | 'type' | KeepKeys | KeepItems;
export interface KeepKeys {
  readonly keys: ReadonlyMap<string, Key>;
  /** The same keys by length in bytes, so that most are told apart without building a string. */
  readonly byLength: readonly (readonly Key[])[];
  /** All keys without a value: objects start as copies of it, so that they share one shape and never grow. */
  readonly empty: JsonObject;
}
export interface KeepItems {
  readonly items: Keep;
}
interface Key {
  readonly name: string;
  readonly keep: Keep;
  readonly bytes: Uint8Array;
}

export function keepKeys(kept: Record<string, Keep>): KeepKeys {
  const keys = new Map<string, Key>();
  const byLength: Key[][] = [];
  for (const [name, keep] of Object.entries(kept)) {
    const key = { name, keep, bytes: encodeAscii(name) };
    keys.set(name, key);
    for (let length = byLength.length; length <= key.bytes.length; length += 1) byLength.push([]);
    byLength[key.bytes.length]?.push(key);
  }
  const empty = Object.fromEntries(Object.keys(kept).map((name) => [name, undefined]));
  return { keys, byLength, empty };
}

/** The same selection made on a parsed value: what the byte scan must agree with. */
export function prune(value: Json, keep: Keep): Json {
  if (keep === 'value') return value;
  if (isObject(value)) {
    const kept: JsonObject = {};
    if (keep === 'type' || 'items' in keep) return kept;
    for (const [key, inner] of Object.entries(value)) {
      const wanted = keep.keys.get(key);
      if (wanted !== undefined && inner !== undefined) kept[key] = prune(inner, wanted.keep);
    }
    return kept;
  }
  if (Array.isArray(value)) {
    return keep !== 'type' && 'items' in keep ? value.map((item) => prune(item, keep.items)) : [];
  }
  return typeof value === 'string' ? '' : value;
}

let bytes: Uint8Array = new Uint8Array();
/** Where the value last read ended: reading gives a value and a position. */
let at = 0;

export function skeleton(line: Uint8Array, keep: Keep): Json | undefined {
  bytes = line;
  beginScan(line);
  try {
    const value = readValue(0, keep, 0);
    return skipSpace(at) === line.length ? value : undefined;
  } catch (error) {
    if (error === UNSURE) return undefined;
    throw error;
  }
}

function readValue(from: number, keep: Keep, depth: number): Json {
  const i = skipSpace(from);
  const first = bytes[i];
  if (first === QUOTE) {
    if (keep === 'value') return readString(i);
    at = skipString(i);
    return '';
  }
  if (typeof keep === 'object') {
    if (first === OPEN_OBJECT) return readObject(i, 'keys' in keep ? keep : undefined, depth);
    if (first === OPEN_ARRAY) return readArray(i, 'items' in keep ? keep.items : undefined, depth);
  }
  at = skipValue(i, depth);
  if (keep === 'type' && first === OPEN_OBJECT) return {};
  if (keep === 'type' && first === OPEN_ARRAY) return [];
  if (first === 116) return true;
  if (first === 102) return false;
  if (first === 110) return null;
  const value: Json = parseOrUnsure(decode(bytes, i, at));
  return value;
}

function readObject(from: number, wanted: KeepKeys | undefined, depth: number): JsonObject {
  const object: JsonObject = wanted ? { ...wanted.empty } : {};
  let i = skipSpace(from + 1);
  at = i + 1;
  if (bytes[i] === CLOSE_OBJECT) return object;
  for (;;) {
    const start = skipSpace(i);
    const stop = skipString(start);
    const key = wanted && findKey(wanted, start, stop);
    i = skipColon(stop);
    if (key === undefined) at = skipValue(i, depth + 1);
    else object[key.name] = readValue(i, key.keep, depth + 1);
    i = skipSpace(at);
    at = i + 1;
    if (bytes[i] === CLOSE_OBJECT) return object;
    if (bytes[i] !== COMMA) throw UNSURE;
    i += 1;
  }
}

function readArray(from: number, items: Keep | undefined, depth: number): Json[] {
  const array: Json[] = [];
  let i = skipSpace(from + 1);
  at = i + 1;
  if (bytes[i] === CLOSE_ARRAY) return array;
  for (;;) {
    if (items === undefined) at = skipValue(i, depth + 1);
    else array.push(readValue(i, items, depth + 1));
    i = skipSpace(at);
    at = i + 1;
    if (bytes[i] === CLOSE_ARRAY) return array;
    if (bytes[i] !== COMMA) throw UNSURE;
    i += 1;
  }
}

/** The wanted key written between two quotes, if it is one. */
function findKey(wanted: KeepKeys, start: number, stop: number): Key | undefined {
  if (!wasPlain()) {
    const name: Json = parseOrUnsure(decode(bytes, start, stop));
    return typeof name === 'string' ? wanted.keys.get(name) : undefined;
  }
  const candidates = wanted.byLength[stop - start - 2];
  if (candidates === undefined) return undefined;
  for (const key of candidates) if (isWritten(key.bytes, start + 1)) return key;
  return undefined;
}

function isWritten(word: Uint8Array, from: number): boolean {
  for (let i = 0; i < word.length; i += 1) if (word[i] !== bytes[from + i]) return false;
  return true;
}

function readString(from: number): string {
  at = skipString(from);
  if (wasPlain()) return decodeAscii(bytes, from + 1, at - 1);
  const value: Json = parseOrUnsure(decode(bytes, from, at));
  if (typeof value !== 'string') throw UNSURE;
  return value;
}
