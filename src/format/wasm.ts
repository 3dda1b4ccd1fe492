/** WebAssembly written down by its instructions, so that nothing is needed to compile it: as much of it as our loops use. */
import { encodeAscii } from './text.ts';

export type Code = readonly number[];

export const I32 = 0x7f;
export const V128 = 0x7b;

export const get = (variable: number): Code => [0x20, variable];
export const set = (variable: number, value: Code): Code => [...value, 0x21, variable];
export const int = (value: number): Code => [0x41, ...signed(value)];
export const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
export const subtract = (a: Code, b: Code): Code => [...a, ...b, 0x6b];
export const and = (a: Code, b: Code): Code => [...a, ...b, 0x71];
export const or = (a: Code, b: Code): Code => [...a, ...b, 0x72];
export const shiftLeft = (a: Code, b: Code): Code => [...a, ...b, 0x74];
export const lowestBit = (a: Code): Code => [...a, 0x68];
export const not = (a: Code): Code => [...a, 0x45];
export const isEqual = (a: Code, b: Code): Code => [...a, ...b, 0x46];
export const isLess = (a: Code, b: Code): Code => [...a, ...b, 0x49];
export const isAtLeast = (a: Code, b: Code): Code => [...a, ...b, 0x4f];
export const byteAt = (place: Code, offset = 0): Code => [...place, 0x2d, 0, ...unsigned(offset)];
export const loop = (...body: Code[]): Code => [0x03, 0x40, ...body.flat(), 0x0b];
export const when = (condition: Code, ...body: Code[]): Code => [...condition, 0x04, 0x40, ...body.flat(), 0x0b];
/** Back to the beginning of a loop, so many blocks further out. */
export const again = (out: number): Code => [0x0c, out];
export const give = (value: Code): Code => [...value, 0x0f];

export const simd = (instruction: number): Code => [0xfd, ...unsigned(instruction)];
export const sixteenAt = (place: Code, offset = 0): Code => [...place, ...simd(0x00), 0, ...unsigned(offset)];
export const sixteenOfByteAt = (place: Code, offset = 0): Code => [...place, ...simd(0x07), 0, ...unsigned(offset)];
export const sixteenOf = (byte: number): Code => [...int(byte), ...simd(0x0f)];
export const areEqual = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x23)];
export const areBelow = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x26)];
export const areAtLeast = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x2c)];
export const and16 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x4e)];
export const or16 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x50)];
export const highBits = (a: Code): Code => [...a, ...simd(0x64)];

export interface Written {
  readonly name: string;
  /** How many numbers it takes; it gives one. */
  readonly arguments: number;
  /** Its own variables: how many groups, then of each group how many and of which type. */
  readonly variables: Code;
  readonly body: Code;
  /** Of the memory that it is handed, of 64 kB each. */
  readonly pages: number;
}

/** One function and the memory that it is handed as `js.memory`. */
export function makeModule(written: Written): Uint8Array<ArrayBuffer> {
  const code = [...written.variables, ...written.body, 0x0b];
  const taken = new Array<number>(written.arguments).fill(I32);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [0x60, taken.length, ...taken, 1, I32]),
    ...section(2, [
      ...name('js'),
      ...name('memory'),
      0x02,
      0x01,
      ...unsigned(written.pages),
      ...unsigned(written.pages),
    ]),
    ...section(3, [0]),
    ...section(7, [...name(written.name), 0x00, 0]),
    ...section(10, [...unsigned(code.length), ...code]),
  ]);
}

/** Of one item. */
function section(id: number, item: Code): Code {
  return [id, ...unsigned(item.length + 1), 1, ...item];
}

function name(text: string): Code {
  return [text.length, ...encodeAscii(text)];
}

/** Seven bits a byte, the lowest first (LEB128). */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
  return value >= -0x40 && value < 0x40 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
