/** An answer of the server, asked again when what it depends on changes; a late answer to another question is dropped. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, type Asked } from './api.ts';
import { inTurn } from './inTurn.ts';

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
  const asking = useRef<() => void>(() => {});
  const question = useRef(ask);
  question.current = ask;
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const answer = (next: (before: Held<T>) => Held<T>) => {
      if (signal.aborted) return;
      setHeld(next);
      setLoading(false);
    };
    asking.current = inTurn(async () => {
      if (signal.aborted) return;
      setLoading(true);
      await question.current({ signal }).then(
        (value) => answer(() => ({ key, value })),
        (error: unknown) =>
          answer((before) => ({ key, value: before.key === key ? before.value : undefined, error: asApiError(error) })),
      );
    });
    return () => stop.abort();
  }, [key]);
  useEffect(() => asking.current(), [key, turn, tries]);
  const retry = useCallback(() => setTries((n) => n + 1), []);
  const own = held.key === key;
  return { value: own ? held.value : undefined, error: own ? held.error : undefined, loading, retry };
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(error instanceof Error ? error.message : String(error), 'Reload the page.');
}
