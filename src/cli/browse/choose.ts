/** Which chats fit what is typed, in which order: as `skein list` has it. */
import { projectSlug } from '../../format/slug.ts';
import type { ListedChat } from '../chats.ts';
import { fits, sortBy, type Wanted } from '../commands/list.ts';
import { parseTime } from '../time.ts';
import { layoutOf } from './layout.ts';
import { moved } from './moving.ts';
import type { State } from './state.ts';

/** What fits is chosen anew; the chat that was selected stays so, if it is still there. */
export function chosen(state: State): State {
  const before = state.shown[state.selected];
  const shown = chosenChats(state);
  const at = before === undefined ? -1 : shown.findIndex(({ id }) => id === before.id);
  const place = moved(state, Math.max(0, at), shown.length, layoutOf(state.size).list.rows);
  return { ...state, shown, ...place };
}

function chosenChats({ chats, text, project, sort, now }: Omit<State, 'shown'>): readonly ListedChat[] {
  const wanted = wantedOf(text, new Date(now));
  const isEverything = wanted.words.length === 0 && wanted.project === undefined && project === undefined;
  const isAnytime = wanted.after === undefined && wanted.before === undefined;
  const found =
    isEverything && isAnytime
      ? chats
      : chats.filter((chat) => (project === undefined || chat.project === project) && fits(chat, wanted));
  return sort === 'updated' ? found : sortBy(found, sort);
}

const FILTER = /^(project|after|before):(\S+)$/i;

/** Words, and the filters of `skein list` as they are typed in a search. A time that is not typed to its end says nothing yet. */
export function wantedOf(text: string, now: Date): Wanted {
  const words: string[] = [];
  let wanted: Omit<Wanted, 'words'> = {};
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const [, name = '', value = ''] = FILTER.exec(word) ?? [];
    const kind = name.toLowerCase();
    if (kind === 'project') wanted = { ...wanted, project: value };
    else if (kind === 'after' || kind === 'before') wanted = { ...wanted, [kind]: parseTime(value, now) };
    else if (!/^(?:project|after|before):$/i.test(word)) words.push(word.toLowerCase());
  }
  return { ...wanted, words };
}

export interface Project {
  readonly path: string;
  readonly chats: number;
}

/** In the order of their newest chat. */
export function projectsOf(chats: readonly ListedChat[]): Project[] {
  const counts = new Map<string, number>();
  for (const { project } of chats) counts.set(project, (counts.get(project) ?? 0) + 1);
  return [...counts].map(([path, count]) => ({ path, chats: count }));
}

/** The project as a chat names it. */
export function projectNamed(chats: readonly ListedChat[], name: string): string | undefined {
  const wanted = { words: [], project: name };
  return chats.find((chat) => fits(chat, wanted) || chat.slug === projectSlug(name))?.project;
}
