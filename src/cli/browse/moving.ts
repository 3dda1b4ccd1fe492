/** Going through a list: the selection stays inside, and what is selected stays in sight. */
import type { Place } from './state.ts';

export function moved(place: Place, to: number, count: number, rows: number): Place {
  const selected = Math.max(0, Math.min(count - 1, to));
  const lowest = Math.max(0, count - rows);
  const top = Math.min(lowest, Math.max(selected - rows + 1, Math.min(place.top, selected)));
  return { selected, top: Math.max(0, top) };
}

/** Where a key goes in a list; undefined: it is no such key. */
export function goal({ selected }: Place, key: string, count: number, rows: number): number | undefined {
  switch (key) {
    case 'up':
    case 'ctrl+p':
      return selected - 1;
    case 'down':
    case 'ctrl+n':
      return selected + 1;
    case 'pageUp':
      return selected - Math.max(1, rows - 1);
    case 'pageDown':
      return selected + Math.max(1, rows - 1);
    case 'home':
      return 0;
    case 'end':
      return count - 1;
    default:
      return undefined;
  }
}

/** A line that is typed, after a key; undefined: the key does not change it. */
export function edited(line: string, key: string, text: string): string | undefined {
  switch (key) {
    case 'backspace':
    case 'shift+backspace':
    case 'ctrl+h':
      return line.replace(/.$/u, '');
    case 'ctrl+u':
      return '';
    case 'ctrl+w':
    case 'alt+backspace':
      return line.replace(/\S*\s*$/u, '');
    default:
      return text === '' ? undefined : (line + text).slice(0, LONGEST);
  }
}

const LONGEST = 500;
