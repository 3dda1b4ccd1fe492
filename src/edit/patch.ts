/** Changes some values of a line and leaves the bytes of all others alone: numbers, escapes and spaces stay as written (E2). */
import { asString, isObject, type Json, type JsonObject, parseJson } from '../format/json.ts';
import {
  beginScan,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  skipColon,
  skipSpace,
  skipString,
  skipValue,
  UNSURE,
} from '../format/jsonscan.ts';
import { decode, encode } from '../format/text.ts';
import { createOutput, type Output } from './output.ts';

/** `after` is what `before`, the line's own object, is to become; values that are the very same are not written anew. */
export function patchLine(line: Uint8Array, before: JsonObject, after: JsonObject): Uint8Array {
  if (isSame(before, after)) return line;
  try {
    return patch(hasMark(line) ? line.subarray(3) : line, before, after);
  } catch (error) {
    // Nested very deep, or a name that occurs twice.
    if (error === UNSURE) return encode(JSON.stringify(after));
    throw error;
  }
}

function isSame(before: JsonObject, after: JsonObject): boolean {
  for (const name of Object.keys(after)) if (after[name] !== before[name]) return false;
  return Object.keys(before).every((name) => Object.hasOwn(after, name));
}

/** A byte order mark may stand before the first line of a file. */
function hasMark(line: Uint8Array): boolean {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf;
}

function patch(line: Uint8Array, before: JsonObject, after: JsonObject): Uint8Array {
  beginScan(line);
  const out = createOutput(line);
  const end = patchObject(out, skipSpace(0), before, after, 1);
  if (skipSpace(end) !== line.length) throw UNSURE;
  return out.bytes();
}

/** Each writes what a value is to be and returns where it ends in the line. */
function patchValue(out: Output, from: number, before: Json | undefined, after: Json, depth: number): number {
  if (isObject(before) && isObject(after)) return patchObject(out, from, before, after, depth);
  if (Array.isArray(before) && Array.isArray(after)) return patchArray(out, from, before, after, depth);
  out.text(JSON.stringify(after));
  return skipValue(from, depth);
}

function patchObject(out: Output, from: number, before: JsonObject, after: JsonObject, depth: number): number {
  const { line } = out;
  const names = Object.keys(before);
  let count = 0;
  let written = 0;
  let at = firstItem(line, from, OPEN_OBJECT, CLOSE_OBJECT);
  while (line[at - 1] !== CLOSE_OBJECT) {
    const stop = skipString(at);
    const name = nameAt(line, at, stop, names[count]);
    const valueStart = skipSpace(skipColon(stop));
    const now = Object.hasOwn(after, name) ? after[name] : undefined;
    count += 1;
    let end: number;
    if (now === undefined) end = skipValue(valueStart, depth + 1);
    else {
      out.text(written === 0 ? '{' : ',');
      written += 1;
      if (now === before[name]) {
        end = skipValue(valueStart, depth + 1);
        out.copy(at, end);
      } else {
        out.copy(at, valueStart);
        end = patchValue(out, valueStart, before[name], now, depth + 1);
      }
    }
    at = nextItem(line, end, CLOSE_OBJECT);
  }
  if (count !== names.length) throw UNSURE;
  for (const name of Object.keys(after)) {
    if (after[name] === undefined || Object.hasOwn(before, name)) continue;
    out.text(`${written === 0 ? '{' : ','}${JSON.stringify(name)}:${JSON.stringify(after[name])}`);
    written += 1;
  }
  out.text(written === 0 ? '{}' : '}');
  return at;
}

/** Where no item came or went each is changed at its place; else those that are the same are taken over. */
function patchArray(out: Output, from: number, before: Json[], after: Json[], depth: number): number {
  const { line } = out;
  const inPlace = before.length === after.length;
  const starts: number[] = [];
  const ends: number[] = [];
  let at = firstItem(line, from, OPEN_ARRAY, CLOSE_ARRAY);
  while (line[at - 1] !== CLOSE_ARRAY) {
    const place = starts.length;
    const now = after[place];
    if (inPlace) out.text(place === 0 ? '[' : ',');
    const isChanged = inPlace && now !== undefined && now !== before[place];
    const end = isChanged ? patchValue(out, at, before[place], now, depth + 1) : skipValue(at, depth + 1);
    if (inPlace && !isChanged) out.copy(at, end);
    starts.push(at);
    ends.push(end);
    at = nextItem(line, end, CLOSE_ARRAY);
  }
  if (starts.length !== before.length) throw UNSURE;
  let next = 0;
  for (const [place, item] of inPlace ? [] : after.entries()) {
    out.text(place === 0 ? '[' : ',');
    const found = before.indexOf(item, next);
    if (found < 0) out.text(JSON.stringify(item));
    else {
      out.copy(starts[found] ?? 0, ends[found] ?? 0);
      next = found + 1;
    }
  }
  out.text(after.length === 0 ? '[]' : ']');
  return at;
}

/** Where the first item begins, or behind the closing sign where there is none. */
function firstItem(line: Uint8Array, from: number, open: number, close: number): number {
  if (line[from] !== open) throw UNSURE;
  const at = skipSpace(from + 1);
  return line[at] === close ? at + 1 : at;
}

/** Where the item after one that ends here begins, or behind the closing sign. */
function nextItem(line: Uint8Array, end: number, close: number): number {
  const at = skipSpace(end);
  if (line[at] === close) return at + 1;
  if (line[at] !== COMMA) throw UNSURE;
  return skipSpace(at + 1);
}

/** Members mostly stand in the order of the object's own names: then none is built anew. */
function nameAt(line: Uint8Array, start: number, stop: number, expected: string | undefined): string {
  if (expected !== undefined && isWritten(line, start + 1, stop - 1, expected)) return expected;
  return asString(parseJson(decode(line, start, stop))) ?? '';
}

function isWritten(line: Uint8Array, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false;
  for (let i = 0; i < name.length; i += 1) if (line[start + i] !== name.charCodeAt(i)) return false;
  return true;
}
