/** Ids as people read and type them. */
import { safeLine } from '../views/safe.ts';

const RANDOM_UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

/** The beginning of a UUID of random digits tells it from all others; any other id does so only as a whole. */
export function shortId(id: string): string {
  return RANDOM_UUID.test(id) ? id.slice(0, 8) : safeLine(id);
}
