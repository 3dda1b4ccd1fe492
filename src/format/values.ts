/** A few values of a line, for those who ask the same of very many lines and need no entry. */
import { MAX_PARSED_LINE } from './entry.ts';
import { isObject, type JsonObject, parseJson } from './json.ts';
import type { Line } from './lines.ts';
import { type Keep, skeleton } from './skeleton.ts';
import { decode } from './text.ts';

/** Shorter lines are parsed faster than scanned. Measured with a spec of a few values, which leaves an answer's text unbuilt only. */
const SHORT_LINE = 65_536;

/** At least the values the spec names, of a line that would be an entry; undefined for any other. */
export function valuesOf(line: Line, bytes: Uint8Array, keep: Keep): JsonObject | undefined {
  if (bytes.length > MAX_PARSED_LINE) return undefined;
  const text = hasBom(line, bytes) ? bytes.subarray(3) : bytes;
  const scanned = text.length < SHORT_LINE ? undefined : skeleton(text, keep);
  const value = scanned ?? parseJson(decode(text));
  return isObject(value) ? value : undefined;
}

/** A byte order mark can stand only at the start of the file; it is not part of the JSON. */
function hasBom({ start }: Line, bytes: Uint8Array): boolean {
  return start === 0 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}
