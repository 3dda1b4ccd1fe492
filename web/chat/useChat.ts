/** An open chat: its page, asked again when its sessions change, and the store of its contents. */
import { useEffect, useReducer, useRef } from 'preact/hooks';
import type { ChatPage } from '../../src/views/page/types.ts';
import type { Api, ApiError } from '../app/api.ts';
import { useLiveCount } from '../app/live.ts';
import { useAnswer } from '../app/useAnswer.ts';
import { type ChatStore, createStore } from './store.ts';

export interface OpenChat {
  readonly store: ChatStore | undefined;
  readonly error: ApiError | undefined;
  readonly retry: () => void;
  /** Another branch was asked for and is on its way. */
  readonly loading: boolean;
}

export function useChat(api: Api, id: string, branch: number | null, revealAll: boolean): OpenChat {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const held = useRef<{ readonly store: ChatStore; readonly revealAll: boolean; page: ChatPage } | undefined>(
    undefined,
  );
  const changes = useLiveCount((event) => event.type === 'chats' || concerns(held.current?.page, event.ids), [id]);
  const answer = useAnswer(`${id} ${branch} ${revealAll}`, (asked) => api.chat(id, branch, asked), changes);
  const page = answer.value;
  if (page !== undefined && page !== held.current?.page) {
    if (held.current?.revealAll !== revealAll) {
      held.current?.store.close();
      performance.mark('skein:data');
      held.current = { store: createStore(api, page, () => redraw(undefined)), revealAll, page };
    } else {
      const { page: before } = held.current;
      held.current.page = page;
      if (before.version !== page.version || before.branch !== page.branch) held.current.store.setPage(page);
    }
  }
  useEffect(() => () => held.current?.store.close(), []);
  const store = held.current?.store;
  return {
    store,
    error: answer.error ?? store?.data().error,
    retry: answer.retry,
    loading: answer.loading && store !== undefined && page === undefined,
  };
}

function concerns(page: ChatPage | undefined, ids: readonly string[]): boolean {
  return page === undefined || page.chat.id === '' || page.sessions.some(({ id }) => ids.includes(id));
}
