/** Where the secrets of a text are. */
import { type AnchorScan, anchorScan } from './anchors.ts';
import { assignmentRule } from './assignment.ts';
import { optionRule } from './commands.ts';
import { CONTEXT_RULES } from './contexts.ts';
import { kubernetesSecretRule } from './kubernetes.ts';
import { OPERAND_RULES } from './operands.ts';
import { OTHER_TOKEN_RULES } from './othertokens.ts';
import { privateKeyRule } from './privatekey.ts';
import type { Found, Rule } from './rule.ts';
import { SECRETLINT_RULES } from './secretlint.ts';
import { STORED_RULES } from './stored.ts';
import { TOKEN_RULES } from './tokens.ts';
import { TYPED_RULES } from './typedcommands.ts';
import { unescaped, unescapedLines } from './unescape.ts';
import { overJoints, unwrapped } from './wraps.ts';

export const RULES: readonly Rule[] = [
  ...SECRETLINT_RULES,
  ...TOKEN_RULES,
  ...OTHER_TOKEN_RULES,
  privateKeyRule,
  ...CONTEXT_RULES,
  optionRule,
  ...TYPED_RULES,
  ...OPERAND_RULES,
  kubernetesSecretRule,
  ...STORED_RULES,
  assignmentRule,
];

/** No rule finds anything in less. */
const SHORTEST = 8;

/** In the order of the text, none over another. Throws what a rule throws: whoever shows the text must not then. */
export function findSecrets(text: string, rules: readonly Rule[] = RULES): Found[] {
  if (text.length < SHORTEST) return [];
  const found = scanWhole(text, rules);
  const plain = unescaped(text);
  if (plain) {
    for (const each of scanWhole(plain.text, rules)) {
      found.push({ ...each, start: plain.placeOf(each.start), end: plain.placeOf(each.end) });
    }
  }
  return mergeFound(found);
}

/** Also what the end of a line breaks. */
function scanWhole(text: string, rules: readonly Rule[]): Found[] {
  const found = scan(text, rules);
  const joined = unwrapped(text);
  if (!joined) return found;
  const starts = new Set(found.map(({ start }) => start));
  return [...found, ...overJoints(scan(joined.text, rules), joined, (start) => starts.has(start))];
}

/** Whether there is anything for a rule to look at in a JSON text, of which no string goes over the end of a line. */
export function hasAnchor(text: string, rules: readonly Rule[]): boolean {
  const anchored = scanFor(rules);
  if (anchored.hasAny(text)) return true;
  const plain = unescapedLines(text);
  // Lines that end inside of a string are escaped.
  return plain !== undefined && (anchored.hasAny(plain) || anchored.hasAny(unwrapped(plain)?.text ?? ''));
}

const scans = new WeakMap<readonly Rule[], AnchorScan>();

function scanFor(rules: readonly Rule[]): AnchorScan {
  const anchored = scans.get(rules) ?? anchorScan(rules);
  scans.set(rules, anchored);
  return anchored;
}

function scan(text: string, rules: readonly Rule[]): Found[] {
  const found: Found[] = [];
  // `ghp_xxxxxxxx…` is a form to fill in.
  for (const [rule, places] of scanFor(rules).places(text))
    for (const each of rule.find(text, places))
      if (!/x{12}|X{12}/.test(text.slice(each.start, each.end))) found.push(each);
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
