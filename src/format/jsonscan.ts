/**
 * Passing over JSON in bytes without building it. Every function takes a position and returns the one after what it
 * passed; invalid JSON, or nesting deeper than it follows, ends the scan by throwing UNSURE. What it passes is JSON:
 * JSON.parse would accept it.
 */
import { makeStringKernel, NO_STRING, type StringKernel } from './stringkernel.ts';
import { decode } from './text.ts';

export const UNSURE = { unsure: true };

export const QUOTE = 34;
const BACKSLASH = 92;
export const COMMA = 44;
const COLON = 58;
export const OPEN_OBJECT = 123;
export const CLOSE_OBJECT = 125;
export const OPEN_ARRAY = 91;
export const CLOSE_ARRAY = 93;
const MAX_DEPTH = 200;

/** The two-character escapes of JSON: " \ / b f n r t; `u` is checked apart. */
const ESCAPES = new Uint8Array(256);
for (const code of [34, 92, 47, 98, 102, 110, 114, 116]) ESCAPES[code] = 1;

// The line being scanned lives in the module: one scan runs at a time, and handing it through every call costs more.
let bytes: Uint8Array = new Uint8Array();
let words = new DataView(bytes.buffer);
let base = 0;
let end = 0;
let kernel: StringKernel | undefined;
/** Whether the line lies where the kernel sees it. */
let inKernel = false;
/** Whether the string last passed is ASCII without escapes. */
let plain = true;

export function beginScan(line: Uint8Array): void {
  bytes = line;
  if (words.buffer !== line.buffer) words = new DataView(line.buffer);
  base = line.byteOffset;
  end = line.length;
  inKernel = kernel !== undefined && line.buffer === kernel.text.buffer;
}

/** Memory of a length in which lines are scanned quicker than elsewhere; undefined where the machine cannot do it. */
export function enableKernel(length: number): Uint8Array | undefined {
  kernel ??= makeStringKernel(length);
  return kernel?.text;
}

export function wasPlain(): boolean {
  return plain;
}

export function skipSpace(from: number): number {
  let i = from;
  while (i < end) {
    const byte = bytes[i];
    if (byte !== 32 && byte !== 9 && byte !== 10 && byte !== 13) break;
    i += 1;
  }
  return i;
}

export function skipValue(from: number, depth: number): number {
  const i = skipSpace(from);
  const first = bytes[i];
  if (first === QUOTE) return skipString(i);
  if (first === OPEN_OBJECT) return skipObject(i, depth);
  if (first === OPEN_ARRAY) return skipArray(i, depth);
  return skipScalar(i);
}

function skipObject(from: number, depth: number): number {
  if (depth > MAX_DEPTH) throw UNSURE;
  let i = skipSpace(from + 1);
  if (bytes[i] === CLOSE_OBJECT) return i + 1;
  for (;;) {
    i = skipColon(skipString(skipSpace(i)));
    i = skipSpace(skipValue(i, depth + 1));
    const byte = bytes[i];
    if (byte === CLOSE_OBJECT) return i + 1;
    if (byte !== COMMA) throw UNSURE;
    i += 1;
  }
}

function skipArray(from: number, depth: number): number {
  if (depth > MAX_DEPTH) throw UNSURE;
  let i = skipSpace(from + 1);
  if (bytes[i] === CLOSE_ARRAY) return i + 1;
  for (;;) {
    i = skipSpace(skipValue(i, depth + 1));
    const byte = bytes[i];
    if (byte === CLOSE_ARRAY) return i + 1;
    if (byte !== COMMA) throw UNSURE;
    i += 1;
  }
}

export function skipColon(from: number): number {
  const i = skipSpace(from);
  if (bytes[i] !== COLON) throw UNSURE;
  return i + 1;
}

/** Passes over a string, checking every byte of it. */
export function skipString(from: number): number {
  if (bytes[from] !== QUOTE) throw UNSURE;
  return inKernel ? skipInKernel(from) : skipByWords(from);
}

function skipInKernel(from: number): number {
  const found = kernel?.endOf(base + from + 1, base + end) ?? NO_STRING;
  if (found === NO_STRING) throw UNSURE;
  plain = (found & 3) === 0;
  return (found >> 2) - base + 1;
}

function skipByWords(from: number): number {
  const line = bytes;
  const view = words;
  const offset = base;
  const lastPair = end - 8;
  let seen = 0;
  let escaped = false;
  let i = from + 1;
  for (;;) {
    // Eight bytes at a time while none is a quote, a backslash or a control character. Of all bytes only control
    // characters and the quote are below 0x21 when their second bit is turned.
    while (i <= lastPair) {
      const word = view.getInt32(offset + i, true);
      const next = view.getInt32(offset + i + 4, true);
      const hits = (((word ^ 0x02020202) - 0x21212121) | ((word ^ 0x5c5c5c5c) - 0x01010101)) & ~word & 0x80808080;
      const later = (((next ^ 0x02020202) - 0x21212121) | ((next ^ 0x5c5c5c5c) - 0x01010101)) & ~next & 0x80808080;
      seen |= word | next;
      if ((hits | later) !== 0) {
        i += hits === 0 ? 4 + ((31 - Math.clz32(later & -later)) >> 3) : (31 - Math.clz32(hits & -hits)) >> 3;
        break;
      }
      i += 8;
    }
    if (i >= end) throw UNSURE;
    const byte = line[i] ?? 0;
    if (byte === QUOTE) break;
    if (byte === BACKSLASH) {
      escaped = true;
      i = skipEscape(i);
    } else {
      if (byte < 32) throw UNSURE;
      seen |= byte;
      i += 1;
    }
  }
  // `seen` may hold bytes after the closing quote: then a plain string merely takes the slower way.
  plain = !escaped && (seen & 0x80808080) === 0;
  return i + 1;
}

function skipEscape(i: number): number {
  const next = bytes[i + 1] ?? 0;
  if (ESCAPES[next] === 1) return i + 2;
  if (next !== 117) throw UNSURE;
  for (let digit = i + 2; digit < i + 6; digit += 1) if (!isHex(bytes[digit] ?? 0)) throw UNSURE;
  return i + 6;
}

function isHex(byte: number): boolean {
  return (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 70) || (byte >= 97 && byte <= 102);
}

/** Numbers and literals are short; all but the most common are checked by JSON.parse itself. */
function skipScalar(from: number): number {
  let i = from;
  while (i < end) {
    const byte = bytes[i] ?? 0;
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY || byte <= 32) break;
    i += 1;
  }
  if (!isCommonScalar(from, i)) parseOrUnsure(decode(bytes, from, i));
  return i;
}

/** true, false, null and integers without a leading zero. */
function isCommonScalar(from: number, to: number): boolean {
  const first = bytes[from] ?? 0;
  if (first === 116) return isWord(from, to, 'true');
  if (first === 102) return isWord(from, to, 'false');
  if (first === 110) return isWord(from, to, 'null');
  if (first < 49 || first > 57) return false;
  for (let i = from + 1; i < to; i += 1) {
    const digit = bytes[i] ?? 0;
    if (digit < 48 || digit > 57) return false;
  }
  return true;
}

function isWord(from: number, to: number, word: string): boolean {
  if (to - from !== word.length) return false;
  for (let i = 0; i < word.length; i += 1) if (bytes[from + i] !== word.charCodeAt(i)) return false;
  return true;
}

export function parseOrUnsure(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    throw UNSURE;
  }
}
