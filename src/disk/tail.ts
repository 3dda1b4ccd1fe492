/** When a session began and was last written to, by its own words: the timestamps near its ends. Cheap enough to sort thousands. */
import { splitLines } from '../format/lines.ts';
import { readEntries } from '../format/session.ts';
import { parseTimestamp } from '../format/time.ts';
import { DiskError } from './errors.ts';
import { readEntriesOf } from './read.ts';
import { type FileSource, fileSource } from './source.ts';

const TAIL_BYTES = 32 << 10;
/** A line may hold a large output; beyond this a file's time is left to others. */
const MAX_TAIL_BYTES = 64 << 20;

/** Milliseconds, or undefined where the tail has no timestamp or cannot be read. */
export function lastTimeOf(file: string): number | undefined {
  const source = fileSource(file);
  try {
    const size = source.size();
    for (let length = TAIL_BYTES; ; length *= 2) {
      const start = Math.max(0, size - length);
      const time = newestTime(source, start, size);
      if (time !== undefined || start === 0 || length >= MAX_TAIL_BYTES) return time;
    }
  } catch (error) {
    if (error instanceof DiskError) return undefined;
    throw error;
  } finally {
    source.close();
  }
}

function newestTime(source: FileSource, start: number, end: number): number | undefined {
  const lines = splitLines([source.read(start, end)], { offset: start, number: 1 });
  let newest: number | undefined;
  // The first line is probably cut; as an unreadable one it has no timestamp.
  for (const { head } of readEntries(source, lines)) {
    const time = parseTimestamp(head.timestamp ?? '');
    if (!Number.isNaN(time) && (newest === undefined || time > newest)) newest = time;
  }
  return newest;
}

const HEAD_BYTES = 16 << 10;

/** The first timestamp, in milliseconds. */
export function firstTimeOf(file: string): number | undefined {
  try {
    for (const { head } of readEntriesOf(file, { to: MAX_TAIL_BYTES, chunkBytes: HEAD_BYTES })) {
      const time = parseTimestamp(head.timestamp ?? '');
      if (!Number.isNaN(time)) return time;
    }
    return undefined;
  } catch (error) {
    if (error instanceof DiskError) return undefined;
    throw error;
  }
}
