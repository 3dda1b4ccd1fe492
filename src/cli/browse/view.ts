/** The state as lines of a screen: never more of them than there are rows, never wider than there are columns. */
import { stripVTControlCharacters } from 'node:util';
import { counted } from '../../views/counted.ts';
import { safeLine } from '../../views/safe.ts';
import { displayWidth, homePath } from '../layout.ts';
import { keysFor } from './keysline.ts';
import { bodyRows, layoutOf, SEPARATOR } from './layout.ts';
import { chatRows, nothingLines } from './listview.ts';
import { filled, type Look, plain, within } from './look.ts';
import { helpLines, menuLines, slimLines } from './overlays.ts';
import { wantedPreview } from './reduce.ts';
import type { ReaderScreen, Screen, State, WordsScreen } from './state.ts';
import { hitRows } from './wordsview.ts';

export interface Frame {
  readonly lines: readonly string[];
  /** Where what is typed goes; hidden without it. */
  readonly cursor?: { readonly row: number; readonly column: number };
}

export function frameOf(state: State, look: Look): Frame {
  const { columns, rows } = state.size;
  const screen = state.screens.at(-1);
  const head = headOf(state, screen, look);
  const body =
    screen === undefined || screen.kind === 'words' ? split(state, screen, look) : overlay(state, screen, look);
  const foot = state.message === undefined ? keysFor(state, look) : messageLine(state.message, look);
  const middle = body.slice(0, Math.max(0, rows - 2));
  const lines = [head.line, ...middle, ...Array<string>(Math.max(0, rows - 2 - middle.length)).fill(''), foot]
    .slice(-rows)
    .map((line) => within(line, columns));
  return head.column === undefined || rows < 2
    ? { lines }
    : { lines, cursor: { row: 0, column: Math.min(columns - 1, head.column) } };
}

interface Head {
  readonly line: string;
  readonly column?: number;
}

function headOf(state: State, screen: Screen | undefined, look: Look): Head {
  const { style } = look;
  switch (screen?.kind) {
    case undefined:
      return typed(state, style.accent('skein'), state.text, style.dim(factsOf(state, look)));
    case 'words':
      return typed(state, style.accent('search'), screen.text, style.dim(projectOf(state, look)));
    case 'reader':
      if (screen.isFinding) return typed(state, style.accent('find'), screen.find, '');
      return {
        line: apart(style.bold(plain(screen.title, look)), style.dim(placeOf(screen, bodyRows(state.size))), state),
      };
    case 'menu':
      if (screen.filter === undefined) return { line: style.bold(plain(screen.title, look)) };
      return typed(state, style.accent(screen.title), screen.filter, '');
    case 'slim':
      return { line: style.bold('Slim') };
    case 'help':
      return { line: style.bold('Keys') };
  }
}

/** What is typed, its end in sight; facts to the right as far as there is room. */
function typed(state: State, label: string, text: string, facts: string): Head {
  const room = Math.max(1, state.size.columns - displayWidth(label) - 4);
  let shown = safeLine(text);
  while (displayWidth(shown) > room) shown = [...shown].slice(1).join('');
  const line = `${label} ❯ ${shown}`;
  return { line: apart(line, facts, state), column: displayWidth(line) };
}

function apart(left: string, right: string, { size }: State): string {
  const room = size.columns - displayWidth(left) - displayWidth(right);
  if (right === '') return left;
  if (room >= 2) return `${left}${' '.repeat(room)}${right}`;
  const most = size.columns - displayWidth(right) - 2;
  return most < 20 ? left : `${filled(left, most)}  ${right}`;
}

function projectOf({ project }: State, look: Look): string {
  return project === undefined ? '' : plain(homePath(project, look.home), look);
}

function factsOf(state: State, look: Look): string {
  const { shown, chats, sort, isDemo } = state;
  const project = projectOf(state, look);
  const all = counted(chats.length, 'chat');
  const count = shown.length === chats.length ? all : `${shown.length} of ${all}`;
  return [
    ...(isDemo ? ['demo set'] : []),
    ...(project === '' ? [] : [project]),
    ...(sort === 'updated' ? [] : [`by ${sort}`]),
    count,
  ].join(' · ');
}

function placeOf({ lines, top, isDone, isCut }: ReaderScreen, rows: number): string {
  if (!isDone && lines.length === 0) return 'reading …';
  const end = Math.min(lines.length, top + rows);
  const share = lines.length === 0 ? 100 : Math.round((100 * end) / lines.length);
  return `${end} of ${lines.length}${isCut ? ' (cut; skein show has all of it)' : ''}${isDone ? '' : ' …'} · ${share} %`;
}

function split(state: State, screen: WordsScreen | undefined, look: Look): string[] {
  const layout = layoutOf(state.size);
  const { list, preview, isBeside } = layout;
  const [titles = '', ...rows] =
    screen === undefined ? chatRows(state, look, layout) : hitRows(state, screen, look, layout);
  const left = screen === undefined && state.shown.length === 0 ? nothingLines(state, look) : rows;
  const shown = previewOf(state, preview?.rows ?? 0);
  const listed = Array.from({ length: list.rows }, (_, i) => left[i] ?? '');
  if (preview === undefined) return [titles, ...listed];
  if (!isBeside) return [titles, ...listed, look.style.dim('─'.repeat(preview.columns)), ...shown];
  const bar = look.style.dim(SEPARATOR);
  return [titles, ...listed].map((line, i) => `${filled(line, list.columns)}${bar}${shown[i] ?? ''}`);
}

/** The one before stays for the moment the next one takes: nothing flickers, and it says whose it is. */
function previewOf(state: State, rows: number): readonly string[] {
  return wantedPreview(state) === undefined ? [] : (state.preview?.lines.slice(0, rows) ?? []);
}

function overlay(state: State, screen: Exclude<Screen, WordsScreen>, look: Look): string[] {
  switch (screen.kind) {
    case 'reader':
      return readerLines(screen, look, bodyRows(state.size));
    case 'menu':
      return menuLines(screen, look, state.size);
    case 'slim':
      return slimLines(screen, look);
    case 'help':
      return helpLines(screen, look, state.size);
  }
}

function readerLines({ lines, top, find, isFinding, isDone }: ReaderScreen, { style }: Look, rows: number): string[] {
  if (isDone && lines.length === 0) return ['', style.dim('  Nothing was said in it.')];
  const wanted = isFinding ? '' : find.toLowerCase();
  return lines.slice(top, top + rows).map((line) => (wanted === '' ? line : marked(line, wanted, style)));
}

/** A line that holds what is looked for loses its colours to that. */
function marked(line: string, wanted: string, style: Look['style']): string {
  const text = stripVTControlCharacters(line);
  const lower = text.toLowerCase();
  // Where lower case has another length, places do not fit.
  if (lower.length !== text.length || !lower.includes(wanted)) return line;
  let [out, at] = ['', 0];
  for (let next = lower.indexOf(wanted); next >= 0; next = lower.indexOf(wanted, at)) {
    out += `${text.slice(at, next)}${style.warn(style.bold(text.slice(next, next + wanted.length)))}`;
    at = next + wanted.length;
  }
  return out + text.slice(at);
}

function messageLine({ tone, text }: NonNullable<State['message']>, { style, mask }: Look): string {
  return style[tone](safeLine(mask(text)));
}
