/** Questions with answers to choose from, as data: keys change them, and they draw themselves. */
import { CURSOR_MARKER } from '@earendil-works/pi-tui/dist/tui.js';
import { safeLine } from '../../views/safe.ts';
import { fit } from './lines.ts';
import type { Palette } from './palette.ts';

export interface Option {
  readonly label: string;
  readonly note?: string;
  /** A letter that chooses it at once. */
  readonly key?: string;
  /** Words can be written to it. */
  readonly takesWords?: string;
}

export interface Dialog {
  readonly title: string;
  /** What it is about, or what the option is about that is chosen now. */
  readonly body: (width: number, index: number) => readonly string[];
  readonly options: readonly Option[];
  readonly index: number;
  /** Typing narrows the options down. */
  readonly filter?: string;
  /** More than one can be chosen. */
  readonly picked?: ReadonlySet<number>;
  readonly words: string;
  readonly hint?: string;
  /** The key that opened it: once more chooses. */
  readonly again?: string;
  /** What is said of the selected option stands below the list and is cut at its end. */
  readonly isPreviewed?: boolean;
}

export interface Chosen {
  readonly index: number;
  readonly picked: readonly number[];
  readonly words: string;
}

export type Pressed = { readonly dialog: Dialog } | { readonly chosen: Chosen } | { readonly cancelled: true };

export function dialogOf(fields: Partial<Dialog> & Pick<Dialog, 'title' | 'options'>): Dialog {
  return { body: () => [], index: 0, words: '', ...fields };
}

/** The options that fit what was typed, by their numbers. */
export function fitting({ options, filter = '' }: Dialog): number[] {
  const words = filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return options.flatMap(({ label, note = '' }, i) => {
    const text = `${label} ${note}`.toLowerCase();
    return words.every((word) => text.includes(word)) ? [i] : [];
  });
}

/** What is written is kept, and chooses nothing. */
export function takesText({ filter, options, index }: Dialog): boolean {
  return filter !== undefined || options[index]?.takesWords !== undefined;
}

/** `key`: its name; `text`: what it would write. */
export function press(dialog: Dialog, key: string, text: string | undefined): Pressed {
  const shown = fitting(dialog);
  const at = shown.indexOf(dialog.index);
  const option = dialog.options[dialog.index];
  const to = (row: number): Pressed => ({
    dialog: { ...dialog, index: shown[(row + shown.length) % Math.max(1, shown.length)] ?? dialog.index },
  });
  if (key !== '' && key === dialog.again) return shown.length === 0 ? { dialog } : choose(dialog, dialog.index);
  switch (key) {
    case 'up':
    case 'ctrl+p':
    case 'shift+tab':
      return to(at - 1);
    case 'down':
    case 'ctrl+n':
    case 'tab':
      return to(at + 1);
    case 'pageUp':
      return to(Math.max(0, at - 10));
    case 'pageDown':
      return to(Math.min(shown.length - 1, at + 10));
    case 'escape':
    case 'ctrl+c':
      return { cancelled: true };
    case 'enter':
      return shown.length === 0 ? { dialog } : choose(dialog, dialog.index);
    case 'backspace':
      if (option?.takesWords !== undefined) return { dialog: { ...dialog, words: withoutLast(dialog.words) } };
      return dialog.filter === undefined ? { dialog } : { dialog: filtered(dialog, withoutLast(dialog.filter)) };
    case 'space':
      if (dialog.picked !== undefined && option?.takesWords === undefined) return { dialog: toggled(dialog) };
      break;
  }
  return text === undefined ? { dialog } : write(dialog, option, text);
}

function write(dialog: Dialog, option: Option | undefined, text: string): Pressed {
  if (dialog.filter !== undefined) return { dialog: filtered(dialog, dialog.filter + text) };
  if (option?.takesWords !== undefined) return { dialog: { ...dialog, words: dialog.words + text } };
  const byKey = dialog.options.findIndex(({ key }) => key === text.toLowerCase());
  const byNumber = /^[1-9]$/.test(text) ? Number(text) - 1 : -1;
  const found = byKey >= 0 ? byKey : byNumber;
  const next = dialog.options[found];
  if (next === undefined) return { dialog };
  const moved = { ...dialog, index: found };
  if (next.takesWords !== undefined) return { dialog: moved };
  return dialog.picked === undefined ? choose(moved, found) : { dialog: toggled(moved) };
}

