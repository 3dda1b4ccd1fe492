/** How wide a text is in a terminal, and lines no wider than that. */
import type { Options } from 'wrap-ansi';
import { stringWidth, wrapAnsi } from './widelib.cjs';

/** Characters that are one column each, of which most texts are made. */
const PLAIN = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2500-\u259f]*$/;

export function displayWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** Text with line breaks where it would be wider; colours go on over them. */
export function wrapped(text: string, columns: number, options: Options): string {
  return PLAIN.test(text) && text.length <= columns ? text : wrapAnsi(text, columns, options);
}
