/** Small helps for lines of a given width. */
import { truncateToWidth, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui/dist/utils.js';
import { safeLine } from '../../views/safe.ts';

/** At most so wide; colours end where it is cut. */
export function fit(text: string, width: number): string {
  if (visibleWidth(text) <= width) return text;
  const cut = truncateToWidth(text, Math.max(0, width), '…');
  // It ends colours whether or not there are any.
  return text.includes('\u001b') ? cut : cut.replaceAll('\u001b[0m', '');
}

/** One left, one right, as far as both fit; the right one goes first. */
export function apart(left: string, right: string, width: number): string {
  const room = width - visibleWidth(left) - visibleWidth(right);
  if (right === '' || room < 2) return fit(left, width);
  return `${left}${' '.repeat(room)}${right}`;
}

/** Text of others, broken at the width. */
export function broken(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapTextWithAnsi(safeLine(line), Math.max(1, width)));
}

export function indented(lines: readonly string[], by: string): string[] {
  return lines.map((line) => `${by}${line}`.trimEnd());
}

/** 340 ms, 2.1 s, 1 min 12 s. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}
