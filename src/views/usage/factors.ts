/**
 * How many times the price of the list the tokens of some requests cost, as Anthropic's pages on fast mode and data residency and
 * published price lists of November 2026 have it: the price library does not.
 */
import type { Rates } from './rates.ts';

/** claude-opus-4-6, claude-opus-5-5-20260922. Names as the clouds write them have prices of their own, that of a region among them. */
const NAME = /^claude-([a-z]+)-(\d+)(?:[-.](\d))?(?!\d)(?!.*@)/;

/** The models that have a fast mode. */
const FAST: ReadonlyMap<string, number> = new Map([
  ['opus 4.6', 6],
  ['opus 4.7', 6],
  ['opus 4.8', 2],
  ['opus 5.0', 2],
  ['opus 5.5', 2],
]);

/** From 4.6 on; what is older costs the same wherever it answers. */
const US_ONLY = 1.1;
const US_ONLY_FROM = 4.6;

export function factorsOf(model: string): Pick<Rates, 'fast' | 'usOnly'> {
  const [, family, major, minor = '0'] = NAME.exec(model) ?? [];
  if (family === undefined) return {};
  const fast = FAST.get(`${family} ${major}.${minor}`);
  const isNew = Number(`${major}.${minor}`) >= US_ONLY_FROM;
  return { ...(fast !== undefined && { fast }), ...(isNew && { usOnly: US_ONLY }) };
}
