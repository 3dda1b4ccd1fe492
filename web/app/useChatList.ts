/** The list of chats, asked again when the server says that it changed. */
import type { ChatList } from '../../src/views/page/types.ts';
import type { Api } from './api.ts';
import { useLiveCount } from './live.ts';
import { type Answer, useAnswer } from './useAnswer.ts';

export function useChatList(api: Api): Answer<ChatList> {
  const changes = useLiveCount(() => true, [], 500);
  return useAnswer('chats', (asked) => api.chats(asked), changes);
}
