/** When things happened, from the transcript alone (T3, T7). */
import type { Entry } from '../../format/entry.ts';
import { millisOf } from '../../graph/time.ts';

/** Nanoseconds of later times do not fit into what servers keep. */
const LATEST = 9_223_372_036_854;

/** Milliseconds of a time that can be sent. */
export function usableTime(timestamp: string | undefined): number | undefined {
  const millis = millisOf(timestamp);
  return millis === undefined || millis < 0 || millis > LATEST ? undefined : millis;
}

/**
 * A line without a time has that of the last one before it; before all times, the first. Never that of a later line, which
 * may not have been written yet when the turn was sent.
 */
export function createClock(entries: readonly Entry[]): (entry: Entry | undefined) => number | undefined {
  const times = new Map<Entry, number>();
  let known = firstTime(entries);
  for (const entry of entries) {
    known = usableTime(entry.head.timestamp) ?? known;
    if (known !== undefined) times.set(entry, known);
  }
  return (entry) => entry && times.get(entry);
}

export function firstTime(entries: readonly Entry[]): number | undefined {
  for (const { head } of entries) {
    const time = usableTime(head.timestamp);
    if (time !== undefined) return time;
  }
  return undefined;
}
