/** One line of what was found: what kind of text, when, and as much of it as fits, around the words. */
import type { Hit } from '../../archive/search/hit.ts';
import { safeLine } from '../../views/safe.ts';
import { ago, charactersOf, cutPainted, displayWidth, pad } from '../layout.ts';
import type { Style } from '../terminal.ts';

export const LABELS: Readonly<Record<Hit['where'], string>> = {
  prompt: 'prompt',
  answer: 'answer',
  thinking: 'thinking',
  tool_input: 'call',
  tool_result: 'result',
  title: 'title',
  summary: 'summary',
  note: 'note',
  damaged: 'damaged',
};
const LABEL_WIDTH = 8;
const WHEN_WIDTH = 10;
/** Where the text would have less room than this, the time goes, and then what kind of text it is. */
const LEAST_BESIDE_WHEN = 30;
const LEAST_BESIDE_LABEL = 20;

/** A text and where the words stand in it. */
type Marked = Pick<Hit, 'snippet' | 'highlights'>;

export interface HitLine extends Marked, Pick<Hit, 'isError' | 'time'> {
  readonly label: string;
}

export interface LinePlace {
  readonly columns: number;
  /** What stands before it, without colours so wide. */
  readonly indent: number;
  readonly style: Style;
  readonly now: Date;
}

/** Without what is to stand before it. Already masked. */
export function hitLine({ label, isError, time, ...marked }: HitLine, place: LinePlace): string {
  const { style, now, columns, indent } = place;
  const shown = columnsOf(columns - indent);
  const kind = pad(label, LABEL_WIDTH);
  const before = [
    ...(shown.label ? [isError ? style.bad(kind) : style.accent(kind)] : []),
    ...(shown.when ? [style.dim(pad(ago(time, now), WHEN_WIDTH))] : []),
  ];
  const line = [...before, painted(fitted(marked, shown.room), style)].join(' ');
  return cutPainted(line, columns - indent);
}

/** The room of the text in a line. */
export function textRoom(columns: number, indent: number): number {
  return columnsOf(columns - indent).room;
}

function columnsOf(columns: number) {
  const besideLabel = columns - LABEL_WIDTH - 1;
  const besideBoth = besideLabel - WHEN_WIDTH - 1;
  if (besideBoth >= LEAST_BESIDE_WHEN) return { label: true, when: true, room: besideBoth };
  const label = besideLabel >= LEAST_BESIDE_LABEL;
  return { label, when: false, room: label ? besideLabel : columns };
}

function painted({ snippet, highlights }: Marked, style: Style): string {
  let at = 0;
  let text = '';
  for (const { start, end } of highlights) {
    text += `${safeLine(snippet.slice(at, start))}${style.warn(style.bold(safeLine(snippet.slice(start, end))))}`;
    at = end;
  }
  return text + safeLine(snippet.slice(at));
}

/** Cut at its end alone it might lose what was found. */
function fitted(marked: Marked, columns: number): Marked {
  const { snippet, highlights } = marked;
  if (!Number.isFinite(columns) || displayWidth(snippet) <= columns) return marked;
  const characters = [...charactersOf(snippet)];
  const widths = characters.map(({ segment }) => displayWidth(segment));
  const found = characters.findLastIndex(({ index }) => index <= (highlights[0]?.start ?? 0));
  // Dots on both sides.
  const room = Math.max(1, columns - 2);
  let [from, to, used] = [found, found, 0];
  const takeBefore = (most: number) => {
    for (; from > 0 && used + (widths[from - 1] ?? 0) <= most; from -= 1) used += widths[from - 1] ?? 0;
  };
  takeBefore(Math.floor(room / 3));
  for (; to < characters.length && used + (widths[to] ?? 0) <= room; to += 1) used += widths[to] ?? 0;
  takeBefore(room);
  return partOf(marked, characters[from]?.index ?? 0, characters[to]?.index ?? snippet.length);
}

function partOf({ snippet, highlights }: Marked, from: number, to: number): Marked {
  const dots = from > 0 ? '…' : '';
  const by = dots.length - from;
  const inside = highlights.filter(({ start, end }) => start < to && end > from);
  return {
    snippet: `${dots}${snippet.slice(from, to)}${to < snippet.length ? '…' : ''}`,
    highlights: inside.map(({ start, end }) => ({ start: Math.max(start, from) + by, end: Math.min(end, to) + by })),
  };
}
