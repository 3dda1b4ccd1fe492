/** Where the secrets of a text are. */
import { type AnchorScan, anchorScan } from './anchors.ts';
import { assignmentRule } from './assignment.ts';
import { COMMAND_RULES } from './commands.ts';
import { CONTEXT_RULES } from './contexts.ts';
import { privateKeyRule } from './privatekey.ts';
import type { Found, Rule } from './rule.ts';
import { SECRETLINT_RULES } from './secretlint.ts';
import { TOKEN_RULES } from './tokens.ts';
import { TYPED_RULES } from './typedcommands.ts';
import { unescaped } from './unescape.ts';

export const RULES: readonly Rule[] = [
  ...SECRETLINT_RULES,
  ...TOKEN_RULES,
  privateKeyRule,
  ...CONTEXT_RULES,
  ...COMMAND_RULES,
  ...TYPED_RULES,
  assignmentRule,
];

/** No rule finds anything in less. */
const SHORTEST = 8;

/** In the order of the text, none over another. Throws what a rule throws: whoever shows the text must not then. */
export function findSecrets(text: string, rules: readonly Rule[] = RULES): Found[] {
  if (text.length < SHORTEST) return [];
  const found = scan(text, rules);
  const plain = unescaped(text);
  if (plain) {
    for (const each of scan(plain.text, rules)) {
      found.push({ ...each, start: plain.placeOf(each.start), end: plain.placeOf(each.end) });
    }
  }
  return mergeFound(found);
}

/** Whether there is anything for a rule to look at. */
export function hasAnchor(text: string, rules: readonly Rule[]): boolean {
  const anchored = scanFor(rules);
  return anchored.hasAny(text) || anchored.hasAny(unescaped(text)?.text ?? '');
}

const scans = new WeakMap<readonly Rule[], AnchorScan>();

function scanFor(rules: readonly Rule[]): AnchorScan {
  const anchored = scans.get(rules) ?? anchorScan(rules);
  scans.set(rules, anchored);
  return anchored;
}

function scan(text: string, rules: readonly Rule[]): Found[] {
  const found: Found[] = [];
  for (const [rule, places] of scanFor(rules).places(text))
    for (const each of rule.find(text, places)) found.push(each);
  return found;
}

/** Kinds that say only where a secret stands give way to those that say what it is. */
const GENERAL = new Set(['secret', 'password', 'bearer-token', 'authorization', 'cookie']);

export function mergeFound(found: Found[]): Found[] {
  const merged: Found[] = [];
  for (const next of found.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (!last || next.start >= last.end) merged.push(next);
    else merged[merged.length - 1] = joined(last, next);
  }
  return merged;
}

function joined(a: Found, b: Found): Found {
  const kind = GENERAL.has(a.kind) ? b.kind : a.kind;
  return { kind, start: a.start, end: Math.max(a.end, b.end), guessable: a.guessable && b.guessable };
}
