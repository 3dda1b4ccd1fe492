/** A log to be written: lines as they stand and lines made anew. Nothing is read or built before its line is written. */
import type { JsonObject } from '../format/json.ts';
import { encode } from '../format/text.ts';

/** A line kept as it stands, without its line end, or one made anew. Both may be getters: each is asked for once a write. */
export type OutLine = { readonly bytes: Uint8Array } | { readonly value: JsonObject };

/** What an edit did or left out, for the person who asked for it. */
export interface Note {
  /** The rule it follows, e.g. E12. */
  readonly rule: string;
  readonly what: string;
  /** Where in the source. */
  readonly line?: number;
  readonly uuid?: string;
}

export interface Draft {
  readonly lines: readonly OutLine[];
  readonly notes: readonly Note[];
}

const NEWLINE = 10;

/** Each line with its end. */
export function* encodeDraft({ lines }: Pick<Draft, 'lines'>): Generator<Uint8Array> {
  for (const line of lines) yield 'bytes' in line ? withEnd(line.bytes) : encode(`${JSON.stringify(line.value)}\n`);
}

function withEnd(bytes: Uint8Array): Uint8Array {
  const line = new Uint8Array(bytes.length + 1);
  line.set(bytes);
  line[bytes.length] = NEWLINE;
  return line;
}
