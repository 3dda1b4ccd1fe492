/** Times at which a message can have been said. */

/** Clocks that were never set tell years like 1 and 1601; what is farther away than 2200 no calendar can show. */
const FIRST = 0;
const END = Date.UTC(2200, 0, 1);

/** undefined, which is an unknown time everywhere, for what can be none. */
export function timeOfUse(millis: number | undefined): number | undefined {
  return millis !== undefined && millis >= FIRST && millis < END ? millis : undefined;
}
