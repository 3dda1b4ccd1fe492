/**
 * The loop that looks at every byte of a transcript, as WebAssembly: sixteen at a time, which JavaScript cannot do.
 */
import {
  add,
  again,
  and,
  and16,
  areAtLeast,
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
  not,
  or,
  or16,
  set,
  shiftLeft,
  sixteenAt,
  sixteenOf,
  sixteenOfByteAt,
  V128,
  when,
} from '../../format/wasm.ts';

export interface Kernel {
  /** What it works on, laid out as below. */
  readonly memory: Uint8Array;
  /**
   * The next place in the memory, from one on, where the needle stands, a `\u` that is no control character's, or a character that
   * folds; `to` or more when there is none. `rare` and `other` are places in the needle: where both bytes fit, all are compared.
   */
  readonly next: (from: number, to: number, rare: number, other: number, length: number) => number;
}

/** The bytes of the needle, each with the bit that makes letters small. */
export const NEEDLE = 0;
export const MOST_NEEDLE = 256;
/** The table of characters that fold, or of others to stop at, by their first two bytes (bytescan.ts). */
export const FOLDS = 1 << 10;
/** What is looked through, 31 kB at most: reading goes on behind it, by a needle and sixteen bytes. */
export const TEXT = 32 << 10;
const PAGES = 1;

export const LETTER_CASE = 0x20;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const ZERO = 0x30;
const NOT_ASCII = 0x80;
/** What folds to ASCII begins with this byte or a greater one; so does all else that it can stop at. */
export const FIRST_LEAD = 0xc3;

/** undefined where the machine or its Node cannot do it. */
export function makeKernel(): Kernel | undefined {
  try {
    const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes()), { js: { memory } });
    return { memory: new Uint8Array(memory.buffer), next: exports.next as Kernel['next'] };
  } catch {
    return undefined;
  }
}

/** By their numbers: the arguments, the variables, and the variables of sixteen bytes. */
const [FROM, TO, RARE, OTHER, LENGTH] = [0, 1, 2, 3, 4];
const [MASK, PLACE, BYTE, AT] = [5, 6, 7, 8];
const [TEXT16, RARE16, OTHER16, CASE16, BACKSLASH16, LETTER_U16, LEAD16] = [9, 10, 11, 12, 13, 14, 15];
const VARIABLES = [2, 4, I32, 7, V128];

function nextBody(): Code {
  const fits = (place: number, wanted: number) =>
    areEqual(or16(sixteenAt(add(get(FROM), get(place))), get(CASE16)), get(wanted));
  const needles = and16(fits(RARE, RARE16), fits(OTHER, OTHER16));
  const escapes = and16(areEqual(get(TEXT16), get(BACKSLASH16)), areEqual(sixteenAt(get(FROM), 1), get(LETTER_U16)));
  const foldings = areAtLeast(get(TEXT16), get(LEAD16));
  // As \u001b is.
  const isZero = (offset: number, mask: number) => isEqual(and(byteAt(get(PLACE), offset), int(mask)), int(ZERO));
  const isControl = and(and(isZero(2, 0xff), isZero(3, 0xff)), isZero(4, 0xfe));
  const pair = add(shiftLeft(get(BYTE), int(6)), and(byteAt(get(PLACE), 1), int(0x3f)));
  return [
    set(RARE16, sixteenOfByteAt(get(RARE), NEEDLE)),
    set(OTHER16, sixteenOfByteAt(get(OTHER), NEEDLE)),
    set(CASE16, sixteenOf(LETTER_CASE)),
    set(BACKSLASH16, sixteenOf(BACKSLASH)),
    set(LETTER_U16, sixteenOf(LETTER_U)),
    set(LEAD16, sixteenOf(FIRST_LEAD)),
    loop(
      when(isAtLeast(get(FROM), get(TO)), give(get(TO))),
      set(TEXT16, sixteenAt(get(FROM))),
      set(MASK, highBits(or16(or16(needles, escapes), foldings))),
      loop(
        when(
          get(MASK),
          set(PLACE, add(get(FROM), lowestBit(get(MASK)))),
          // Without its lowest bit.
          set(MASK, and(get(MASK), add(get(MASK), int(-1)))),
          set(BYTE, byteAt(get(PLACE))),
          when(isEqual(get(BYTE), int(BACKSLASH)), when(not(isControl), give(get(PLACE)))),
          when(isLess(get(BYTE), int(NOT_ASCII)), ...giveIfNeedle()),
          when(isAtLeast(get(BYTE), int(NOT_ASCII)), ...giveIfFolding(pair)),
          again(1),
        ),
      ),
      set(FROM, add(get(FROM), int(16))),
      again(0),
    ),
    // Never reached, but a function ends with its value.
    int(0),
  ].flat();
}

function giveIfNeedle(): Code[] {
  const isSame = isEqual(or(byteAt(add(get(PLACE), get(AT))), int(LETTER_CASE)), byteAt(get(AT), NEEDLE));
  return [
    set(AT, int(0)),
    loop(when(isEqual(get(AT), get(LENGTH)), give(get(PLACE))), when(isSame, set(AT, add(get(AT), int(1))), again(1))),
  ];
}

function giveIfFolding(pair: Code): Code[] {
  const isBetween = and(
    isAtLeast(byteAt(get(PLACE), 2), byteAt(get(AT), FOLDS)),
    isAtLeast(byteAt(get(AT), FOLDS + 1), byteAt(get(PLACE), 2)),
  );
  return [set(AT, shiftLeft(and(pair, int(0x1fff)), int(1))), when(isBetween, give(get(PLACE)))];
}

function moduleBytes(): Uint8Array<ArrayBuffer> {
  return makeModule({ name: 'next', arguments: 5, variables: VARIABLES, body: nextBody(), pages: PAGES });
}
