/** Masks texts, and remembers: a secret found in one place is masked wherever else it stands from then on. */
import { findSecrets, hasAnchor, mergeFound } from './find.ts';
import { isMasked, NOT_SCANNED, placeholderOf, placeholderOver } from './placeholder.ts';
import type { Found, Rule } from './rule.ts';
import { RULES } from './rules.ts';
import { unescaped } from './unescape.ts';

export interface Masker {
  mask(text: string): string;
  /** Texts that stand one under the other, such as the lines of a diff: a secret may go over several. As many come back. */
  maskLines(lines: readonly string[]): readonly string[];
  /** A text known from elsewhere to be a secret as a whole. */
  maskWhole(text: string, kind: string, guessable: boolean): string;
  /** Finds the secrets of a text without masking it: for documents gone through twice, so that nothing depends on order. */
  learn(text: string): void;
  /** How many secrets are remembered: more than before when one was found for the first time. */
  readonly learnt: number;
  /** Whether no string of a JSON text can be or hold a secret: true of most, and told at once. */
  isClean(json: string): boolean;
  /** Base64 that was not looked into, such as an image. */
  pass(): void;
  /** A text that could not be scanned and is not shown. */
  fail(): void;
  readonly told: Told;
}

export interface Told {
  /** How often each placeholder was put. */
  readonly masked: ReadonlyMap<string, number>;
  /** Texts not shown because they could not be scanned. */
  readonly notScanned: number;
  /** Pieces of base64 shown as they are, not looked into. */
  readonly passed: number;
}

export interface MaskerOptions {
  readonly rules?: readonly Rule[];
  /** Texts longer than this are not shown. */
  readonly longest?: number;
  /** Told each time a text is not shown. */
  readonly onNotScanned?: () => void;
  /** Told each time a placeholder is put, and for what. */
  readonly onMasked?: (placeholder: string, secret: string) => void;
  /** So many secrets are looked for where no rule knows them. */
  readonly mostRemembered?: number;
}

const LONGEST = 64e6;
/** Masking may bring two halves of something together; more rounds than this it never took. */
const ROUNDS = 4;
/** Shorter ones could stand inside any text by chance. */
const LEAST_REMEMBERED = 8;
/** Longer ones, and more of them, would make the search for them slow. They are masked wherever a rule knows them. */
const LONGEST_REMEMBERED = 8000;
const MOST_REMEMBERED = 500;
const LONGEST_CLEAN = 64;
const MOST_CLEAN = 1000;

