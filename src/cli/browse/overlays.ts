/** What lies over the list: menus, presets, help. */
import { wrapped } from '../../views/width.ts';
import { pad } from '../layout.ts';
import { tokensText } from '../slim/table.ts';
import { HELP } from './help.ts';
import { bodyRows } from './layout.ts';
import { type Look, plain, titleOf } from './look.ts';
import { itemsOf } from './menukeys.ts';
import type { HelpScreen, MenuScreen, Size, SlimScreen } from './state.ts';

const LABEL_WIDTH = 24;

export function menuLines(screen: MenuScreen, look: Look, size: Size): string[] {
  const { style } = look;
  const rows = bodyRows(size) - 1;
  const items = itemsOf(screen);
  const width = screen.filter === undefined ? LABEL_WIDTH : Math.max(LABEL_WIDTH, size.columns - 14);
  const lines = items.slice(screen.top, screen.top + rows).map((item, i) => {
    const isSelected = i + screen.top === screen.selected;
    const key = screen.filter === undefined ? `${style.accent(item.key)}  ` : '';
    const label = pad(plain(item.label, look), width);
    const text = `${key}${isSelected ? style.bold(label) : label} ${style.dim(item.note ?? '')}`;
    return `${isSelected ? style.accent('❯') : ' '} ${text}`;
  });
  return ['', ...(items.length === 0 ? [style.dim('  None is called so.')] : lines)];
}

export function slimLines(screen: SlimScreen, look: Look): string[] {
  const { style } = look;
  if (screen.phase === 'measuring') return ['', style.dim('  counting what each preset would leave …')];
  const { before } = screen;
  const rows = screen.presets.map(({ name, tokens }, i) => {
    const saved = before > 0 ? Math.round((100 * (before - tokens)) / before) : 0;
    const isSelected = i === screen.selected;
    const cells = `${pad(name, 10)} ${pad(`~${tokensText(tokens)}`, 8, 'right')} ${pad(`${saved} %`, 8, 'right')}`;
    return `${isSelected ? style.accent('❯') : ' '} ${isSelected ? style.bold(cells) : cells}`;
  });
  const name = screen.presets[screen.selected]?.name ?? '';
  const next =
    screen.phase === 'writing'
      ? style.dim('  writing …')
      : screen.phase === 'confirm'
        ? `  ${style.warn(`Write a new session with "${name}"?`)} y: yes, Esc: no`
        : style.dim('  Older turns hold less, what was said stays. Nothing is written yet.');
  return [
    '',
    `  ${titleOf(screen.chat, look)}`,
    '',
    style.dim(`  ${pad('PRESET', 10)} ${pad('TOKENS', 8, 'right')} ${pad('SAVED', 8, 'right')}`),
    style.dim(`  ${pad('now', 10)} ${pad(tokensText(before), 8, 'right')}`),
    ...rows,
    '',
    next,
  ];
}

const KEY_WIDTH = 16;
const HELP_INDENT = KEY_WIDTH + 3;

function broken(text: string, width: number): string[] {
  return wrapped(text, Math.max(10, width), {}).split('\n');
}

export function helpLines(screen: HelpScreen, { style }: Look, size: Size): string[] {
  const lines = HELP.flatMap(({ title, keys }) => [
    '',
    `  ${style.bold(title)}`,
    ...keys.flatMap(([key, what]) =>
      broken(what, size.columns - HELP_INDENT).map(
        (line, i) => `  ${style.accent(pad(i === 0 ? key : '', KEY_WIDTH))} ${line}`,
      ),
    ),
  ]);
  const top = Math.max(0, Math.min(screen.top, lines.length - bodyRows(size)));
  return lines.slice(top, top + bodyRows(size));
}
