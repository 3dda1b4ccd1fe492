/** Strings that repeat from line to line (ids, paths, versions, models) are kept once instead of once an entry. */
import { asString, type Json } from './json.ts';

/** Few: what stays here over two collections is moved to where it is collected late. */
const SLOTS = 256;
const LONGEST = 256;
const recent: string[] = new Array<string>(SLOTS).fill('');

/** The string of a value, as the object that was met last with the same characters. */
export function sharedString(value: Json | undefined): string | undefined {
  const text = asString(value);
  if (text === undefined || text.length === 0 || text.length > LONGEST) return text;
  const slot = slotOf(text);
  const known = recent[slot];
  if (known === text) return known;
  recent[slot] = text;
  return text;
}

/** The same of what names something: an empty string does not. */
export function sharedName(value: Json | undefined): string | undefined {
  return value === '' ? undefined : sharedString(value);
}

/** A few characters are enough: another string in the slot only means that nothing is shared. */
function slotOf(text: string): number {
  const end = text.length - 1;
  const mixed =
    text.charCodeAt(0) * 31 +
    text.charCodeAt(end) * 131 +
    text.charCodeAt(end >> 1) * 1031 +
    text.charCodeAt(end >> 2) * 8209 +
    text.charCodeAt(3) * 65_537 +
    end;
  return (mixed ^ (mixed >>> 11)) & (SLOTS - 1);
}