export function createMasker({
  rules = RULES,
  longest = LONGEST,
  onNotScanned,
  onMasked,
  mostRemembered = MOST_REMEMBERED,
}: MaskerOptions = {}): Masker {
  const masked = new Map<string, number>();
  const known = new Map<string, Found>();
  let knownPattern: RegExp | undefined;
  let notScanned = 0;
  let passed = 0;

  /** Short texts with nothing to mask, such as the names in JSON, come again and again. */
  const clean = new Set<string>();
  const noteClean = (text: string): void => {
    if (clean.size >= MOST_CLEAN) clean.clear();
    clean.add(text);
  };

  const fail = (): void => {
    notScanned += 1;
    onNotScanned?.();
  };

  const remember = (secret: string, found: Found): void => {
    const fits = secret.length >= LEAST_REMEMBERED && secret.length <= LONGEST_REMEMBERED;
    if (!fits || known.size >= mostRemembered || known.has(secret) || isMasked(secret)) return;
    known.set(secret, found);
    knownPattern = undefined;
    clean.clear();
  };

  const learnFrom = (text: string): Found[] => {
    const found = findSecrets(text, rules).flatMap((each) => besidesPlaceholders(each, text));
    for (const each of found) remember(inOneLine(text.slice(each.start, each.end), each), each);
    return found;
  };

  const find = (text: string): Found[] => {
    const found = learnFrom(text);
    if (known.size > 0) {
      knownPattern ??= patternOf(known);
      for (const match of text.matchAll(knownPattern)) {
        const { kind = 'secret', guessable = true } = known.get(match[0]) ?? {};
        found.push({ kind, guessable, start: match.index, end: match.index + match[0].length });
      }
    }
    return mergeFound(found).filter(({ start, end }) => !isMasked(text.slice(start, end)));
  };

  const put = (kind: string, secret: string, guessable: boolean): string => {
    // However it is escaped, it is the same secret.
    const plain = inOneLine(unescaped(secret)?.text ?? secret, { kind, guessable });
    const placeholder = placeholderOf(kind, plain, guessable);
    masked.set(placeholder, (masked.get(placeholder) ?? 0) + 1);
    onMasked?.(placeholder, plain);
    return placeholder;
  };

  const maskLines = (lines: readonly string[]): readonly string[] => {
    const [only = ''] = lines;
    const isShort = lines.length === 1 && only.length <= LONGEST_CLEAN;
    if (isShort && clean.has(only)) return lines;
    const masked = lookedThrough(lines);
    if (isShort && masked === lines) noteClean(only);
    return masked;
  };

  const lookedThrough = (lines: readonly string[]): readonly string[] => {
    try {
      let now = lines;
      for (let round = 0; round < ROUNDS; round += 1) {
        const text = now.length === 1 ? (now[0] ?? '') : now.join('\n');
        if (text.length > longest) throw new RangeError('the text is too long');
        const found = find(text);
        if (found.length === 0) break;
        now = replaced(now, found, ({ kind, start, end, guessable }) => put(kind, text.slice(start, end), guessable));
      }
      return now;
    } catch {
      // Fails closed, whatever it was: what was not looked at is not shown.
      fail();
      return lines.map((_, index) => (index === 0 ? NOT_SCANNED : ''));
    }
  };

  return {
    mask: (text) => maskLines([text])[0] ?? '',
    maskLines,
    maskWhole(text, kind, guessable) {
      if (isMasked(text)) return text;
      remember(text, { kind, guessable, start: 0, end: text.length });
      return put(kind, text, guessable);
    },
    learn(text) {
      try {
        learnFrom(text);
      } catch {
        // It is told when the text is to be shown.
      }
    },
    isClean: (json) =>
      known.size === 0 && json.length <= longest && !HIDING_ESCAPE.test(json) && !hasAnchor(json, rules),
    pass() {
      passed += 1;
    },
    fail,
    get learnt() {
      return known.size;
    },
    get told() {
      return { masked, notScanned, passed };
    },
  };
}

/** No token has spaces: where a line ended inside it, it goes on. */
function inOneLine(secret: string, { kind, guessable }: Pick<Found, 'kind' | 'guessable'>): string {
  return guessable || kind === 'private-key' ? secret : secret.replace(/\\?\s+/g, '');
}

/** What begins or ends inside a placeholder is a secret only beside it. */
function besidesPlaceholders(found: Found, text: string): Found[] {
  const start = placeholderOver(text, found.start)?.end ?? found.start;
  const end = placeholderOver(text, found.end)?.start ?? found.end;
  return start < end ? [{ ...found, start, end }] : [];
}

/** Escapes that end with a letter, which would hide that a word begins after them. */
const HIDING_ESCAPE = /\\[bfu]/;

/** Any of these, the longest where one begins with another. What a person chose may be part of a word: it must stand by itself. */
function patternOf(known: ReadonlyMap<string, Found>): RegExp {
  const longestFirst = [...known].toSorted(([a], [b]) => b.length - a.length);
  const sources = longestFirst.map(([secret, { guessable }]) => {
    const source = secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    return guessable ? `(?<![A-Za-z0-9])${source}(?![A-Za-z0-9])` : source;
  });
  return new RegExp(sources.join('|'), 'g');
}

/** Each stretch gives way to its placeholder in the line it begins in, and to nothing in those it goes on in. */
function replaced(lines: readonly string[], found: readonly Found[], put: (found: Found) => string): string[] {
  let next = 0;
  let lineStart = 0;
  return lines.map((line) => {
    const lineEnd = lineStart + line.length;
    let out = '';
    let at = lineStart;
    for (let each = found[next]; each && each.start < lineEnd; each = found[next]) {
      out += line.slice(at - lineStart, Math.max(at, each.start) - lineStart);
      // A stretch that begins with the line break before this line begins here.
      if (each.start >= lineStart - 1) out += put(each);
      at = Math.min(each.end, lineEnd);
      if (each.end > lineEnd) break;
      next += 1;
    }
    out += line.slice(at - lineStart);
    lineStart = lineEnd + 1;
    return out;
  });
}
