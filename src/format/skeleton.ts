/**
 * The metadata of a line without building the whole object: a byte scan that checks the line is JSON and keeps only the
 * values the spec names. `skeleton(bytes)` equals `prune(JSON.parse(bytes))` for every line it accepts; where it is not
 * sure (invalid or very deep JSON) it says so with undefined, and the caller falls back to JSON.parse.
 */
import { isObject, type Json, type JsonObject } from './json.ts';
import { decode, decodeAscii, encode } from './text.ts';

/** What to keep of a value: all of it, its type only (a string becomes ''), the named keys of an object, or the items of an array. */
export type Keep = 'value' | 'type' | KeepKeys | KeepItems;
export interface KeepKeys {
  readonly keys: ReadonlyMap<string, Key>;
  /** The same keys by length in bytes, so that most are told apart without building a string. */
  readonly byLength: readonly (readonly Key[])[];
}
interface Key {
  readonly name: string;
  readonly keep: Keep;
  readonly bytes: Uint8Array;
  /** The string last read here: ids, paths and versions repeat from line to line and are then shared, not copied. */
  last: string;
}
export interface KeepItems {
  readonly items: Keep;
}

export function keepKeys(kept: Record<string, Keep>): KeepKeys {
  const keys = new Map<string, Key>();
  const byLength: Key[][] = [];
  for (const [name, keep] of Object.entries(kept)) {
    const key = { name, keep, bytes: encode(name), last: '' };
    keys.set(name, key);
    for (let length = byLength.length; length <= key.bytes.length; length += 1) byLength.push([]);
    byLength[key.bytes.length]?.push(key);
  }
  return { keys, byLength };
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

const QUOTE = 34;
const BACKSLASH = 92;
const MAX_DEPTH = 200;
/** The two-character escapes of JSON: " \ / b f n r t; `u` is checked apart. */
const ESCAPES = new Uint8Array(256);
for (const code of [34, 92, 47, 98, 102, 110, 114, 116]) ESCAPES[code] = 1;

const UNSURE = { unsure: true };

// The scanner's state lives in the module: one scan runs at a time, and a closure per line would cost more than the scan.
let bytes: Uint8Array = new Uint8Array();
let words = new DataView(bytes.buffer);
let at = 0;
let end = 0;

export function skeleton(line: Uint8Array, keep: Keep): Json | undefined {
  bytes = line;
  if (words.buffer !== line.buffer) words = new DataView(line.buffer);
  at = 0;
  end = line.length;
  try {
    const value = readValue(keep, 0);
    skipSpace();
    return at === end ? value : undefined;
  } catch (error) {
    if (error === UNSURE) return undefined;
    throw error;
  }
}

function readValue(keep: Keep, depth: number, key?: Key): Json {
  skipSpace();
  const first = bytes[at];
  if (first === QUOTE) {
    if (keep === 'value') return readString(key);
    skipString();
    return '';
  }
  if (first === 123 || first === 91) {
    if (keep === 'value') return parseSlice(depth);
    if (keep === 'type') {
      skipValue(depth);
      return first === 123 ? {} : [];
    }
    return first === 123 ? readObject(keep, depth) : readArray(keep, depth);
  }
  return parseSlice(depth);
}

function readObject(keep: KeepKeys | KeepItems, depth: number): JsonObject {
  const object: JsonObject = {};
  const wanted = 'keys' in keep ? keep : undefined;
  at += 1;
  skipSpace();
  if (bytes[at] === 125) {
    at += 1;
    return object;
  }
  for (;;) {
    skipSpace();
    const start = at;
    if (bytes[at] !== QUOTE) throw UNSURE;
    const plain = skipString();
    const key = wanted && findKey(wanted, start, at, plain);
    skipSpace();
    expect(58);
    if (key === undefined) skipValue(depth + 1);
    else object[key.name] = readValue(key.keep, depth + 1, key);
    skipSpace();
    if (bytes[at] === 44) {
      at += 1;
      continue;
    }
    expect(125);
    return object;
  }
}

function readArray(keep: KeepKeys | KeepItems, depth: number): Json[] {
  const array: Json[] = [];
  const items = 'items' in keep ? keep.items : undefined;
  at += 1;
  skipSpace();
  if (bytes[at] === 93) {
    at += 1;
    return array;
  }
  for (;;) {
    if (items === undefined) skipValue(depth + 1);
    else array.push(readValue(items, depth + 1));
    skipSpace();
    if (bytes[at] === 44) {
      at += 1;
      continue;
    }
    expect(93);
    return array;
  }
}

function skipValue(depth: number): void {
  if (depth > MAX_DEPTH) throw UNSURE;
  skipSpace();
  const first = bytes[at];
  if (first === QUOTE) skipString();
  else if (first === 123) skipMembers(125, true, depth);
  else if (first === 91) skipMembers(93, false, depth);
  else skipScalar();
}

function skipMembers(close: number, keyed: boolean, depth: number): void {
  at += 1;
  skipSpace();
  if (bytes[at] === close) {
    at += 1;
    return;
  }
  for (;;) {
    if (keyed) {
      skipSpace();
      if (bytes[at] !== QUOTE) throw UNSURE;
      skipString();
      skipSpace();
      expect(58);
    }
    skipValue(depth + 1);
    skipSpace();
    if (bytes[at] === 44) {
      at += 1;
      continue;
    }
    expect(close);
    return;
  }
}

/** Numbers and literals are short: they are cut out and checked by JSON.parse itself. */
function skipScalar(): void {
  const start = at;
  while (at < end) {
    const byte = bytes[at] ?? 0;
    if (byte === 44 || byte === 125 || byte === 93 || byte <= 32) break;
    at += 1;
  }
  if (isCommonScalar(start)) return;
  parseOrUnsure(decode(bytes, start, at));
}

/** true, false, null and plain integers without a leading zero, recognised without a string. */
function isCommonScalar(start: number): boolean {
  const length = at - start;
  const first = bytes[start] ?? 0;
  if (length === 4 && first === 116)
    return bytes[start + 1] === 114 && bytes[start + 2] === 117 && bytes[start + 3] === 101;
  if (length === 4 && first === 110)
    return bytes[start + 1] === 117 && bytes[start + 2] === 108 && bytes[start + 3] === 108;
  if (first < 49 || first > 57) return false;
  for (let i = start + 1; i < at; i += 1) {
    const digit = bytes[i] ?? 0;
    if (digit < 48 || digit > 57) return false;
  }
  return true;
}

/** The wanted key written between two quotes, if it is one. */
function findKey(wanted: KeepKeys, start: number, stop: number, plain: boolean): Key | undefined {
  if (!plain) {
    const name = parseOrUnsure(decode(bytes, start, stop));
    return typeof name === 'string' ? wanted.keys.get(name) : undefined;
  }
  const candidates = wanted.byLength[stop - start - 2];
  if (candidates === undefined) return undefined;
  next: for (const key of candidates) {
    for (let i = 0; i < key.bytes.length; i += 1) if (key.bytes[i] !== bytes[start + 1 + i]) continue next;
    return key;
  }
  return undefined;
}

/** Passes over a string, checking it; says whether it is plain ASCII without escapes. */
function skipString(): boolean {
  const line = bytes;
  const view = words;
  const base = line.byteOffset;
  const lastWord = end - 4;
  let seen = 0;
  let i = at + 1;
  let plain = true;
  for (;;) {
    // Four bytes at a time while none is a quote, a backslash or a control character.
    while (i <= lastWord) {
      const word = view.getInt32(base + i, true);
      const control = word - 0x20202020;
      const quote = (word ^ 0x22222222) - 0x01010101;
      const backslash = (word ^ 0x5c5c5c5c) - 0x01010101;
      const hits = (control | quote | backslash) & ~word & 0x80808080;
      seen |= word;
      if (hits !== 0) {
        i += (31 - Math.clz32(hits & -hits)) >> 3;
        break;
      }
      i += 4;
    }
    if (i >= end) throw UNSURE;
    const byte = line[i] ?? 0;
    if (byte === QUOTE) break;
    if (byte === BACKSLASH) {
      plain = false;
      i = skipEscape(i);
    } else {
      if (byte < 32) throw UNSURE;
      seen |= byte;
      i += 1;
    }
  }
  at = i + 1;
  // `seen` may hold bytes after the closing quote: then a plain string merely takes the slower way.
  return plain && (seen & 0x80808080) === 0;
}

function skipEscape(i: number): number {
  const next = bytes[i + 1] ?? 0;
  if (next !== 117) {
    if (ESCAPES[next] !== 1) throw UNSURE;
    return i + 2;
  }
  for (let digit = i + 2; digit < i + 6; digit += 1) if (!isHex(bytes[digit] ?? 0)) throw UNSURE;
  return i + 6;
}

function readString(key?: Key): string {
  const start = at;
  if (!skipString()) {
    const value = parseOrUnsure(decode(bytes, start, at));
    if (typeof value !== 'string') throw UNSURE;
    return value;
  }
  if (key === undefined) return decodeAscii(bytes, start + 1, at - 1);
  if (!repeats(key.last, start + 1, at - 1)) key.last = decodeAscii(bytes, start + 1, at - 1);
  return key.last;
}

function repeats(last: string, start: number, stop: number): boolean {
  if (last.length !== stop - start) return false;
  for (let i = 0; i < last.length; i += 1) if (last.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}

function parseSlice(depth: number): Json {
  const start = at;
  skipValue(depth);
  return parseOrUnsure(decode(bytes, start, at));
}

function parseOrUnsure(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    return value;
  } catch {
    throw UNSURE;
  }
}

function expect(byte: number): void {
  if (bytes[at] !== byte) throw UNSURE;
  at += 1;
}

function skipSpace(): void {
  while (at < end) {
    const byte = bytes[at];
    if (byte !== 32 && byte !== 9 && byte !== 10 && byte !== 13) return;
    at += 1;
  }
}

function isHex(byte: number): boolean {
  return (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102);
}
