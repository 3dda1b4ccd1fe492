/**
 * The loop over the characters of long strings, as WebAssembly: sixteen at a time, which JavaScript cannot do. It works on bytes
 * that lie in its own memory, so a file that is to be scanned is read into there.
 */
import { encodeAscii } from './text.ts';
import {
  add,
  again,
  and,
  areBelow,
  areEqual,
  byteAt,
  type Code,
  get,
  give,
  highBits,
  I32,
  int,
  isAtLeast,
  isEqual,
  isLess,
  loop,
  lowestBit,
  makeModule,
  or,
  or16,
  set,
  shiftLeft,
  sixteenAt,
  sixteenOf,
  subtract,
  V128,
  when,
} from './wasm.ts';

export interface StringKernel {
  /** Where the bytes must lie. */
  readonly text: Uint8Array;
  /**
   * From the first character of a string, by its place in the memory, to its closing quote: that place times four, plus 2 when a
   * character is not ASCII, plus 1 when one is escaped. NO_STRING when it is none of JSON, or does not end before `to`.
   */
  readonly endOf: (from: number, to: number) => number;
}

export const NO_STRING = -1;

const PAGE = 1 << 16;
/** Tables by byte: what may follow a backslash, and what is a digit of `\u0041`. */
const ESCAPES = 0;
const DIGITS = 256;
const TEXT = 512;
/** A look at what follows a backslash goes so far past the end of a text. */
const AFTER = 16;

/** For texts of up to 2^28 bytes; undefined where the machine or its Node cannot do it. */
export function makeStringKernel(length: number): StringKernel | undefined {
  const pages = Math.ceil((TEXT + length + AFTER) / PAGE);
  try {
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const module = new WebAssembly.Module(moduleBytes(pages));
    const { exports } = new WebAssembly.Instance(module, { js: { memory } });
    const tables = new Uint8Array(memory.buffer);
    for (const each of encodeAscii('"\\/bfnrt')) tables[ESCAPES + each] = 1;
    for (const each of encodeAscii('0123456789abcdefABCDEF')) tables[DIGITS + each] = 1;
    return { text: tables.subarray(TEXT, TEXT + length), endOf: exports.endOf as StringKernel['endOf'] };
  } catch {
    return undefined;
  }
}

const [FROM, TO, MASK, SEEN, ESCAPED, BYTE, BITS] = [0, 1, 2, 3, 4, 5, 6];
const [TEXT16, QUOTE16, BACKSLASH16, SPACE16] = [7, 8, 9, 10];
const VARIABLES = [2, 5, I32, 4, V128];

const SPACE = 32;
const QUOTE = 34;
const BACKSLASH = 92;
const LETTER_U = 117;
const NOT_ASCII = 0x80;

function endOfBody(): Code {
  const stops = or16(
    or16(areEqual(get(TEXT16), get(QUOTE16)), areEqual(get(TEXT16), get(BACKSLASH16))),
    areBelow(get(TEXT16), get(SPACE16)),
  );
  const isDigit = (offset: number) => byteAt(byteAt(get(FROM), offset), DIGITS);
  const fourDigits = and(and(isDigit(2), isDigit(3)), and(isDigit(4), isDigit(5)));
  const result = or(shiftLeft(get(FROM), int(2)), or(get(ESCAPED), shiftLeft(isAtLeast(get(SEEN), int(1)), int(1))));
  return [
    set(QUOTE16, sixteenOf(QUOTE)),
    set(BACKSLASH16, sixteenOf(BACKSLASH)),
    set(SPACE16, sixteenOf(SPACE)),
    loop(
      when(
        isAtLeast(get(TO), add(get(FROM), int(16))),
        set(TEXT16, sixteenAt(get(FROM))),
        set(MASK, highBits(stops)),
        set(BITS, highBits(get(TEXT16))),
        when(
          isEqual(get(MASK), int(0)),
          set(SEEN, or(get(SEEN), get(BITS))),
          set(FROM, add(get(FROM), int(16))),
          again(2),
        ),
        // Of what stands before the first stop.
        set(SEEN, or(get(SEEN), and(get(BITS), subtract(and(get(MASK), subtract(int(0), get(MASK))), int(1))))),
        set(FROM, add(get(FROM), lowestBit(get(MASK)))),
      ),
      when(isAtLeast(get(FROM), get(TO)), give(int(NO_STRING))),
      set(BYTE, byteAt(get(FROM))),
      when(isEqual(get(BYTE), int(QUOTE)), give(result)),
      when(
        isEqual(get(BYTE), int(BACKSLASH)),
        set(ESCAPED, int(1)),
        when(byteAt(byteAt(get(FROM), 1), ESCAPES), set(FROM, add(get(FROM), int(2))), again(2)),
        when(
          and(isEqual(byteAt(get(FROM), 1), int(LETTER_U)), fourDigits),
          set(FROM, add(get(FROM), int(6))),
          again(2),
        ),
        give(int(NO_STRING)),
      ),
      when(isLess(get(BYTE), int(SPACE)), give(int(NO_STRING))),
      set(SEEN, or(get(SEEN), and(get(BYTE), int(NOT_ASCII)))),
      set(FROM, add(get(FROM), int(1))),
      again(0),
    ),
    // Never reached, but a function ends with its value.
    int(0),
  ].flat();
}

function moduleBytes(pages: number): Uint8Array<ArrayBuffer> {
  return makeModule({ name: 'endOf', arguments: 2, variables: VARIABLES, body: endOfBody(), pages });
}
