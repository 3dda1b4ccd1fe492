/**
 * What stands where a secret stood: `[github-token:1f3a]`. The four digits are from a hash of the secret, so that the same
 * secret has the same placeholder everywhere, on every run. They tell 16 bits of something that has 80 or more. A
 * secret that could be guessed (a password) gets none, `[password]`: the digits would tell a guesser when he is right.
 */
import { lazy } from '../format/lazy.ts';
import { RULES } from './rules.ts';

export const NOT_SCANNED = '[not shown: could not be scanned]';

export function placeholderOf(kind: string, secret: string, guessable: boolean): string {
  if (guessable) return `[${kind}]`;
  // Loaded when there is something to mask: it takes as long as all the rest.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return `[${kind}:${createHash('sha256').update(secret).digest('hex').slice(0, 4)}]`;
}

const patterns = lazy(() => {
  const kinds = [...new Set([...RULES.map(({ kind }) => kind), 'password'])];
  const one = `\\[(?:${kinds.join('|')})(?::[0-9a-f]{4})?\\]`;
  const longest = Math.max(...kinds.map((kind) => kind.length)) + '[:1f3a]'.length;
  return { all: new RegExp(`^(?:${one})+$`), at: new RegExp(one, 'y'), longest };
});

/** Whether a text is placeholders and nothing else. */
export function isMasked(text: string): boolean {
  return text.startsWith('[') && (patterns().all.test(text) || text === NOT_SCANNED);
}

/** The placeholder that a place lies inside of: in `//[github-token:1f3a]@` there is no password to mask. */
export function placeholderOver(text: string, place: number): { start: number; end: number } | undefined {
  const { at, longest } = patterns();
  const least = Math.max(0, place - longest);
  for (let start = place - 1; start >= least; start -= 1) {
    if (text[start] !== '[') continue;
    at.lastIndex = start;
    if (at.test(text)) return at.lastIndex > place ? { start, end: at.lastIndex } : undefined;
  }
  return undefined;
}
