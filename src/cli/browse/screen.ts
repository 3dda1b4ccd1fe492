/** The terminal's other screen: entered and left as a whole, painted where a row changed. */
import { writeSync } from 'node:fs';
import { AS_IT_WAS } from '../console/restore.ts';
import type { Frame } from './view.ts';

const ENTER = '\u001b[?1049h\u001b[?25l\u001b[H\u001b[2J';
const LEAVE = '\u001b[?25h\u001b[?1049l';
/** Between these a terminal that knows it shows nothing. */
const BEGIN = '\u001b[?2026h';
const END = '\u001b[?2026l';

export interface AltScreen {
  readonly isEntered: boolean;
  enter(): void;
  leave(): void;
  paint(frame: Frame): void;
  /** All of it is painted anew with the next frame. */
  forget(): void;
  /** When the process ends however it may, without waiting for anything. */
  restoreNow(): void;
}

export function createScreen(write: (text: string) => void): AltScreen {
  let isEntered = false;
  let shown: readonly string[] = [];
  let cursor = '';
  const forget = () => {
    shown = [];
    cursor = '';
  };
  return {
    get isEntered() {
      return isEntered;
    },
    enter() {
      if (!isEntered) write(ENTER);
      isEntered = true;
      forget();
    },
    leave() {
      if (isEntered) write(LEAVE);
      isEntered = false;
    },
    paint(frame) {
      if (!isEntered) return;
      const painted = changedRows(shown, frame.lines);
      const placed = cursorOf(frame);
      if (painted === '' && placed === cursor) return;
      shown = frame.lines;
      cursor = placed;
      write(`${BEGIN}${painted === '' ? '' : '\u001b[?25l'}${painted}${placed}${END}`);
    },
    forget,
    restoreNow() {
      if (!isEntered) return;
      isEntered = false;
      try {
        if (process.stdin.isTTY) process.stdin.setRawMode(false);
        writeSync(1, `${AS_IT_WAS}${LEAVE}`);
      } catch {
        // The terminal is gone.
      }
    },
  };
}

/** Each row is wiped before it is written: after the last column is written, wiping would take that away. */
export function changedRows(before: readonly string[], after: readonly string[]): string {
  const wiped = before.length === 0 ? '\u001b[2J' : '';
  const rows = Array.from({ length: Math.max(before.length, after.length) }, (_, i) => {
    const line = after[i] ?? '';
    return before[i] === line ? '' : `\u001b[${i + 1};1H\u001b[0m\u001b[2K${line}`;
  });
  return wiped + rows.join('');
}

function cursorOf({ cursor }: Frame): string {
  return cursor === undefined ? '\u001b[?25l' : `\u001b[${cursor.row + 1};${cursor.column + 1}H\u001b[?25h`;
}
