/** Where the parts of the screen are: the list, and the preview beside it or below. */
import type { Size } from './state.ts';

export interface Layout {
  readonly list: Size;
  /** Columns and rows of the preview; none where there is no room. */
  readonly preview: Size | undefined;
  readonly isBeside: boolean;
}

/** From here on the preview has room beside the list. */
const WIDE = 110;
/** Above this many rows it has room below. */
const TALL = 14;
/** The line of what is typed, the titles of the columns, the keys. */
const FRAME_ROWS = 3;
export const SEPARATOR = ' │ ';

export function layoutOf({ columns, rows }: Size): Layout {
  const body = Math.max(1, rows - FRAME_ROWS);
  if (columns >= WIDE) {
    const width = Math.max(68, Math.floor(columns * 0.54));
    return {
      list: { columns: width, rows: body },
      preview: { columns: columns - width - SEPARATOR.length, rows: body + 1 },
      isBeside: true,
    };
  }
  if (body < TALL) return { list: { columns, rows: body }, preview: undefined, isBeside: false };
  const above = Math.ceil(body * 0.5);
  return {
    list: { columns, rows: above },
    preview: { columns, rows: body - above - 1 },
    isBeside: false,
  };
}

/** Rows of a reader, a menu, a help: all but the title and the keys. */
export function bodyRows({ rows }: Size): number {
  return Math.max(1, rows - 2);
}
