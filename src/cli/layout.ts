/** Text laid out for a terminal: display width, cutting, tables that fit, times and sizes for people. */
import { parseTimestamp } from '../format/time.ts';
import { safeLine } from '../views/safe.ts';
import { displayWidth, wrapped } from '../views/width.ts';

export { shortModel } from '../views/usage/amounts.ts';
export { displayWidth } from '../views/width.ts';
export { humanBytes } from './bytes.ts';

let segmenter: Intl.Segmenter | undefined;

export function charactersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Characters for each column: no writing needs more, while marks without a width could go on for ever. */
const DENSEST = 8;

/** At most `width` columns, cut between characters with an ellipsis. */
export function cut(text: string, width: number): string {
  if (width <= 0) return '';
  const most = width * DENSEST;
  if (text.length <= most && displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of charactersOf(text)) {
    const size = displayWidth(segment);
    if (used + size > width - 1 || kept.length + segment.length > most) break;
    kept += segment;
    used += size;
  }
  return `${kept}…`;
}

/** The same, of which the end is what tells: a path. */
export function cutStart(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const characters = Array.from(charactersOf(text), ({ segment }) => segment);
  let used = 1;
  const last = characters.findLastIndex((character) => {
    used += displayWidth(character);
    return used > width;
  });
  return `…${characters.slice(last + 1).join('')}`;
}

/** As `cut`, for text with colours in it. */
export function cutPainted(text: string, width: number): string {
  if (!Number.isFinite(width)) return text;
  return wrapped(text, width, { hard: true, wordWrap: false, trim: false }).split('\n')[0] ?? '';
}

export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return align === 'left' ? text + space : space + text;
}

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly align?: 'left' | 'right';
  /** Never narrower than this while the column is shown. */
  readonly min?: number;
  /** Never wider than this. */
  readonly max?: number;
  /** When the width does not do, columns with the highest number go first. 0 stays. */
  readonly drop: number;
  /** Takes what width is left, or gives it. */
  readonly flexible?: boolean;
  readonly paint?: (text: string, row: Row) => string;
}

const GAP = 2;
const LEAST_FLEXIBLE = 28;

/** Rows as aligned lines no wider than `width`. */
export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width: number,
  paintTitle: (text: string) => string,
): string[] {
  const cells = new Map(columns.map((column) => [column, rows.map((row) => safeLine(column.cell(row)))]));
  const natural = (column: Column<Row>): number => {
    const widest = (cells.get(column) ?? []).reduce(
      (most, cell) => Math.max(most, displayWidth(cell)),
      displayWidth(column.title),
    );
    return Math.min(column.max ?? Number.POSITIVE_INFINITY, Math.max(column.min ?? 0, widest));
  };
  const widths = fit(columns, natural, width);
  const shown = columns.filter((column) => widths.has(column));
  const lay = (text: string, column: Column<Row>) =>
    pad(cut(text, widths.get(column) ?? 0), widths.get(column) ?? 0, column.align);
  const titles = shown.map((column) => lay(column.title, column)).join(' '.repeat(GAP));
  const lines = rows.map((row, index) =>
    shown
      .map((column) => {
        const text = lay(cells.get(column)?.[index] ?? '', column);
        return column.paint ? column.paint(text, row) : text;
      })
      .join(' '.repeat(GAP))
      .trimEnd(),
  );
  return [paintTitle(titles.trimEnd()), ...lines];
}

function fit<Row>(
  columns: readonly Column<Row>[],
  natural: (column: Column<Row>) => number,
  width: number,
): Map<Column<Row>, number> {
  let shown = [...columns];
  for (;;) {
    const widths = new Map(shown.map((column) => [column, natural(column)]));
    const total = [...widths.values()].reduce((sum, each) => sum + each + GAP, -GAP);
    const over = total - width;
    if (over <= 0) return widths;
    const flexible = shown.find((column) => column.flexible);
    const room = flexible ? (widths.get(flexible) ?? 0) : 0;
    if (flexible && room - over >= LEAST_FLEXIBLE) return widths.set(flexible, room - over);
    const next = shown.filter((column) => column.drop > 0).toSorted((a, b) => b.drop - a.drop)[0];
    if (next === undefined) return flexible ? widths.set(flexible, Math.max(4, room - over)) : widths;
    shown = shown.filter((column) => column !== next);
  }
}

/** How long ago: "3 min ago", "yesterday" comes as "1 d ago"; older than a month as a date. */
export function ago(time: string | undefined, now: Date): string {
  if (time === undefined) return '';
  const seconds = (now.getTime() - parseTimestamp(time)) / 1000;
  if (Number.isNaN(seconds)) return '';
  if (seconds < 0 || seconds > 30 * 86_400) return time.slice(0, 10);
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

/** The home folder as ~. */
export function homePath(path: string, home: string): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The end of a path, which tells projects apart; `--json` has all of it. */
export function shortPath(path: string): string {
  return endOf(path, 2);
}

function endOf(path: string, count: number): string {
  const parts = path.split(/[/\\]/).filter((part) => part !== '');
  return parts.length <= count ? path : parts.slice(-count).join('/');
}

/** What to call paths that are told beside each other: by as much of their ends as tells them apart. */
export function pathNames(paths: Iterable<string>): (path: string) => string {
  const names = new Map<string, string>();
  let alike = [...new Set(paths)];
  for (let count = 2; alike.length > 0; count += 1) {
    const groups = [...Map.groupBy(alike, (path) => endOf(path, count))];
    for (const [name, [path, ...others]] of groups)
      if (path !== undefined && others.length === 0) names.set(path, name);
    alike = groups.flatMap(([, group]) => (group.length > 1 ? group : []));
  }
  return (path) => names.get(path) ?? shortPath(path);
}
