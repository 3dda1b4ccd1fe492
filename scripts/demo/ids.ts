/** Ids of the forms the client writes, all drawn from one seeded source: the same seed gives the same set. */

export interface Ids {
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  uuid(): string;
  hex(length: number): string;
  /** `msg_01…`, `toolu_01…` */
  message(): string;
  tool(): string;
  /** `req_011C…` */
  request(): string;
  /** A sub-agent's id: `a` and 16 hex digits (L3). */
  agent(): string;
  /** The name of a saved output or background task. */
  task(): string;
  /** What stands under a thinking block. */
  signature(length: number): string;
}

const HEX = '0123456789abcdef';
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function createIds(seed: string): Ids {
  const random = createRandom(seed);
  const between = (low: number, high: number) => low + Math.floor(random() * (high - low + 1));
  const text = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[between(0, alphabet.length - 1)]).join('');
  const hex = (length: number) => text(HEX, length);
  return {
    between,
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${text('89ab', 1)}${hex(3)}-${hex(12)}`,
    message: () => `msg_01${text(BASE58, 22)}`,
    tool: () => `toolu_01${text(BASE58, 22)}`,
    request: () => `req_011C${text(BASE58, 20)}`,
    agent: () => `a${hex(16)}`,
    task: () => `b${text(BASE36, 8)}`,
    signature: (length) => `EqQB${text(BASE64, length - 5)}=`,
  };
}

/** mulberry32, seeded with an FNV-1a hash of the text. */
function createRandom(seed: string): () => number {
  let state = 2166136261;
  for (const char of seed) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
