/** Changes some members of a line and leaves the bytes of all others alone: numbers, escapes and spaces stay as written. */
import type { JsonObject } from '../format/json.ts';
import { concat } from '../format/lines.ts';
import { membersOf } from '../format/members.ts';
import { encode } from '../format/text.ts';

/** `after` is what `before`, the line's own object, is to become; members that are the very same value are not written anew. */
export function patchLine(line: Uint8Array, before: JsonObject, after: JsonObject): Uint8Array {
  if (isSame(before, after)) return line;
  const members = membersOf(line);
  if (members === undefined) return encode(JSON.stringify(after));
  const known = new Set<string>();
  const parts: Uint8Array[] = [];
  // Members that stay and follow each other are copied as one.
  let run: { start: number; end: number } | undefined;
  const add = (text: Uint8Array) => parts.push(parts.length === 0 ? OPEN : COMMA, text);
  for (const { name, start, valueStart, end } of members) {
    known.add(name);
    const now = after[name];
    if (now !== undefined && before[name] === now) {
      run = { start: run?.start ?? start, end };
      continue;
    }
    if (run !== undefined) add(line.subarray(run.start, run.end));
    run = undefined;
    if (now === undefined) continue;
    add(line.subarray(start, valueStart));
    parts.push(encode(JSON.stringify(now)));
  }
  if (run !== undefined) add(line.subarray(run.start, run.end));
  for (const [name, value] of Object.entries(after)) {
    if (value !== undefined && !known.has(name)) add(encode(`${JSON.stringify(name)}:${JSON.stringify(value)}`));
  }
  parts.push(parts.length === 0 ? EMPTY : CLOSE);
  return concat(parts);
}

const OPEN = encode('{');
const COMMA = encode(',');
const CLOSE = encode('}');
const EMPTY = encode('{}');

function isSame(before: JsonObject, after: JsonObject): boolean {
  const names = Object.keys({ ...before, ...after });
  return names.every((name) => before[name] === after[name]);
}
