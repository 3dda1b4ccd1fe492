/** Orders that do not depend on the machine. */
import { millisOf } from './time.ts';

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Unknown times come last. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  const [left, right] = [millisOf(a) ?? Infinity, millisOf(b) ?? Infinity];
  return left === right ? 0 : left - right;
}
