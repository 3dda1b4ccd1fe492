/** Pictures made of characters: bars, and a calendar of days. */
import { dayAfter, daysBetween, weekOf } from './days.ts';

export interface Glyphs {
  /** From nothing to a whole cell. */
  readonly bar: readonly string[];
  readonly shades: readonly string[];
}

export const UNICODE: Glyphs = {
  bar: ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'],
  shades: ['·', '░', '▒', '▓', '█'],
};
export const ASCII: Glyphs = { bar: ['', '#'], shades: ['.', '-', '+', '*', '#'] };

/** A bar as long as its share of `width` cells; anything above nothing is seen. */
export function bar(value: number, largest: number, width: number, glyphs: Glyphs): string {
  const steps = glyphs.bar.length - 1;
  if (value <= 0 || largest <= 0 || width <= 0) return '';
  const parts = Math.max(1, Math.round((Math.min(value, largest) / largest) * width * steps));
  return (glyphs.bar[steps] ?? '').repeat(Math.floor(parts / steps)) + (glyphs.bar[parts % steps] ?? '');
}

const NAMES = ['Mon', '', 'Wed', '', 'Fri', '', 'Sun'];
const GUTTER = 4;
const CELL = 2;

export interface HeatMap {
  readonly lines: readonly string[];
  /** Weeks before those that fit. */
  readonly leftOut: number;
}

/** Weeks as columns from left to right, days from Monday down; the newest weeks when not all fit. Shades by rank, not by size. */
export function heatMap(values: ReadonlyMap<string, number>, width: number, glyphs: Glyphs): HeatMap {
  const days = [...values.keys()].sort();
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return { lines: [], leftOut: 0 };
  const weeks = daysBetween(weekOf(first), last).filter((_, index) => index % 7 === 0);
  const room = Math.max(1, Math.min(weeks.length, Math.floor((width - GUTTER) / CELL)));
  const shown = weeks.slice(-room);
  const shade = shadesOf([...values.values()], glyphs);
  const lines = [monthLine(shown, width)];
  for (const [weekday, name] of NAMES.entries()) {
    const cells = shown.map((monday) => {
      const day = dayAfter(monday, weekday);
      return day < first || day > last ? ' ' : shade(values.get(day) ?? 0);
    });
    lines.push(`${name.padEnd(GUTTER)}${cells.join(' ')}`.trimEnd());
  }
  return { lines, leftOut: weeks.length - room };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function monthLine(mondays: readonly string[], width: number): string {
  let line = ' '.repeat(GUTTER);
  let month = '';
  for (const [index, monday] of mondays.entries()) {
    // A week is of the month it ends in, so that each month stands over its first day.
    const now = dayAfter(monday, 6).slice(0, 7);
    const at = GUTTER + index * CELL;
    const name = MONTHS[Number(now.slice(5)) - 1] ?? '';
    if (now !== month && line.length <= at && at + name.length <= width) line = line.padEnd(at) + name;
    month = now;
  }
  return line.trimEnd();
}

function shadesOf(values: readonly number[], { shades }: Glyphs): (value: number) => string {
  const levelOf = levels(values, shades.length - 1);
  return (value) => shades[levelOf(value)] ?? '';
}

/** From 0 for nothing to `most`, by rank among the values. */
export function levels(values: readonly number[], most: number): (value: number) => number {
  const sorted = values.filter((value) => value > 0).sort((a, b) => a - b);
  return (value) => {
    if (value <= 0) return 0;
    const below = sorted.findLastIndex((each) => each <= value) + 1;
    return Math.max(1, Math.ceil((below / sorted.length) * most));
  };
}
