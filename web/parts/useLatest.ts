/** Functions that stay the same while what they do changes: what is handed to many rows must not make them all anew. */
import { useMemo, useRef } from 'preact/hooks';

export function useLatest<Args extends readonly unknown[], R>(act: (...args: Args) => R): (...args: Args) => R {
  const latest = useRef(act);
  latest.current = act;
  return useMemo(
    () =>
      (...args: Args) =>
        latest.current(...args),
    [],
  );
}
