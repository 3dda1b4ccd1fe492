/** Stored pieces and bytes of files as what can be found in them. */
import type { FileSource } from '../../disk/source.ts';
import { toParsedEntry } from '../../format/entry.ts';
import { memorySource } from '../../format/session.ts';
import { type Found, findableOf, findableText } from '../../views/search/parts.ts';

const NEWLINE = 10;

/** What there is to find in a line; undefined when there is nothing. */
export function findableLine(bytes: Buffer): Found | undefined {
  const end = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length;
  const line = { number: 0, start: 0, end, terminated: true };
  const { entry, json } = toParsedEntry(memorySource('', bytes), line, bytes.subarray(0, end));
  if (entry.kind !== 'unreadable') return findableOf(entry, json);
  return bytes.includes(0) ? undefined : findableText(bytes.toString('utf8', 0, end));
}

/** Whether a line is an entry, whatever there is to find in it. */
export function isEntry(bytes: Buffer): boolean {
  const line = { number: 0, start: 0, end: bytes.length, terminated: false };
  return toParsedEntry(memorySource('', bytes), line, bytes).entry.kind !== 'unreadable';
}

/** Mostly all of a line. */
const FIRST_READ = 16 << 10;

/** The line that begins at a byte, without its end; undefined where it has none. */
export function lineAt(source: Pick<FileSource, 'read'>, start: number): Buffer | undefined {
  for (let length = FIRST_READ; length <= LONGEST; length *= 4) {
    const read = source.read(start, start + length);
    const bytes = Buffer.from(read.buffer, read.byteOffset, read.length);
    const end = bytes.indexOf(NEWLINE);
    if (end >= 0) return bytes.subarray(0, end);
    if (bytes.length < length) return undefined;
  }
  return undefined;
}

export interface JoinedLine {
  /** The first it is made of. */
  readonly piece: number;
  readonly bytes: Buffer;
}

export interface LineJoiner {
  /** The line that ends with this piece; undefined while it goes on. */
  push(piece: number, bytes: Buffer): JoinedLine | undefined;
  /** The first piece of a line that has not ended. */
  open(): number | undefined;
}

/** Longer ones are not looked into. */
const LONGEST = 64 << 20;

/** A very long line is several pieces, one after the other. */
export function createLineJoiner(): LineJoiner {
  let parts: Buffer[] = [];
  let first = 0;
  let length = 0;
  return {
    push(piece, bytes) {
      const ended = bytes.at(-1) === NEWLINE;
      if (parts.length === 0 && ended) return { piece, bytes };
      if (parts.length === 0) [first, length] = [piece, 0];
      length += bytes.length;
      // The bytes belong to a pack that is given back.
      if (length <= LONGEST) parts.push(Buffer.from(bytes));
      if (!ended) return undefined;
      const line = length <= LONGEST ? { piece: first, bytes: Buffer.concat(parts) } : undefined;
      parts = [];
      return line;
    },
    open: () => (parts.length === 0 ? undefined : first),
  };
}
