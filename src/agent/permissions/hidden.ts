/** Files that a rule forbids to read: what lists and searches find is not to show them. */
import { placeOf, ruleFitsPlace } from './paths.ts';
import type { Rule, World } from './types.ts';

/** Whether there is anything to hide at all. */
export function hidesAnything(rules: readonly Rule[]): boolean {
  return rules.some(isHiding);
}

export function isHidden(path: string, rules: readonly Rule[], world: World): boolean {
  const hiding = rules.filter(isHiding);
  if (hiding.length === 0) return false;
  const place = placeOf(path, world);
  return hiding.some((rule) => ruleFitsPlace(rule, place, world));
}

/** A rule without a path forbids the tool itself. */
function isHiding({ behaviour, tool, spec, problem }: Rule): boolean {
  return behaviour === 'deny' && tool === 'Read' && spec !== undefined && problem === undefined;
}
