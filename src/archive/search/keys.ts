/** What tells entries apart, in few bytes. */
import { nodeCrypto } from '../builtins.ts';

export function keyOf(identity: string): Buffer {
  return uuidKey(identity) ?? nodeCrypto().createHash('sha256').update(identity).digest().subarray(0, 16);
}

const UUID_LENGTH = 36;
const DASH = 45;
const DASHES = new Set([8, 13, 18, 23]);

/** Its digits, which must be small ones; undefined for what is no uuid. By hand: a pattern and a string between take four times as long. */
function uuidKey(text: string): Buffer | undefined {
  if (text.length !== UUID_LENGTH) return undefined;
  const key = Buffer.allocUnsafe(16);
  for (let at = 0, byte = 0; at < UUID_LENGTH; ) {
    if (DASHES.has(at)) {
      if (text.charCodeAt(at) !== DASH) return undefined;
      at += 1;
    }
    const value = (digitOf(text.charCodeAt(at)) << 4) | digitOf(text.charCodeAt(at + 1));
    if (value < 0) return undefined;
    key[byte++] = value;
    at += 2;
  }
  return key;
}

/** Negative for what is none. */
function digitOf(unit: number): number {
  if (unit >= 48 && unit <= 57) return unit - 48;
  return unit >= 97 && unit <= 102 ? unit - 87 : -1;
}

const VERSION_AND_VARIANT = /^.{12}[1-8].{3}[89ab]/;

/** The uuid a key was made of; of other identities nothing is left, and few of them look like one. */
export function uuidOf(key: Buffer): string | undefined {
  const hex = key.toString('hex');
  if (!VERSION_AND_VARIANT.test(hex)) return undefined;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