function choose(dialog: Dialog, index: number): Pressed {
  const picked =
    dialog.picked === undefined || dialog.picked.size === 0 ? [index] : [...dialog.picked].sort((a, b) => a - b);
  return { chosen: { index, picked, words: dialog.words.trim() } };
}

function toggled(dialog: Dialog): Dialog {
  const picked = new Set(dialog.picked);
  if (!picked.delete(dialog.index)) picked.add(dialog.index);
  return { ...dialog, picked };
}

function filtered(dialog: Dialog, filter: string): Dialog {
  const narrowed = { ...dialog, filter };
  const shown = fitting(narrowed);
  return { ...narrowed, index: shown.includes(dialog.index) ? dialog.index : (shown[0] ?? 0) };
}

function withoutLast(text: string): string {
  return [...text].slice(0, -1).join('');
}

/** With a line of air. */
const PREVIEW_ROWS = 15;

/** No more than `height` lines; the options are seen whatever the body holds. */
export function dialogLines(dialog: Dialog, width: number, height: number, palette: Palette): string[] {
  const { title, options, index } = dialog;
  const rule = palette.accent('─'.repeat(width));
  const shown = fitting(dialog);
  const { isPreviewed = false } = dialog;
  const most = Math.max(3, Math.min(shown.length, Math.floor(height / (isPreviewed ? 3 : 2))));
  const first = Math.max(0, Math.min(shown.indexOf(index) - Math.floor(most / 2), shown.length - most));
  const rows = shown.slice(first, first + most).map((i) => optionLine(dialog, i, width, palette));
  const left = shown.length - rows.length;
  const search =
    dialog.filter === undefined
      ? []
      : [fit(`${palette.dim('search:')} ${safeLine(dialog.filter)}${CURSOR_MARKER}`, width)];
  const list = [
    ...(rows.length === 0 ? [palette.dim(options.length === 0 ? '  nothing here' : '  nothing fits')] : rows),
    ...(left > 0 ? [palette.dim(`  ${shown.indexOf(index) + 1} of ${shown.length}`)] : []),
  ];
  const keys = palette.dim(fit(dialog.hint ?? hintOf(dialog), width));
  const head = [rule, palette.bold(fit(safeLine(title), width)), ...search];
  const room = Math.max(0, height - head.length - list.length - 1);
  const body = [...dialog.body(width, dialog.index)];
  if (isPreviewed) {
    // As high whatever is selected: the list does not move.
    const rows = options.length === 0 || room < 3 ? 0 : Math.min(room, PREVIEW_ROWS);
    return [...head, ...list, ...Array.from({ length: rows }, (_, i) => (i === 0 ? '' : (body[i - 1] ?? ''))), keys];
  }
  const kept =
    body.length <= room
      ? body
      : [palette.dim(`… ${body.length - room + 1} lines above`), ...body.slice(body.length - room + 1)];
  return [...head, ...kept.slice(0, room), ...list, keys];
}

function hintOf(dialog: Dialog): string {
  if (dialog.picked !== undefined) return 'space marks · ⏎ answers · esc cancels';
  return dialog.filter === undefined ? '↑↓ ⏎ choose · esc cancels' : 'type to search · ↑↓ ⏎ choose · esc cancels';
}

function optionLine(dialog: Dialog, i: number, width: number, palette: Palette): string {
  const { label, note, takesWords, key } = dialog.options[i] ?? { label: '' };
  const isHere = i === dialog.index;
  const box = dialog.picked === undefined || takesWords !== undefined ? '' : dialog.picked.has(i) ? '☑ ' : '☐ ';
  const letter = key === undefined ? '' : palette.dim(` (${key})`);
  const words =
    takesWords !== undefined && isHere
      ? `: ${safeLine(dialog.words)}${CURSOR_MARKER}${dialog.words === '' ? palette.dim(takesWords) : ''}`
      : '';
  const told = note === undefined || note === '' ? '' : palette.dim(`  ${safeLine(note)}`);
  const line = `${isHere ? palette.accent('❯') : ' '} ${box}${isHere ? palette.accent(safeLine(label)) : safeLine(label)}${words}${letter}${told}`;
  return fit(line, width);
}
