/** A range of a file's lines, read in chunks: what is kept is bounded, however long the file or its lines. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { readAt } from '../../../disk/io.ts';
import type { Encoding } from './encoding.ts';

export interface LineRange {
  /** The first line wanted, from 1. */
  readonly from: number;
  readonly count: number;
  /** Characters of a line that are kept. */
  readonly lineChars: number;
  /** Characters kept in all. */
  readonly chars: number;
}

export interface LinesRead {
  readonly lines: readonly string[];
  /** Lines of the file; the piece after its last line end is one, as the client counts. */
  readonly total: number;
  /** The file goes on after `total`: nobody counted further. */
  readonly more: boolean;
  /** Numbers of lines that were cut. */
  readonly cut: readonly number[];
  /** Of all bytes; undefined when not all were read. */
  readonly digest?: string;
}

const CHUNK_BYTES = 1 << 20;
const LEAST_BYTES = 4096;
/** As much as a tool may change. Counting the lines of larger files takes longer than it is worth. */
export const MOST_BYTES = 64 << 20;

/** Lines end with a line feed; a carriage return before it goes too. Throws what the disk throws. */
export async function readLines(
  fd: number,
  encoding: Encoding,
  range: LineRange,
  { size, signal }: { readonly size: number; readonly signal: AbortSignal },
): Promise<LinesRead> {
  const decoder = new TextDecoder(encoding);
  const hash = createHash('sha256');
  const keeper = createKeeper(range);
  // Files of /proc say they are empty.
  const buffer = Buffer.allocUnsafe(Math.min(Math.max(size + 1, LEAST_BYTES), CHUNK_BYTES));
  for (let at = 0; at < MOST_BYTES || !keeper.isFull(); ) {
    signal.throwIfAborted();
    const got = readAt(fd, buffer, at);
    if (got === 0) {
      keeper.take(decoder.decode());
      return { ...keeper.end(), more: false, digest: hash.digest('hex') };
    }
    hash.update(buffer.subarray(0, got));
    keeper.take(decoder.decode(buffer.subarray(0, got), { stream: true }));
    at += got;
    await setImmediate();
  }
  return { ...keeper.end(), more: true };
}

function createKeeper({ from, count, lineChars, chars }: LineRange) {
  const lines: string[] = [];
  const cut: number[] = [];
  let number = 1;
  let kept = '';
  let length = 0;
  let left = chars;
  const isFull = () => number >= from + count || left <= 0;
  const isWanted = () => number >= from && !isFull();
  const add = (piece: string) => {
    length += piece.length;
    if (kept.length <= lineChars && isWanted()) kept += piece.slice(0, lineChars + 1 - kept.length);
  };
  const endLine = () => {
    if (isWanted()) {
      const line = kept.endsWith('\r') && kept.length === length ? kept.slice(0, -1) : kept;
      const shown = line.length > lineChars ? wholeCharacters(line.slice(0, lineChars)) : line;
      // The first line is shown whatever its length; the next must fit.
      if (lines.length === 0 || shown.length < left) {
        if (shown.length < line.length) cut.push(number);
        lines.push(shown.length < line.length ? `${shown}… (${length} characters)` : shown);
        left -= shown.length + 1;
      } else left = 0;
    }
    kept = '';
    length = 0;
  };
  return {
    isFull,
    take(text: string) {
      let at = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', at)) {
        if (isWanted()) add(text.slice(at, end));
        endLine();
        number += 1;
        at = end + 1;
      }
      add(text.slice(at));
    },
    end() {
      endLine();
      return { lines, total: number, cut };
    },
  };
}

/** Half a character at the end would be no text. */
function wholeCharacters(text: string): string {
  return /[\ud800-\udbff]$/.test(text) ? text.slice(0, -1) : text;
}
