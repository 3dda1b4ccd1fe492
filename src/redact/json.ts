/**
 * Masks every string of a JSON text, names too, and leaves every other byte as it is. Strings are looked at as what they
 * say, so an escape inside a secret does not hide it. What is not JSON is masked as the text it is.
 */

import { type Json, parseJson } from '../format/json.ts';
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
} from '../format/jsonscan.ts';
import { decode, decodeAscii, encode } from '../format/text.ts';
import { secretArgument, secretMember } from './assignment.ts';
import type { Masker } from './masker.ts';
import { NOT_SCANNED } from './placeholder.ts';

/** One string of the text: where, what it says, and under which name. */
interface Place {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  name: string | undefined;
}

/** Strings that stand alone, or side by side in an array. */
type Group = Place[];

const MAX_DEPTH = 200;
/** More does not fit into one string. */
const LONGEST = 256e6;

export function maskJsonBytes(bytes: Uint8Array, masker: Masker): Uint8Array {
  if (bytes.length > LONGEST) {
    masker.fail();
    return encode(JSON.stringify(NOT_SCANNED));
  }
  const groups = stringsOf(bytes);
  return groups ? withEdits(bytes, editsOf(groups, masker)) : maskPlain(bytes, masker);
}

export function maskJsonText(text: string, masker: Masker): string {
  if (masker.isClean(text)) return text;
  const bytes = Buffer.from(text);
  const masked = maskJsonBytes(bytes, masker);
  return masked === bytes ? text : decode(masked);
}

export function maskJson(value: Json, masker: Masker): Json {
  const text = JSON.stringify(value);
  const masked = maskJsonText(text, masker);
  return masked === text ? value : (parseJson(masked) ?? NOT_SCANNED);
}

/** Every byte is a character here, so that those which are no text come back as they were. */
function maskPlain(bytes: Uint8Array, masker: Masker): Uint8Array {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const masked = masker.mask(text);
  return masked === text ? bytes : Buffer.from(masked, 'latin1');
}

function stringsOf(bytes: Uint8Array): readonly Group[] | undefined {
  const groups: Group[] = [];
  const place = (start: number, end: number, name: string | undefined): Place => {
    const text = wasPlain() ? decodeAscii(bytes, start + 1, end - 1) : parseOrUnsure(decode(bytes, start, end));
    return { start, end, text, name };
  };
  const visit = (from: number, name: string | undefined, group: Group | undefined, depth: number): number => {
    if (depth > MAX_DEPTH) throw UNSURE;
    const i = skipSpace(from);
    if (bytes[i] === QUOTE) {
      const end = skipString(i);
      if (group) group.push(place(i, end, name));
      else groups.push([place(i, end, name)]);
      return end;
    }
    if (bytes[i] === OPEN_OBJECT) return visitObject(i, depth);
    return bytes[i] === OPEN_ARRAY ? visitArray(i, name, depth) : skipValue(i, depth);
  };
  const visitObject = (from: number, depth: number): number => {
    let i = skipSpace(from + 1);
    let named: Place | undefined;
    let valued: Place | undefined;
    if (bytes[i] === CLOSE_OBJECT) return i + 1;
    for (;;) {
      const start = skipSpace(i);
      const end = skipString(start);
      const key = place(start, end, undefined);
      groups.push([key]);
      const value = skipSpace(skipColon(end));
      const at = groups.length;
      i = skipSpace(visit(value, key.text, undefined, depth + 1));
      const member = bytes[value] === QUOTE ? groups[at]?.[0] : undefined;
      if (VALUE_NAME.test(key.text)) valued = member;
      else if (NAME_NAME.test(key.text)) named = member;
      if (bytes[i] === CLOSE_OBJECT) {
        if (named && valued && !OPAQUE.has(named.text)) valued.name = named.text;
        return i + 1;
      }
      if (bytes[i] !== COMMA) throw UNSURE;
      i += 1;
    }
  };
  const visitArray = (from: number, name: string | undefined, depth: number): number => {
    const group: Group = [];
    groups.push(group);
    let i = skipSpace(from + 1);
    if (bytes[i] === CLOSE_ARRAY) return i + 1;
    for (;;) {
      i = skipSpace(visit(i, name, group, depth + 1));
      if (bytes[i] === CLOSE_ARRAY) return i + 1;
      if (bytes[i] !== COMMA) throw UNSURE;
      i += 1;
    }
  };
  try {
    beginScan(bytes);
    const end = skipSpace(visit(0, undefined, undefined, 0));
    return end === bytes.length ? groups : undefined;
  } catch (error) {
    if (error === UNSURE) return undefined;
    throw error;
  }
}

/** `{"name": "DB_PASSWORD", "value": "…"}`: as if it were a member of its own. */
const NAME_NAME = /^(?:name|key|variable)$/i;
const VALUE_NAME = /^value$/i;

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function editsOf(groups: readonly Group[], masker: Masker): Edit[] {
  return groups.flatMap((group) => {
    const shown = group.filter((place) => !isOpaque(place, masker));
    const masked = masker.maskLines(shown.map(({ text }) => text));
    return shown.flatMap((place, index): Edit[] => {
      const text = memberMasked(place, shown[index - 1]?.text, masked[index] ?? '', masker);
      return text === place.text ? [] : [{ start: place.start, end: place.end, text: JSON.stringify(text) }];
    });
  });
}

/** `"password": "…"`, `["--password", "…"]`: name and value are two strings of the text. */
function memberMasked({ name, text }: Place, before: string | undefined, masked: string, masker: Masker): string {
  if (masked !== text) return masked;
  const member = name === undefined ? undefined : secretMember(name, text);
  const found = member ?? (before === undefined ? undefined : secretArgument(before, text));
  if (found) return masker.maskWhole(text, found.kind, found.guessable);
  if (name === undefined) return masked;
  return HEADER.test(name) ? headerMasked(name, text, masker) : masked;
}

const HEADER = /^(?:proxy-)?authorization$|^(?:set-)?cookie$/i;

/** A header with its value as it would be sent. */
function headerMasked(name: string, value: string, masker: Masker): string {
  const before = `${name}: `;
  const masked = masker.mask(before + value);
  return masked.startsWith(before) ? masked.slice(before.length) : value;
}

/** Images and the signatures of thinking are bytes in base64: nothing to read, and worthless when changed. */
const OPAQUE = new Set(['data', 'base64', 'signature', 'encrypted_content', 'encrypted_stdout']);
const BASE64 = /^[A-Za-z0-9+/_-]{100,}={0,2}$/;

function isOpaque({ name, text }: Place, masker: Masker): boolean {
  if (name === undefined || !OPAQUE.has(name) || !BASE64.test(text)) return false;
  if (name !== 'signature') masker.pass();
  return true;
}

function withEdits(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  if (edits.length === 0) return bytes;
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(bytes.subarray(at, start), encode(text));
    at = end;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}
