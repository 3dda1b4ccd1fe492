/** Pages that were fetched a moment ago. */
export interface Cache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value, size: number): void;
}

export function createCache<Value>(maxAgeMs: number, maxSize: number, now: () => number): Cache<Value> {
  const kept = new Map<string, { readonly value: Value; readonly size: number; readonly until: number }>();
  let total = 0;
  const drop = (key: string): void => {
    total -= kept.get(key)?.size ?? 0;
    kept.delete(key);
  };
  return {
    get: (key) => {
      const found = kept.get(key);
      if (found !== undefined && found.until > now()) return found.value;
      drop(key);
      return undefined;
    },
    set: (key, value, size) => {
      drop(key);
      kept.set(key, { value, size, until: now() + maxAgeMs });
      total += size;
      for (const oldest of kept.keys()) if (total > maxSize) drop(oldest);
    },
  };
}
