/** Results as pages; a question that was overtaken is given up. */
import { useEffect, useState } from 'preact/hooks';
import type { SearchAnswer, SearchHit } from '../app/answers.ts';
import type { Api, ApiError } from '../app/api.ts';
import { asApiError } from '../app/useAnswer.ts';

export const PAGE = 30;

export interface Found {
  /** The query these are the results of. */
  readonly query: string;
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly engine: string;
  readonly scanned: number;
}

export interface Searching {
  readonly found: Found | undefined;
  readonly error: ApiError | undefined;
  readonly loading: boolean;
  readonly more: () => void;
  readonly retry: () => void;
}

export function useSearch(api: Api, query: string, sort: string, ask: boolean): Searching {
  const [found, setFound] = useState<Found>();
  const [error, setError] = useState<ApiError>();
  const [loading, setLoading] = useState(false);
  /** Where to go on; a new number asks again. */
  const [wanted, setWanted] = useState({ offset: 0, times: 0 });
  const key = `${sort}\n${query}`;
  const [askedKey, setAskedKey] = useState(key);
  if (askedKey !== key) {
    setAskedKey(key);
    setWanted({ offset: 0, times: 0 });
  }
  useEffect(() => {
    if (!ask) {
      setLoading(false);
      setError(undefined);
      if (query.trim() === '') setFound(undefined);
      return undefined;
    }
    const stop = new AbortController();
    const { offset } = wanted;
    setLoading(true);
    api.search({ q: query, limit: PAGE, offset, sort }, { signal: stop.signal }).then(
      (answer) => {
        if (stop.signal.aborted) return;
        setFound((before) => joined(query, offset > 0 ? before : undefined, answer));
        setError(undefined);
        setLoading(false);
      },
      (reason: unknown) => {
        if (stop.signal.aborted) return;
        setError(asApiError(reason));
        setLoading(false);
      },
    );
    return () => stop.abort();
  }, [api, key, ask, wanted]);
  const next = (offset: number) => setWanted(({ times }) => ({ offset, times: times + 1 }));
  return { found, error, loading, more: () => next(found?.hits.length ?? 0), retry: () => next(wanted.offset) };
}

function joined(query: string, before: Found | undefined, { hits, total, engine, scanned }: SearchAnswer): Found {
  return { query, hits: [...(before?.hits ?? []), ...hits], total, engine, scanned: Number(scanned) || 0 };
}

export interface HitGroup {
  readonly chat: string;
  readonly hits: readonly SearchHit[];
}

/** In the order of the best hit of each chat. */
export function byChat(hits: readonly SearchHit[]): HitGroup[] {
  const groups = new Map<string, SearchHit[]>();
  for (const hit of hits) {
    const chat = hit.chat ?? hit.file;
    groups.set(chat, [...(groups.get(chat) ?? []), hit]);
  }
  return [...groups].map(([chat, own]) => ({ chat, hits: own }));
}
