/** Keys in the list of all chats: typing chooses by name. */
import { menuFor, opened, projectMenu, readerOf } from './actions.ts';
import { chosen } from './choose.ts';
import { layoutOf } from './layout.ts';
import { edited, goal, moved } from './moving.ts';
import { SORTS, type State, type Step, type WordsScreen } from './state.ts';
import { queryOf } from './wordskeys.ts';

const still = (state: State): Step => ({ state, effects: [] });

export function listKey(state: State, key: string, text: string): Step {
  const { rows } = layoutOf(state.size).list;
  const to = goal(state, key, state.shown.length, rows);
  if (to !== undefined) return still({ ...state, ...moved(state, to, state.shown.length, rows) });
  const chat = state.shown[state.selected];
  switch (key) {
    case 'enter':
      if (chat !== undefined) return opened(state, readerOf(chat));
      return state.text.trim() === '' ? still(state) : searching(state, state.text);
    case 'tab':
      return chat === undefined ? still(state) : still({ ...state, screens: [menuFor(chat)] });
    case 'ctrl+f':
      return still({ ...state, screens: [projectMenu(state)] });
    case 'ctrl+s':
      return still(resorted(state));
    case 'ctrl+r':
      return { state, effects: [{ kind: 'reload' }] };
    case 'escape':
      if (state.text !== '') return still(chosen({ ...state, text: '' }));
      if (state.project !== undefined) return still(chosen({ ...state, project: undefined }));
      return { state, effects: [{ kind: 'quit' }] };
    default:
  }
  if (text === '/') return state.text.trim() === '' ? still(asking(state)) : searching(state, state.text);
  if (text === '?' && state.text === '') return still({ ...state, screens: [{ kind: 'help', top: 0 }] });
  const line = edited(state.text, key, text);
  return still(line === undefined || line === state.text ? state : chosen({ ...state, text: line }));
}

function resorted(state: State): State {
  const sort = SORTS[(SORTS.indexOf(state.sort) + 1) % SORTS.length] ?? 'updated';
  return chosen({ ...state, sort, message: { tone: 'dim', text: `Sorted by ${sort}` } });
}

export const NO_WORDS: WordsScreen = {
  kind: 'words',
  text: '',
  phase: 'typing',
  hits: [],
  total: 0,
  told: '',
  selected: 0,
  top: 0,
};

function asking(state: State): State {
  return { ...state, screens: [NO_WORDS] };
}

function searching(state: State, text: string): Step {
  const job = state.job + 1;
  const screen: WordsScreen = { ...NO_WORDS, text: text.trim(), phase: 'searching' };
  return {
    state: { ...state, job, screens: [screen] },
    effects: [{ kind: 'search', job, words: queryOf(state, text.trim()) }],
  };
}
