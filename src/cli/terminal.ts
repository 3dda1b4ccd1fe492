/** Where output goes and what it can show: colour, width. */
import type { Writable } from 'node:stream';

export interface Terminal {
  readonly stream: Writable;
  readonly isTerminal: boolean;
  readonly columns: number;
  readonly style: Style;
  write(text: string): void;
}

export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  accent(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
}

export type ColorChoice = 'auto' | 'always' | 'never';

export interface TerminalOptions {
  readonly isTerminal: boolean;
  readonly columns?: number;
  readonly color: ColorChoice;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function openTerminal(stream: Writable, options: TerminalOptions): Terminal {
  return {
    ...lookOf(options),
    stream,
    write: (text) => {
      stream.write(text);
    },
  };
}

export function lookOf(options: TerminalOptions): Pick<Terminal, 'isTerminal' | 'columns' | 'style'> {
  return {
    isTerminal: options.isTerminal,
    columns: widthOf(options),
    style: styleFor(wantsColor(options)),
  };
}

/** A pipe gets lines as wide as they are; a terminal its own width. */
function widthOf({ isTerminal, columns, env }: TerminalOptions): number {
  const told = Number(env.COLUMNS);
  if (Number.isInteger(told) && told > 0) return told;
  return isTerminal ? (columns ?? 80) : Number.POSITIVE_INFINITY;
}

function wantsColor({ color, env, isTerminal }: TerminalOptions): boolean {
  if (color !== 'auto') return color === 'always';
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '0') return true;
  return isTerminal && env.TERM !== 'dumb';
}

function styleFor(colored: boolean): Style {
  const paint = (open: number, close: number) => (text: string) =>
    colored && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    accent: paint(36, 39),
    good: paint(32, 39),
    warn: paint(33, 39),
    bad: paint(31, 39),
  };
}
