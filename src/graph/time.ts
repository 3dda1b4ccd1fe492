/** Timestamps as written (ISO 8601) ⇄ milliseconds. */
import { parseTimestamp } from '../format/time.ts';

/** As written, if it is a time at all. */
export function validTime(timestamp: string | undefined): string | undefined {
  return millisOf(timestamp) === undefined ? undefined : timestamp;
}

export function millisOf(timestamp: string | undefined): number | undefined {
  const millis = timestamp === undefined ? Number.NaN : parseTimestamp(timestamp);
  return Number.isNaN(millis) ? undefined : millis;
}

/** Undefined when one is unknown or the clock went backwards (E12). */
export function durationBetween(started: string | undefined, ended: string | undefined): number | undefined {
  return millisBetween(millisOf(started), millisOf(ended));
}

/** The same of times that were read already. */
export function millisBetween(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined || to < from ? undefined : to - from;
}
