/** Keys in a search of what was said: the words are typed, Enter searches, then the hits are gone through. */
import { menuFor, opened, readerOf } from './actions.ts';
import { layoutOf } from './layout.ts';
import { edited, goal, moved } from './moving.ts';
import type { Hit, State, Step, WordsScreen } from './state.ts';

export function wordsKey(state: State, screen: WordsScreen, key: string, text: string): Step {
  const below = state.screens.slice(0, -1);
  const put = (next: WordsScreen): Step => ({ state: { ...state, screens: [...below, next] }, effects: [] });
  if (key === 'escape') {
    if (screen.phase === 'searching') return { ...put({ ...screen, phase: 'typing' }), effects: [{ kind: 'stop' }] };
    return { state: { ...state, screens: below }, effects: [] };
  }
  const line = edited(screen.text, key, text);
  if (line !== undefined) {
    const next = put({ ...screen, text: line, phase: 'typing' });
    return screen.phase === 'searching' ? { ...next, effects: [{ kind: 'stop' }] } : next;
  }
  if (key === 'enter' && screen.phase !== 'found') return search(state, screen);
  const { rows } = layoutOf(state.size).list;
  const to = goal(screen, key, screen.hits.length, rowsOfHits(screen, rows));
  if (to !== undefined) return put({ ...screen, ...moved(screen, to, screen.hits.length, rowsOfHits(screen, rows)) });
  const hit = screen.hits[screen.selected];
  const chat = hit && chatOfHit(state, hit);
  if (hit === undefined || chat === undefined) return put(screen);
  if (key === 'tab') return { state: { ...state, screens: [...state.screens, menuFor(chat)] }, effects: [] };
  if (key !== 'enter') return put(screen);
  const turn = hit.uuid === undefined ? [] : ['--turn', hit.uuid];
  const whole = ['--tools', 'full', ...(hit.where === 'thinking' ? ['--thinking'] : [])];
  return opened(state, { ...readerOf(chat, [...turn, ...whole]), find: foundText(hit), seeks: true });
}

/** Headings of chats take rows too: at most half of them are lost to these. */
function rowsOfHits({ hits }: WordsScreen, rows: number): number {
  const isMany = new Set(hits.map(({ chat }) => chat)).size > 1;
  return isMany ? Math.max(1, Math.floor(rows / 2)) : Math.max(1, rows - 1);
}

function search(state: State, screen: WordsScreen): Step {
  const words = screen.text.trim();
  if (words === '') return { state, effects: [] };
  const job = state.job + 1;
  const next: WordsScreen = { ...screen, phase: 'searching', hits: [], selected: 0, top: 0, total: 0, told: '' };
  return {
    state: { ...state, job, screens: [...state.screens.slice(0, -1), next] },
    effects: [{ kind: 'search', job, words: queryOf(state, words) }],
  };
}

/** In the project that is chosen, unless the words name one. A quote in its name cannot be told to a search. */
export function queryOf({ project }: State, words: string): string {
  if (project === undefined || project.includes('"') || /(?:^|\s)-?project:/.test(words)) return words;
  return `${words} project:"${project}"`;
}

export function chatOfHit({ chats }: State, hit: Hit) {
  return (
    chats.find(({ files }) => files.some(({ file }) => file === hit.file)) ?? chats.find(({ id }) => id === hit.chat)
  );
}

/** The first of the words that were found. */
function foundText({ snippet, highlights }: Hit): string {
  const [first] = highlights;
  return first === undefined ? '' : snippet.slice(first[0], first[1]);
}
