/**
 * The list as text: a row that did not change is masked and written once. Nothing is revealed in it: what it holds is not
 * remembered by chat, where thousands of rows would push out what open chats hold.
 */
import type { ChatList, ChatRow } from '../views/page/types.ts';
import type { Masking } from './masking.ts';

export function createListing(masking: Masking): (list: ChatList) => string {
  const texts = new WeakMap<ChatRow, string>();
  let last: { readonly list: ChatList; readonly text: string } | undefined;
  const rowText = (row: ChatRow): string => {
    const text = texts.get(row) ?? masking.of('list').json(row);
    texts.set(row, text);
    return text;
  };
  return (list) => {
    if (last?.list === list) return last.text;
    const { chats, ...rest } = list;
    const others = masking.of('').json(rest);
    const text = `{"chats":[${chats.map(rowText).join(',')}],${others.slice(1)}`;
    last = { list, text };
    return text;
  };
}
