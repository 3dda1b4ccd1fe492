/** Lines ⇄ entries. An entry is a line with its metadata; the payload stays in its source until someone asks for it. */
import { type Head, headKeep, headOf } from './head.ts';
import { isObject, isTooDeep, type Json, type JsonObject } from './json.ts';
import { type Kind, kindOf } from './kinds.ts';
import type { Line } from './lines.ts';
import { skeleton } from './skeleton.ts';
import { decode } from './text.ts';

/** Where the bytes of entries lie: memory, or a file that is read by range. */
export interface Source {
  readonly name: string;
  read(start: number, end: number): Uint8Array;
}

export interface Entry {
  readonly source: Source;
  readonly line: Line;
  readonly kind: Kind;
  readonly head: Head;
  /** Why the line is unreadable. */
  readonly problem?: string;
}

export const EMPTY_HEAD: Head = headOf({});

/** Longer lines are kept and copied but not looked into: a JavaScript string cannot hold much more. */
export const MAX_PARSED_LINE = 256 * 1024 * 1024;

/** An entry with its whole object at hand, for those who look at every payload anyway. */
export interface ParsedEntry {
  readonly entry: Entry;
  readonly json: JsonObject | undefined;
}

/** Below this size JSON.parse builds a whole line faster than the scan passes over it: measured, see docs/ARCHITECTURE.md. */
const SHORT_LINE = 2048;

/** The entry of a line: a long one by the metadata scan, which leaves what it is not sure of to JSON.parse. */
export function toEntry(source: Source, line: Line, bytes: Uint8Array): Entry {
  return build(source, line, bytes, scanMetadata).entry;
}

/** The same; its whole object comes along where it had to be made. */
export function toEntryAtHand(source: Source, line: Line, bytes: Uint8Array): ParsedEntry {
  const built = build(source, line, bytes, scanMetadata);
  return bytes.length < SHORT_LINE ? built : { entry: built.entry, json: undefined };
}

function scanMetadata(text: Uint8Array): Json | undefined {
  return text.length < SHORT_LINE ? undefined : skeleton(text, headKeep());
}

/** The same entry by way of the whole object. */
export function toParsedEntry(source: Source, line: Line, bytes: Uint8Array): ParsedEntry {
  return build(source, line, bytes, scanNothing);
}

function scanNothing(): undefined {}

/** `scan` gives what is enough of a line, or undefined: then it is parsed. */
function build(
  source: Source,
  line: Line,
  bytes: Uint8Array,
  scan: (text: Uint8Array) => Json | undefined,
): ParsedEntry {
  const from = bomLength(line, bytes);
  const text = from > 0 ? bytes.subarray(from) : bytes;
  if (isBlank(text)) return { entry: { source, line, kind: 'blank', head: EMPTY_HEAD }, json: undefined };
  const isShort = text.length <= MAX_PARSED_LINE;
  const scanned = isShort ? scan(text) : undefined;
  const value = isShort ? (scanned ?? parseWhole(text)) : undefined;
  // The scan gives up where nesting is deep: what it gives needs no second look.
  if (!isObject(value) || (value !== scanned && isTooDeep(value, text.length))) {
    const problem = whyUnreadable(text, value);
    return { entry: { source, line, kind: 'unreadable', head: EMPTY_HEAD, problem }, json: undefined };
  }
  const head = headOf(value);
  return { entry: { source, line, kind: kindOf(head), head }, json: value };
}

/** The bytes of an entry's line, without the line end. */
export function bytesOf(entry: Entry): Uint8Array {
  return entry.source.read(entry.line.start, entry.line.end);
}

/** The whole object of an entry; undefined for blank and unreadable lines. */
export function jsonOf(entry: Entry): JsonObject | undefined {
  return entry.kind === 'blank' || entry.kind === 'unreadable' ? undefined : jsonIn(entry, bytesOf(entry));
}

/** The same where the bytes of the line are at hand. */
export function jsonIn(entry: Entry, bytes: Uint8Array): JsonObject | undefined {
  if (entry.kind === 'blank' || entry.kind === 'unreadable') return undefined;
  const from = bomLength(entry.line, bytes);
  const value = parseWhole(from > 0 ? bytes.subarray(from) : bytes);
  return isObject(value) ? value : undefined;
}

function parseWhole(bytes: Uint8Array): Json | undefined {
  try {
    const value: Json = JSON.parse(decode(bytes));
    return value;
  } catch {
    return undefined;
  }
}

/** A byte order mark can stand only at the start of the file; it is not part of the JSON. */
function bomLength(line: Line, bytes: Uint8Array): number {
  return line.start === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

function isBlank(bytes: Uint8Array): boolean {
  // By index: an iterator for each line takes as long as building a small head.
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i];
    if (byte !== 32 && byte !== 9 && byte !== 13) return false;
  }
  return true;
}

function whyUnreadable(bytes: Uint8Array, value: Json | undefined): string {
  if (isObject(value)) return 'nested too deeply';
  if (value !== undefined) return 'JSON, but not an object';
  if (bytes.length > MAX_PARSED_LINE) return 'too long to parse';
  if (bytes.includes(0)) return 'contains NUL bytes';
  const first = bytes.find((byte) => byte > 32);
  return first === 123 ? 'invalid or cut-off JSON' : 'not JSON';
}
