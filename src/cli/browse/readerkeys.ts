/** Keys while reading: by line, by page, by what is looked for. */
import { stripVTControlCharacters } from 'node:util';
import { menuFor, opened, readerOf } from './actions.ts';
import { bodyRows } from './layout.ts';
import { edited } from './moving.ts';
import type { ReaderScreen, State, Step } from './state.ts';

export function readerKey(state: State, screen: ReaderScreen, key: string, text: string): Step {
  const below = state.screens.slice(0, -1);
  const put = (next: ReaderScreen): Step => ({ state: { ...state, screens: [...below, next] }, effects: [] });
  if (screen.isFinding) return put(finding(screen, key, text, bodyRows(state.size)));
  const rows = bodyRows(state.size);
  const page = Math.max(1, rows - 2);
  // As the tree numbers them.
  if (screen.argv[0] === 'tree' && screen.chat !== undefined && /^[1-9]$/.test(text))
    return opened(state, readerOf(screen.chat, ['--branch', text]));
  const scrolled = (top: number) => put({ ...screen, seeks: false, top: within(screen, top, rows) });
  switch (text === '' || text === ' ' ? key : text) {
    case 'escape':
    case 'q':
    case 'left':
      return { state: { ...state, screens: below }, effects: [{ kind: 'stop' }] };
    case 'down':
    case 'j':
    case 'enter':
      return scrolled(screen.top + 1);
    case 'up':
    case 'k':
      return scrolled(screen.top - 1);
    case 'space':
    case 'pageDown':
    case 'ctrl+f':
      return scrolled(screen.top + page);
    case 'pageUp':
    case 'b':
    case 'ctrl+b':
      return scrolled(screen.top - page);
    case 'home':
    case 'g':
      return scrolled(0);
    case 'end':
    case 'G':
      return scrolled(screen.lines.length);
    case '/':
      return put({ ...screen, isFinding: true, find: '' });
    case 'n':
      return put(nextFound(screen, screen.top + 1, 1, rows));
    case 'N':
      return put(nextFound(screen, screen.top - 1, -1, rows));
    case '?':
      return { state: { ...state, screens: [...state.screens, { kind: 'help', top: 0 }] }, effects: [] };
    case 'tab':
      if (screen.chat === undefined) return put(screen);
      return { state: { ...state, screens: [...state.screens, menuFor(screen.chat)] }, effects: [] };
    case 'v':
      return reopened(state, screen, toggledTools(screen.argv));
    case 'h':
      return reopened(state, screen, toggled(screen.argv, '--thinking'));
    case 'o':
      if (screen.chat === undefined || !screen.argv.includes('--turn')) return put(screen);
      return opened({ ...state, screens: below }, readerOf(screen.chat));
    default:
      return put(screen);
  }
}

/** Read once more, as something else is asked for or the width is another; about the same place stays in sight. */
export function reopened(state: State, screen: ReaderScreen, argv: readonly string[]): Step {
  if (argv[0] !== 'show') return { state, effects: [] };
  return reread(state, { ...screen, argv });
}

export function reread(state: State, screen: ReaderScreen): Step {
  const job = state.job + 1;
  const again: ReaderScreen = { ...screen, lines: [], isDone: false, isCut: false };
  return {
    state: { ...state, job, screens: [...state.screens.slice(0, -1), again] },
    effects: [{ kind: 'read', job, argv: screen.argv, width: state.size.columns }],
  };
}

function toggled(argv: readonly string[], option: string): readonly string[] {
  return argv.includes(option) ? argv.filter((arg) => arg !== option) : [...argv, option];
}

function toggledTools(argv: readonly string[]): readonly string[] {
  const at = argv.indexOf('--tools');
  return at < 0 ? [...argv, '--tools', 'full'] : argv.toSpliced(at, 2);
}

function finding(screen: ReaderScreen, key: string, text: string, rows: number): ReaderScreen {
  if (key === 'escape') return { ...screen, isFinding: false, find: '' };
  if (key === 'enter') return nextFound({ ...screen, isFinding: false }, screen.top, 1, rows);
  const find = edited(screen.find, key, text);
  return find === undefined ? screen : { ...screen, find };
}

/** Round the end; stays where it is if there is none. */
export function nextFound(screen: ReaderScreen, from: number, by: 1 | -1, rows: number): ReaderScreen {
  const { lines, find } = screen;
  const wanted = find.toLowerCase();
  if (wanted === '') return screen;
  for (let step = 0; step < lines.length; step += 1) {
    const at = (((from + by * step) % lines.length) + lines.length) % lines.length;
    if (holds(lines[at] ?? '', wanted)) return { ...screen, seeks: false, top: within(screen, at, rows) };
  }
  return screen;
}

export function holds(line: string, wanted: string): boolean {
  return stripVTControlCharacters(line).toLowerCase().includes(wanted);
}

function within({ lines }: ReaderScreen, top: number, rows: number): number {
  return Math.max(0, Math.min(lines.length - rows, top));
}

/** Lines that came. */
export function grown(screen: ReaderScreen, lines: readonly string[], isCut: boolean, rows: number): ReaderScreen {
  const next = { ...screen, lines: [...screen.lines, ...lines], isCut };
  return next.seeks ? nextFound(next, screen.lines.length, 1, rows) : next;
}
