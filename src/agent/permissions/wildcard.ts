/** `*` in rules: any characters. `prefix:*` and `prefix *` are the prefix alone, or the prefix and a blank and more. */

export interface Pattern {
  matches(text: string): boolean;
  /** Whether something that starts so might match. */
  couldMatch(start: string): boolean;
  /** What has to stand at the start, up to the first `*`. */
  readonly head: string;
  /** There is no `*`. */
  readonly exact: boolean;
  /** How many whole words it gives at the start; quoted ones do not count, nor what follows them. */
  readonly words: number;
}

const made = new Map<string, Pattern>();

export function commandPattern(spec: string): Pattern {
  const known = made.get(spec);
  if (known !== undefined) return known;
  const pattern = build(spec.trim().replace(/:\*$/, ' *').replace(/ +\*$/, ' *'));
  made.set(spec, pattern);
  return pattern;
}

function build(text: string): Pattern {
  const open = text.endsWith(' *');
  const parts = (open ? text.slice(0, -2) : text).split('*');
  const body = parts.map(escapeRegExp).join('.*');
  const regexp = new RegExp(`^${body}${open ? '(?: .*)?' : ''}$`, 's');
  const head = parts[0] ?? '';
  const exact = parts.length === 1 && !open;
  return {
    matches: (candidate) => regexp.test(candidate),
    couldMatch: (start) => head.startsWith(start) || (exact ? false : start.startsWith(head)),
    head,
    exact,
    words: wholeWords(head, parts.length === 1),
  };
}

function wholeWords(head: string, isWhole: boolean): number {
  const plain = head.replace(/['"\\].*$/s, '');
  const words = plain.split(/\s+/).filter((word) => word !== '').length;
  return (isWhole && plain === head) || /\s$/.test(plain) ? words : Math.max(0, words - 1);
}

/** The whole of a text, `*` standing for anything. */
export function glob(pattern: string): RegExp {
  return new RegExp(`^${pattern.split('*').map(escapeRegExp).join('.*')}$`, 's');
}

export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
