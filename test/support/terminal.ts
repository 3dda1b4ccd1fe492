/** A terminal in which only writing does something. */
import type { Terminal } from '@earendil-works/pi-tui/dist/terminal.js';

export interface TerminalParts {
  readonly columns: number;
  rows(): number;
  write(data: string): void;
  /** Handed what takes the keys. */
  start?(onInput: (data: string) => void): void;
}

export function terminalOf({ columns, rows, write, start }: TerminalParts): Terminal {
  const nothing = () => {};
  return {
    start: start ?? nothing,
    stop: nothing,
    drainInput: async () => {},
    write,
    columns,
    get rows() {
      return rows();
    },
    kittyProtocolActive: false,
    moveBy: nothing,
    hideCursor: nothing,
    showCursor: nothing,
    clearLine: nothing,
    clearFromCursor: nothing,
    clearScreen: nothing,
    setTitle: nothing,
    setProgress: nothing,
  };
}
