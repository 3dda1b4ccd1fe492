/** Timestamps as written (ISO 8601) ⇄ milliseconds. */

export function millisOf(timestamp: string | undefined): number | undefined {
  const millis = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  return Number.isNaN(millis) ? undefined : millis;
}

/** Undefined when one is unknown or the clock went backwards (E12). */
export function durationBetween(started: string | undefined, ended: string | undefined): number | undefined {
  const [from, to] = [millisOf(started), millisOf(ended)];
  return from === undefined || to === undefined || to < from ? undefined : to - from;
}
