/** An answer of the server, asked again when what it depends on changes; a late answer to an old question is dropped. */
import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiError, type Asked } from './api.ts';

export interface Answer<T> {
  /** The last one, also while a new one is on its way. */
  readonly value: T | undefined;
  readonly error: ApiError | undefined;
  readonly loading: boolean;
  readonly retry: () => void;
}

interface Held<T> {
  readonly key: string;
  readonly value?: T;
  readonly error?: ApiError;
}

/** `key` names the question: an answer to another key is not shown. `turn` asks the same again. */
export function useAnswer<T>(key: string, ask: (asked: Asked) => Promise<T>, turn: unknown = 0): Answer<T> {
  const [held, setHeld] = useState<Held<T>>({ key });
  const [tries, setTries] = useState(0);
  const [loading, setLoading] = useState(true);
  useEffect(() => {
    const stop = new AbortController();
    setLoading(true);
    ask({ signal: stop.signal }).then(
      (value) => {
        if (stop.signal.aborted) return;
        setHeld({ key, value });
        setLoading(false);
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        setHeld((before) => ({ key, value: before.key === key ? before.value : undefined, error: asApiError(error) }));
        setLoading(false);
      },
    );
    return () => stop.abort();
  }, [key, turn, tries]);
  const retry = useCallback(() => setTries((n) => n + 1), []);
  const own = held.key === key;
  return { value: own ? held.value : undefined, error: own ? held.error : undefined, loading, retry };
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(error instanceof Error ? error.message : String(error), 'Reload the page.');
}
