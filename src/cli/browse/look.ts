/** What a view needs beside the state: colours, the time, what hides secrets, what is known of chats. */
import { safeLine } from '../../views/safe.ts';
import type { ListedChat } from '../chats.ts';
import { MARKS } from '../commands/list.ts';
import { cutPainted, displayWidth } from '../layout.ts';
import { isLive } from '../serve/rows.ts';
import { sourceOf } from '../sources.ts';
import type { Style } from '../terminal.ts';

export interface Look {
  readonly style: Style;
  readonly now: Date;
  readonly home: string;
  mask(text: string): string;
  /** The archive has it as it is. */
  isKept(chat: ListedChat): boolean;
}

/** Of others, on one line, without secrets. */
export function plain(text: string, { mask }: Look): string {
  return safeLine(mask(text));
}

export function titleOf({ title }: ListedChat, look: Look): string {
  return plain(title ?? '(no prompt)', look);
}

/** Exactly so wide, also with colours in it. */
export function filled(text: string, width: number): string {
  const cut = displayWidth(text) > width ? cutPainted(text, width) : text;
  return cut + ' '.repeat(Math.max(0, width - displayWidth(cut)));
}

/** At most so wide. */
export function within(text: string, width: number): string {
  return displayWidth(text) > width ? cutPainted(text, width) : text;
}

export interface Marks {
  readonly isLive: boolean;
  readonly source: ReturnType<typeof sourceOf>;
  readonly isForked: boolean;
  readonly isKept: boolean;
}

export function marksOf(chat: ListedChat, look: Look): Marks {
  return {
    isLive: isLive(chat, look.now.getTime()),
    source: sourceOf(chat.file),
    isForked: chat.sessions.filter(({ leaf }) => leaf).length > 1,
    isKept: look.isKept(chat),
  };
}

/** Two columns: where it is, and whether it forks. */
export function markSigns({ isLive: live, source, isForked, isKept }: Marks): string {
  const where = live ? '●' : source === 'archive' ? '◇' : source === 'history' ? '○' : isKept ? '·' : ' ';
  return `${where}${isForked ? '⑂' : ' '}`;
}

export function markWords({ isLive: live, source, isForked, isKept }: Marks): string[] {
  return [
    ...(live ? ['live'] : []),
    ...(source === 'disk' ? (isKept ? ['kept in the archive'] : []) : [MARKS[source]].filter((word) => word !== '')),
    ...(isForked ? ['forked'] : []),
  ];
}
