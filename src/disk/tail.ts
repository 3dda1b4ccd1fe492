/** When a session was last written to, by its own words: the last timestamp near its end. Cheap enough to sort thousands. */
import { statSync } from 'node:fs';
import { splitLines } from '../format/lines.ts';
import { readEntries } from '../format/session.ts';
import { DiskError } from './errors.ts';
import { fileSource } from './source.ts';

const TAIL_BYTES = 32 << 10;

/** Milliseconds, or undefined where the tail has no timestamp or cannot be read. */
export function lastTimeOf(file: string): number | undefined {
  try {
    const { size } = statSync(file);
    const start = Math.max(0, size - TAIL_BYTES);
    const source = fileSource(file);
    const bytes = source.read(start, size);
    source.close();
    // The first line is probably cut; as an unreadable one it has no timestamp.
    let last: number | undefined;
    for (const { head } of readEntries(source, splitLines([bytes], { offset: start, number: 1 }))) {
      const time = Date.parse(head.timestamp ?? '');
      if (!Number.isNaN(time) && (last === undefined || time > last)) last = time;
    }
    return last;
  } catch (error) {
    if (error instanceof DiskError || (error instanceof Error && 'code' in error)) return undefined;
    throw error;
  }
}
