/** Bytes ⇄ lines (E1). A line ends at a `\n` byte and nowhere else: CR, U+2028 and NUL are data inside it. */

/** Where a line stands in its file. `end` excludes the `\n`; a last line without one is torn or still being written. */
export interface Line {
  readonly number: number;
  readonly start: number;
  readonly end: number;
  readonly terminated: boolean;
}

/** A line with its bytes. When it comes from a stream, the bytes are a view that is valid until the next line is asked for. */
export interface RawLine {
  readonly line: Line;
  readonly bytes: Uint8Array;
}

const NEWLINE = 10;

/** Where to start counting: the offset and number of the first line handed in. */
export interface Position {
  readonly offset: number;
  readonly number: number;
}

export const FILE_START: Position = { offset: 0, number: 1 };

/** Cuts chunks into lines. Lines that span chunks are copied once; all others are views into the chunk. */
export function* splitLines(chunks: Iterable<Uint8Array>, from: Position = FILE_START): Generator<RawLine> {
  let pending: Uint8Array[] = [];
  let start = from.offset;
  let number = from.number;
  let chunkAt = from.offset;
  for (const chunk of chunks) {
    let lineStart = 0;
    for (let nl = chunk.indexOf(NEWLINE); nl >= 0; nl = chunk.indexOf(NEWLINE, lineStart)) {
      const tail = chunk.subarray(lineStart, nl);
      const bytes = pending.length > 0 ? concat([...pending, tail]) : tail;
      const end = chunkAt + nl;
      yield { line: { number, start, end, terminated: true }, bytes };
      pending = [];
      number += 1;
      start = end + 1;
      lineStart = nl + 1;
    }
    // The producer may reuse its buffer for the next chunk: what is left over is kept as a copy.
    if (lineStart < chunk.length) pending.push(new Uint8Array(chunk.subarray(lineStart)));
    chunkAt += chunk.length;
  }
  if (pending.length > 0) {
    yield { line: { number, start, end: chunkAt, terminated: false }, bytes: concat(pending) };
  }
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
