/** Terminal output → pieces with colours. Only colours and weights are taken; every other control sequence is dropped. */
export interface AnsiPiece {
  readonly text: string;
  /** Classes of parts.css: fg-1 … fg-15, bg-1 … bg-15, bold, dim, italic, underline. */
  readonly classes: string;
}

interface Pen {
  fg: number | undefined;
  bg: number | undefined;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
}

/** CSI, OSC and other string sequences, two-character escapes, and control characters other than tab and newline. */
const CONTROL =
  /\x1b\[([0-?]*)[ -/]*([@-~])|\x1b[\]PX^_][\s\S]*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]?|[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f]/g;

export function ansiPieces(text: string): AnsiPiece[] {
  const pen = blank();
  const pieces: AnsiPiece[] = [];
  const shown = overwritten(text);
  let from = 0;
  const push = (to: number) => {
    if (to > from) pieces.push({ text: shown.slice(from, to), classes: classesOf(pen) });
  };
  for (const match of shown.matchAll(CONTROL)) {
    push(match.index);
    from = match.index + match[0].length;
    if (match[2] === 'm') paint(pen, match[1] ?? '');
  }
  push(shown.length);
  return pieces;
}

/** The text alone. */
export function withoutAnsi(text: string): string {
  return overwritten(text).replace(CONTROL, '');
}

/** A line that went back to its beginning shows what was written last: progress bars. */
function overwritten(text: string): string {
  if (!text.includes('\r')) return text;
  return text
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => line.split('\r').findLast((part) => part !== '') ?? '')
    .join('\n');
}

function blank(): Pen {
  return { fg: undefined, bg: undefined, bold: false, dim: false, italic: false, underline: false, inverse: false };
}

function paint(pen: Pen, parameters: string): void {
  const codes = parameters.split(/[;:]/).map(Number);
  for (let place = 0; place < codes.length; place += 1) {
    const code = codes[place] ?? 0;
    if (code === 0) Object.assign(pen, blank());
    else if (code === 1) pen.bold = true;
    else if (code === 2) pen.dim = true;
    else if (code === 3) pen.italic = true;
    else if (code === 4) pen.underline = true;
    else if (code === 7) pen.inverse = true;
    else if (code === 22) pen.bold = pen.dim = false;
    else if (code === 23) pen.italic = false;
    else if (code === 24) pen.underline = false;
    else if (code === 27) pen.inverse = false;
    else if (code >= 30 && code <= 37) pen.fg = code - 30;
    else if (code === 39) pen.fg = undefined;
    else if (code >= 40 && code <= 47) pen.bg = code - 40;
    else if (code === 49) pen.bg = undefined;
    else if (code >= 90 && code <= 97) pen.fg = code - 82;
    else if (code >= 100 && code <= 107) pen.bg = code - 92;
    else if (code === 38 || code === 48) {
      const [colour, used] = extended(codes.slice(place + 1));
      if (code === 38) pen.fg = colour;
      else pen.bg = colour;
      place += used;
    }
  }
}

/** 256 and true colours become the nearest of the sixteen, which are readable in light and dark. */
function extended(rest: readonly number[]): [number | undefined, number] {
  const [mode, a = 0, b = 0, c = 0] = rest;
  if (mode === 2) return [nearest(a, b, c), 4];
  if (mode !== 5) return [undefined, 0];
  if (a < 16) return [a, 2];
  if (a >= 232) return [nearest((a - 232) * 10 + 8, (a - 232) * 10 + 8, (a - 232) * 10 + 8), 2];
  const level = (n: number) => (n === 0 ? 0 : n * 40 + 55);
  const cube = a - 16;
  return [nearest(level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)), 2];
}

function nearest(red: number, green: number, blue: number): number {
  const high = Math.max(red, green, blue);
  if (high - Math.min(red, green, blue) < 30) return high < 64 ? 0 : high < 160 ? 8 : 7;
  const bit = (value: number, of: number) => (value > high * 0.6 ? of : 0);
  return bit(red, 1) + bit(green, 2) + bit(blue, 4) + (high > 200 ? 8 : 0);
}

function classesOf({ fg, bg, bold, dim, italic, underline, inverse }: Pen): string {
  const names: string[] = [];
  const [front, back] = inverse ? [bg ?? 'inverse', fg ?? 'inverse'] : [fg, bg];
  if (front !== undefined) names.push(`fg-${front}`);
  if (back !== undefined) names.push(`bg-${back}`);
  if (bold) names.push('bold');
  if (dim) names.push('dim');
  if (italic) names.push('italic');
  if (underline) names.push('underline');
  return names.join(' ');
}
