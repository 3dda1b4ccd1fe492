/** Keys in what lies over the list: menus, the table of presets, the help. */
import { act } from './actions.ts';
import { bodyRows } from './layout.ts';
import { edited, goal, moved } from './moving.ts';
import type { HelpScreen, Item, MenuScreen, SlimScreen, State, Step } from './state.ts';

export function menuKey(state: State, screen: MenuScreen, key: string, text: string): Step {
  const below = { ...state, screens: state.screens.slice(0, -1) };
  const put = (next: MenuScreen): Step => ({ state: { ...below, screens: [...below.screens, next] }, effects: [] });
  if (key === 'escape' || key === 'left') return { state: below, effects: [] };
  const items = itemsOf(screen);
  const rows = bodyRows(state.size) - 1;
  const to = goal(screen, key, items.length, rows);
  if (to !== undefined) return put({ ...screen, ...moved(screen, to, items.length, rows) });
  const byKey = screen.filter === undefined ? items.find((item) => text !== '' && item.key === text) : undefined;
  const item = key === 'enter' ? items[screen.selected] : byKey;
  if (item !== undefined) return act(below, item.action);
  if (screen.filter === undefined) return text === 'q' ? { state: below, effects: [] } : put(screen);
  const filter = edited(screen.filter, key, text);
  return put(filter === undefined ? screen : { ...screen, filter, selected: 0, top: 0 });
}

/** Those that fit what is typed. */
export function itemsOf({ items, filter }: MenuScreen): readonly Item[] {
  const words = (filter ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  return words.length === 0 ? items : items.filter(({ label }) => words.every((w) => label.toLowerCase().includes(w)));
}

export function slimKey(state: State, screen: SlimScreen, key: string, text: string): Step {
  const below = { ...state, screens: state.screens.slice(0, -1) };
  const put = (next: SlimScreen): Step => ({ state: { ...below, screens: [...below.screens, next] }, effects: [] });
  // A file that is being written is written to its end.
  if (screen.phase === 'writing') return put(screen);
  if (key === 'escape' || text === 'q') {
    if (screen.phase === 'confirm') return put({ ...screen, phase: 'choose' });
    return { state: below, effects: [{ kind: 'stop' }] };
  }
  if (screen.phase === 'measuring') return put(screen);
  const count = screen.presets.length;
  const to = goal(screen, key, count, count);
  if (to !== undefined) return put({ ...screen, ...moved(screen, to, count, count), phase: 'choose' });
  const preset = screen.presets[screen.selected];
  if (preset === undefined) return put(screen);
  if (key === 'enter' && screen.phase === 'choose') return put({ ...screen, phase: 'confirm' });
  if (screen.phase !== 'confirm' || (key !== 'enter' && text !== 'y')) return put(screen);
  const job = state.job + 1;
  const writing: SlimScreen = { ...screen, phase: 'writing' };
  return {
    state: { ...below, job, screens: [...below.screens, writing] },
    effects: [{ kind: 'slim', job, chat: screen.chat, preset: preset.name }],
  };
}

export function helpKey(state: State, screen: HelpScreen, key: string, text: string): Step {
  const below = state.screens.slice(0, -1);
  const to = goal({ selected: screen.top, top: 0 }, key, 1000, bodyRows(state.size));
  if (to !== undefined)
    return { state: { ...state, screens: [...below, { ...screen, top: Math.max(0, to) }] }, effects: [] };
  const isLeft = key === 'escape' || text === 'q' || text === '?' || key === 'enter';
  return { state: isLeft ? { ...state, screens: below } : state, effects: [] };
}
