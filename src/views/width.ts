/** How wide a text is in a terminal, and lines no wider than that. */
import type { Options } from 'wrap-ansi';
import { stringWidth, wrapAnsi } from './widelib.cjs';

/** Characters that are one column each, and those that are two: most texts are made of them, and loading the library takes longer than a list. */
const NARROW =
  '\\x20-\\x7e\\xa1-\\xac\\xae-\\u02ff\\u2010-\\u2027\\u2190-\\u2193\\u2139\\u2200-\\u22ff\\u2500-\\u259f\\u2713-\\u2718\\uff61-\\uff9d';
const WIDE = '\\u3001-\\u3020\\u3041-\\u3096\\u30a1-\\u30ff\\u4e00-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff60';
const PLAIN = new RegExp(`^[${NARROW}]*$`);
const SIMPLE = new RegExp(`^[${NARROW}${WIDE}]*$`);
const WIDE_ONES = new RegExp(`[${WIDE}]`, 'g');

export function displayWidth(text: string): number {
  if (PLAIN.test(text)) return text.length;
  return SIMPLE.test(text) ? text.length + (text.match(WIDE_ONES)?.length ?? 0) : stringWidth(text);
}

/** Text with line breaks where it would be wider; colours go on over them. */
export function wrapped(text: string, columns: number, options: Options): string {
  return PLAIN.test(text) && text.length <= columns ? text : wrapAnsi(text, columns, options);
}
