/** Private keys in armour (PEM, OpenSSH, PGP), also as the tools show them: escaped, numbered lines, diffs, cut off. */
import type { Found, Rule } from './rule.ts';

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y;
const END = /-----END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/;
const LONGEST = 20_000;

/** A key without its end: as long as what follows looks like lines of base64. */
const BODY =
  /(?:[^\S\n]{0,12}(?:\d{1,7}[→:|\t ])?[ +>|-]{0,4}(?:[A-Za-z0-9+/=]{16,200}|(?:Proc-Type|DEK-Info|Version|Comment|Hash)[^\n\\]{1,120})?(?:\\n|\\r|\r|\n| |$)){1,400}/y;

/** Fewer characters than this are an ellipsis, not a key. */
const LEAST = 40;

export const privateKeyRule: Rule = {
  id: 'private-key',
  kind: 'private-key',
  anchors: ['-----BEGIN '],
  find(text, places) {
    const found: Found[] = [];
    let seen = 0;
    for (const at of places) {
      if (at < seen) continue;
      const end = endOfKey(text, at);
      if (end === undefined) continue;
      found.push({ kind: 'private-key', start: at, end, guessable: false });
      seen = end;
    }
    return found;
  },
};

function endOfKey(text: string, at: number): number | undefined {
  BEGIN.lastIndex = at;
  if (!BEGIN.test(text)) return undefined;
  const start = BEGIN.lastIndex;
  const rest = text.slice(start, start + LONGEST);
  const closing = END.exec(rest);
  if (closing) return isKey(rest.slice(0, closing.index)) ? start + closing.index + closing[0].length : undefined;
  BODY.lastIndex = 0;
  const body = BODY.exec(rest)?.[0] ?? '';
  return isKey(body) ? start + body.length : undefined;
}

/** Prose between two mentions of the armour is no key. */
function isKey(body: string): boolean {
  const runs = body.match(/[A-Za-z0-9+/=]{16,}/g)?.reduce((sum, run) => sum + run.length, 0) ?? 0;
  return runs >= LEAST && runs >= 0.5 * body.replace(/\s+/g, '').length;
}
