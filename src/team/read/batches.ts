/** Things that are fetched when they are first asked for: one, and the more is asked, the more at once. */

/** As many as are fetched at once at most. */
const MOST = 4096;
/** The first fetches take one, then so many times more each. */
const GROWS = 4;

export interface Batches<K, V> {
  /** undefined where there is none. */
  get(key: K): V | undefined;
}

/**
 * `keys`: all that can be asked for, in the order they are likely to be: what follows is fetched along. `fetch` gives what there is of
 * the keys it is asked for.
 */
export function createBatches<K, V>(
  keys: readonly K[],
  fetch: (keys: readonly K[]) => ReadonlyMap<K, V>,
): Batches<K, V> {
  const places = new Map(keys.map((key, place) => [key, place]));
  const known = new Map<K, V | undefined>();
  let size = 1;
  return {
    get(key) {
      const place = places.get(key);
      if (place === undefined || known.has(key)) return known.get(key);
      const wanted: K[] = [];
      // After the last come those before it.
      for (let step = 0; step < keys.length && wanted.length < size; step += 1) {
        const next = keys[(place + step) % keys.length];
        if (next !== undefined && !known.has(next)) wanted.push(next);
      }
      size = Math.min(MOST, size * GROWS);
      const found = fetch(wanted);
      for (const each of wanted) known.set(each, found.get(each));
      return known.get(key);
    },
  };
}
