/** Many ids as bytes outside the JavaScript heap: a session of 1 GB has hundreds of thousands, and as strings they fill it. */
import { asArray, asNumber, asString, at, type Json, parseJson } from './json.ts';
import { decodeAscii, encode } from './text.ts';

export interface IdList {
  readonly count: number;
  /**
   * Lines of one id each, with their line feeds. Ids of other than visible ASCII characters stand as JSON strings. No block
   * is longer than BLOCK_LENGTH, unless a single line is.
   */
  readonly blocks: readonly Uint8Array[];
  /** As it is stored: `asIdList` reads it. */
  toJSON(): Json;
}

export const BLOCK_LENGTH = 1 << 16;
const LINE_FEED = 10;

export const NO_IDS = newList(0, []);

function newList(count: number, blocks: readonly Uint8Array[]): IdList {
  return { count, blocks, toJSON: listToJson };
}

function listToJson(this: IdList): Json {
  return { count: this.count, blocks: this.blocks.map((block) => textOf(block, 0, block.length)) };
}

/** A list as it was stored; undefined when it is none. */
export function asIdList(json: Json | undefined): IdList | undefined {
  let count = 0;
  const blocks: Uint8Array[] = [];
  for (const each of asArray(at(json, 'blocks')) ?? [null]) {
    const text = asString(each) ?? '';
    const isOneLine = text.indexOf('\n') === text.length - 1;
    if (!text.endsWith('\n') || (text.length > BLOCK_LENGTH && !isOneLine)) return undefined;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) count += 1;
    blocks.push(encode(text));
  }
  return count === asNumber(at(json, 'count')) ? newList(count, blocks) : undefined;
}

export function toIdList(ids: Iterable<string>): IdList {
  const list = createIdList();
  for (const id of ids) list.add(toLine(id));
  return list.result();
}

export function* eachId({ blocks }: IdList): Generator<string> {
  for (const block of blocks) {
    for (let from = 0; from < block.length; ) {
      const end = block.indexOf(LINE_FEED, from);
      yield idAt(block, from);
      from = end + 1;
    }
  }
}

/** A list that holds one id for another, two by two. */
export function* eachPair(list: IdList): Generator<readonly [string, string]> {
  let first: string | undefined;
  for (const id of eachId(list)) {
    if (first !== undefined) yield [first, id];
    first = first === undefined ? id : undefined;
  }
}

export function holdsId(list: IdList, id: string): boolean {
  for (const each of eachId(list)) if (each === id) return true;
  return false;
}

export function lastIdOf({ blocks }: IdList): string | undefined {
  const block = blocks.at(-1);
  return block && idAt(block, block.lastIndexOf(LINE_FEED, -2) + 1);
}

/** The id whose line begins at a place. */
export function idAt(block: Uint8Array, start: number): string {
  const line = textOf(block, start, block.indexOf(LINE_FEED, start));
  return line.startsWith('"') ? (asString(parseJson(line)) ?? line) : line;
}

/** The form an id has in a list: different ids have different lines. */
export function toLine(id: string): string {
  return isPlain(id) ? id : JSON.stringify(id).replace(/[^ -~]/g, escaped);
}

function isPlain(id: string): boolean {
  if (id.length === 0 || id.charCodeAt(0) === 34) return false;
  for (let i = 0; i < id.length; i += 1) {
    const unit = id.charCodeAt(i);
    if (unit <= 32 || unit >= 127) return false;
  }
  return true;
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

export interface GrowingIdList {
  /** Takes a line as `toLine` gives it, and says where in its block it begins. */
  add(line: string): number;
  /** The block that the last line was added to; another array when it had to grow, with the same bytes at the same places. */
  block(): Uint8Array;
  result(): IdList;
}

const FIRST_BYTES = 1 << 10;

export function createIdList(): GrowingIdList {
  const full: Uint8Array[] = [];
  let bytes = new Uint8Array(0);
  let used = 0;
  let count = 0;

  function makeRoom(length: number): void {
    if (used > 0 && used + length > BLOCK_LENGTH) {
      full.push(bytes.subarray(0, used));
      bytes = new Uint8Array(BLOCK_LENGTH);
      used = 0;
    }
    if (used + length <= bytes.length) return;
    const larger = new Uint8Array(Math.max(FIRST_BYTES, used + length, Math.min(BLOCK_LENGTH, 2 * bytes.length)));
    larger.set(bytes.subarray(0, used));
    bytes = larger;
  }

  return {
    add(line) {
      makeRoom(line.length + 1);
      const start = used;
      for (let i = 0; i < line.length; i += 1) bytes[start + i] = line.charCodeAt(i);
      used = start + line.length;
      bytes[used] = LINE_FEED;
      used += 1;
      count += 1;
      return start;
    },
    block: () => bytes,
    result: () => newList(count, used === 0 ? [] : [...full, bytes.subarray(0, used)]),
  };
}

/** As many arguments as every engine takes. */
const SHORT = 8192;

/** Short ones without a decoder: making one takes longer than reading a small session. Spread, bytes go through an iterator. */
function textOf(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > SHORT) return decodeAscii(bytes, start, end);
  return Reflect.apply(String.fromCharCode, undefined, bytes.subarray(start, end));
}
