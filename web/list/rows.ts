/** Which chats the list shows, and under which headings. */
import type { ChatRow, Mark } from '../../src/views/page/types.ts';
import { fold } from '../../src/views/search/words.ts';
import { dayHeading, startOfDay } from './when.ts';

export const MARKS: readonly Mark[] = ['live', 'branched', 'compacted', 'errors', 'archived'];

export interface Filter {
  /** All must be somewhere in what the list knows of a chat. */
  readonly words: readonly string[];
  readonly marks: readonly Mark[];
}

/** Words, and `is:live` and the like. */
export function parseFilter(text: string): Filter {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  const marks = MARKS.filter((mark) => parts.includes(`is:${mark}`));
  return { marks, words: parts.filter((part) => !marks.some((mark) => part === `is:${mark}`)).map(fold) };
}

export function withMark(text: string, mark: Mark): string {
  const parts = text.split(/\s+/).filter((part) => part !== '');
  const word = `is:${mark}`;
  return (parts.includes(word) ? parts.filter((part) => part !== word) : [...parts, word]).join(' ');
}

export function chosenChats(chats: readonly ChatRow[], project: string, text: string): readonly ChatRow[] {
  const { words, marks } = parseFilter(text);
  if (project === '' && words.length + marks.length === 0) return chats;
  return chats.filter(
    (chat) =>
      (project === '' || chat.project === project) &&
      marks.every((mark) => chat.marks.includes(mark)) &&
      (words.length === 0 || holdsAll(chat, words)),
  );
}

/** Folded once for each row, which stays the same object until it changes. */
const folded = new WeakMap<ChatRow, string>();

function holdsAll(chat: ChatRow, words: readonly string[]): boolean {
  const { id, title, lastPrompt, project, gitBranch, models } = chat;
  const text = folded.get(chat) ?? fold([title, lastPrompt, project, gitBranch, ...models].join('\n'));
  folded.set(chat, text);
  return words.every((word) => text.includes(word) || id.startsWith(word));
}

export type ListRow =
  | { readonly type: 'day'; readonly key: string; readonly label: string }
  | { readonly type: 'chat'; readonly key: string; readonly chat: ChatRow };

/** A heading before the first chat of each day; the chats come newest first. */
export function toRows(chats: readonly ChatRow[], now: number): ListRow[] {
  const rows: ListRow[] = [];
  const times = new Map<number, number>();
  let last: number | undefined;
  for (const chat of chats) {
    const day = startOfDay(Date.parse(chat.updated ?? ''));
    if (!Object.is(day, last)) {
      const time = (times.get(day) ?? 0) + 1;
      times.set(day, time);
      rows.push({ type: 'day', key: `day ${day} ${time}`, label: dayHeading(day, now) });
    }
    last = day;
    rows.push({ type: 'chat', key: chat.id, chat });
  }
  return rows;
}

export interface ProjectCount {
  readonly project: string;
  readonly name: string;
  readonly chats: number;
  readonly live: boolean;
}

/** Most recently used first, as the chats come. */
export function projectsOf(chats: readonly ChatRow[]): ProjectCount[] {
  const counts = new Map<string, { chats: number; live: boolean }>();
  for (const { project, marks } of chats) {
    const count = counts.get(project) ?? { chats: 0, live: false };
    counts.set(project, { chats: count.chats + 1, live: count.live || marks.includes('live') });
  }
  const names = shortNames([...counts.keys()]);
  return [...counts].map(([project, count]) => ({ project, name: names.get(project) ?? project, ...count }));
}

/** The last part of a path; more of it where two would be called the same. */
export function shortNames(paths: readonly string[]): Map<string, string> {
  const partsOf = (path: string) => path.split(/[/\\]/).filter((part) => part !== '');
  const ends = new Map<string, number>();
  for (const path of paths) {
    const end = partsOf(path).at(-1) ?? path;
    ends.set(end, (ends.get(end) ?? 0) + 1);
  }
  return new Map(
    paths.map((path) => {
      const parts = partsOf(path);
      const end = parts.at(-1) ?? path;
      return [path, (ends.get(end) ?? 0) > 1 ? parts.slice(-2).join('/') : end];
    }),
  );
}
