/** W5: how much progress goes into a transcript: some of each call, not all of it. */
import type { JsonObject } from '../../format/json.ts';

const EVERY_MS = 1000;
const MOST_OF_A_CALL = 60;
const LONGEST_TEXT = 4000;

export interface Throttle {
  /** What to write of it, if anything. */
  take(toolUseId: string, data: JsonObject, now: number): JsonObject | undefined;
  forget(toolUseId: string): void;
}

export function createThrottle(): Throttle {
  const calls = new Map<string, { count: number; last: number }>();
  return {
    take(id, data, now) {
      const call = calls.get(id) ?? { count: 0, last: Number.NEGATIVE_INFINITY };
      if (call.count >= MOST_OF_A_CALL || now - call.last < EVERY_MS) return undefined;
      calls.set(id, { count: call.count + 1, last: now });
      return capped(data);
    },
    forget: (id) => {
      calls.delete(id);
    },
  };
}

/** The end of a long text: what is new stands there. */
function capped(data: JsonObject): JsonObject {
  const made: JsonObject = {};
  for (const [key, value] of Object.entries(data)) {
    made[key] = typeof value === 'string' && value.length > LONGEST_TEXT ? value.slice(-LONGEST_TEXT) : value;
  }
  return made;
}
