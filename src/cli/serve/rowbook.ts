/** The rows of the list. A row stays the same object as long as nothing in it changed, and is not even looked at while its chat does. */
import { isDeepStrictEqual } from 'node:util';
import type { Outline } from '../../graph/outline.ts';
import type { ChatRow } from '../../views/page/types.ts';
import type { ListedChat } from '../chats.ts';
import { type Counted, liveUntil, rowOf } from './rows.ts';

export interface RowBook {
  rowsOf(chats: Iterable<ListedChat>, outlineOf: (file: string) => Outline | undefined, now: number): ChatRow[];
  /** What usage knows of chats, by their ids. */
  setCounted(counted: ReadonlyMap<string, Counted>): void;
}

interface Kept {
  readonly row: ChatRow;
  readonly chat: ListedChat;
  readonly counted: Counted | undefined;
  /** Then it is no longer live. */
  readonly until: number;
}

export function createRowBook(): RowBook {
  let kept = new Map<string, Kept>();
  let counted: ReadonlyMap<string, Counted> = new Map();
  return {
    rowsOf(chats, outlineOf, now) {
      const next = new Map<string, Kept>();
      for (const chat of chats) {
        const known = kept.get(chat.id);
        const count = counted.get(chat.id);
        const isSame = known?.chat === chat && known.counted === count && now < known.until;
        next.set(chat.id, isSame ? known : make(chat, count, known?.row));
      }
      kept = next;
      return [...next.values()].map(({ row }) => row);

      function make(chat: ListedChat, count: Counted | undefined, known: ChatRow | undefined): Kept {
        const made = rowOf(chat, { now, counted: count, outlineOf });
        const row = known !== undefined && isDeepStrictEqual(known, made) ? known : made;
        return { row, chat, counted: count, until: liveUntil(chat, now) };
      }
    },
    setCounted(given) {
      counted = given;
    },
  };
}
