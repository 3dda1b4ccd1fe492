/** One connection for the whole page: who wants to know what changed, listens here. */
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { LiveEvent } from '../../src/views/page/types.ts';
import type { Api } from './api.ts';

type Listener = (event: LiveEvent) => void;

export interface Live {
  readonly connected: boolean;
  subscribe(listener: Listener): () => void;
}

export const LiveContext = createContext<Live>({ connected: true, subscribe: () => () => {} });

export function useLiveConnection(api: Api): Live {
  const [listeners] = useState(() => new Set<Listener>());
  const [connected, setConnected] = useState(true);
  useEffect(() => {
    return api.listen((event) => {
      for (const listener of listeners) listener(event);
    }, setConnected);
  }, [api, listeners]);
  const [subscribe] = useState(() => (listener: Listener) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  });
  return { connected, subscribe };
}

/** Counts up with every event that matters. Several in a short time are one. */
export function useLiveCount(matters: (event: LiveEvent) => boolean, deps: readonly unknown[], wait = 150): number {
  const { subscribe } = useContext(LiveContext);
  const [count, setCount] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = subscribe((event) => {
      if (!matters(event) || timer !== undefined) return;
      timer = setTimeout(() => {
        timer = undefined;
        setCount((n) => n + 1);
      }, wait);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [subscribe, ...deps]);
  return count;
}
