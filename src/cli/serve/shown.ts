/** The list as pages have it: another one, with another version, only when something in it is. */
import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../disk/errors.ts';
import type { Outline } from '../../graph/outline.ts';
import type { ChatList } from '../../views/page/types.ts';
import type { ListedChat } from '../chats.ts';
import { createRowBook } from './rowbook.ts';
import type { Counted } from './rows.ts';

export interface Known {
  readonly chats: Iterable<ListedChat>;
  readonly demo: boolean;
  readonly team: string | undefined;
  readonly problems: readonly Problem[];
  outlineOf(file: string): Outline | undefined;
}

export interface Shown {
  readonly list: ChatList;
  readonly version: string;
  /** There is one. */
  readonly ready: Promise<void>;
  show(known: Known): void;
  setCounted(counted: ReadonlyMap<string, Counted>): void;
}

export function createShown(now: () => number, onChange: () => void): Shown {
  const book = createRowBook();
  const { promise: ready, resolve: setReady } = Promise.withResolvers<void>();
  let list: ChatList = { chats: [], demo: false, problems: [] };
  let version = 0;
  return {
    ready,
    get list() {
      return list;
    },
    get version() {
      return String(version);
    },
    show({ chats, demo, team, problems, outlineOf }) {
      const rows = book.rowsOf(chats, outlineOf, now());
      const told = problems.map(({ what, where, next }) => ({ what, where, next }));
      const next: ChatList = { chats: rows, demo, ...(team !== undefined && { team }), problems: told };
      if (version > 0 && isSame(list, next)) return;
      list = next;
      version += 1;
      setReady();
      onChange();
    },
    setCounted: book.setCounted,
  };
}

/** Rows that did not change are the same objects. */
function isSame(a: ChatList, b: ChatList): boolean {
  return (
    a.demo === b.demo &&
    a.chats.length === b.chats.length &&
    a.chats.every((row, place) => row === b.chats[place]) &&
    isDeepStrictEqual(a.problems, b.problems)
  );
}
