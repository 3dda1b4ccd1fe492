/**
 * The terminal: what is finished is written once and belongs to the terminal's own scrollback from then on; below it a few lines
 * are live and repainted where they changed. Never the whole screen, never another screen.
 */
import type { Terminal } from '@earendil-works/pi-tui/dist/terminal.js';
import { CURSOR_MARKER, TuiBase } from '@earendil-works/pi-tui/dist/tui.js';
import { visibleWidth } from '@earendil-works/pi-tui/dist/utils.js';

/** What is drawn: lines no wider than `width` and no more than `height`, one of which may hold the place of the cursor. */
export type Draw = (width: number, height: number) => readonly string[];

/** Between these a terminal that knows it shows nothing. */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';

export class Screen extends TuiBase {
  readonly mode = 'regular' as const;
  /** Frames and bytes, for those who measure. */
  frames = 0;
  bytes = 0;
  readonly #draw: Draw;
  #pending: string[] = [];
  /** The live lines as they stand there, and where the cursor is among them. */
  #shown: readonly string[] = [];
  #row = 0;
  #column = 0;
  #isCursorShown = false;
  #width = 0;

  constructor(terminal: Terminal, draw: Draw) {
    super(terminal);
    this.#draw = draw;
    this.#width = terminal.columns;
  }

  /** Written above the live lines with the next frame, and never again. */
  commit(lines: readonly string[]): void {
    for (const line of lines) this.#pending.push(line);
    this.requestRender();
  }

  protected override doRender(): void {
    if (this.stopped) return;
    const { columns, rows } = this.terminal;
    const begun = columns === this.#width ? '' : this.#afterResize(columns);
    const committed = this.#pending;
    this.#pending = [];
    const drawn = this.#draw(columns, rows);
    // There is always a line for the cursor to stand in, below all that is finished.
    const { lines, cursor } = placeCursor(drawn.length === 0 ? [''] : drawn);
    const painted = this.#paint([...committed, ...lines]);
    this.#shown = lines;
    this.#row -= committed.length;
    const moved = this.#moveTo(cursor ?? { row: Math.max(0, lines.length - 1), column: 0 }, cursor !== undefined);
    const all = begun + painted + moved;
    if (all === '') return;
    const frame = `${BEGIN}${all}${END}`;
    this.frames += 1;
    this.bytes += frame.length;
    this.terminal.write(frame);
  }

  /** The live lines are taken away; what is written next begins where they began. */
  wipe(): void {
    this.terminal.write(`${this.#up(this.#row)}\r\u001b[J`);
    this.#forget();
  }

  /** The terminal has broken the live lines anew: they are wiped from where they begin now. */
  #afterResize(columns: number): string {
    this.#width = columns;
    const above = this.#shown.slice(0, this.#row).reduce((sum, line) => sum + rowsOf(line, columns), 0);
    const own = Math.floor(this.#column / Math.max(1, columns));
    const wiped = `${this.#up(above + own)}\r\u001b[J`;
    this.#forget();
    return wiped;
  }

  #forget(): void {
    this.#shown = [];
    this.#row = 0;
    this.#column = 0;
    // Who starts anew hides it.
    this.#isCursorShown = false;
  }

  /** From the first line that differs on; lines that stay are passed over. */
  #paint(next: readonly string[]): string {
    let out = '';
    const before = this.#shown;
    for (const [i, line] of next.entries()) {
      if (i < before.length && before[i] === line) continue;
      if (i < before.length || i === 0) out += `${this.#goTo(i)}\u001b[2K${line}`;
      else {
        // A row that was not there yet: the terminal scrolls if need be.
        out += `${this.#row === i - 1 ? '' : this.#goTo(i - 1)}\r\n${line}`;
        this.#row = i;
      }
      this.#column = Number.NaN;
    }
    if (before.length > next.length) {
      // Rows that are left over below.
      out += next.length === 0 ? `${this.#goTo(0)}\u001b[J` : `${this.#goTo(next.length - 1)}${clearBelow()}`;
    }
    return out;
  }

  #goTo(row: number): string {
    const move = row < this.#row ? this.#up(this.#row - row) : row > this.#row ? `\u001b[${row - this.#row}B` : '';
    this.#row = row;
    return `${move}\r`;
  }

  #up(rows: number): string {
    return rows > 0 ? `\u001b[${rows}A` : '';
  }

  #moveTo(place: { readonly row: number; readonly column: number }, isShown: boolean): string {
    let out = '';
    if (place.row !== this.#row || place.column !== this.#column) {
      out += this.#goTo(place.row) + (place.column > 0 ? `\u001b[${place.column}C` : '');
      this.#column = place.column;
    }
    if (isShown !== this.#isCursorShown) out += isShown ? '\u001b[?25h' : '\u001b[?25l';
    this.#isCursorShown = isShown;
    return out;
  }
}

/** Everything below the line the cursor is in; the line itself stays. */
function clearBelow(): string {
  return '\n\r\u001b[J\u001b[A';
}

function rowsOf(line: string, columns: number): number {
  return Math.max(1, Math.ceil(visibleWidth(line) / Math.max(1, columns)));
}

/** The editor draws a cursor of its own; we show the terminal's, which people have set up as they like. */
const DRAWN = new RegExp(`${CURSOR_MARKER}\\u001b\\[7m(.*?)\\u001b\\[0m`);

function placeCursor(drawn: readonly string[]): {
  readonly lines: readonly string[];
  readonly cursor?: { readonly row: number; readonly column: number };
} {
  const row = drawn.findIndex((line) => line.includes(CURSOR_MARKER));
  if (row < 0) return { lines: drawn };
  const line = drawn[row] ?? '';
  const column = visibleWidth(line.slice(0, line.indexOf(CURSOR_MARKER)));
  const plain = line.replace(DRAWN, '$1').replace(CURSOR_MARKER, '').trimEnd();
  return { lines: drawn.with(row, plain), cursor: { row, column } };
}
