/** What a rule is: what must stand there for it to be asked at all, and where the secret is. */

/** A stretch of text that is a secret. */
export interface Found {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  /** Chosen by a person or short: its hash could confirm a guess, so its placeholder carries none. */
  readonly guessable: boolean;
  /** Where what gives it away begins, if that is before it. */
  readonly from?: number;
}

export interface Rule {
  /** Unique. The kind is what the placeholder says, and several rules may share one. */
  readonly id: string;
  readonly kind: string;
  /**
   * No secret of this rule is without one of these: sources of patterns that begin with a literal character. One that
   * begins with a letter does not follow another letter.
   */
  readonly anchors: readonly string[];
  /** The anchors are words in whatever case, and may be part of longer ones. */
  readonly anyCase?: boolean;
  /** Looks at the places where an anchor stands, first to last, and around them no further than a fixed number of characters. */
  find(text: string, places: readonly number[]): readonly Found[];
}

/**
 * A token known by its form. The pattern is matched at the anchor; `head` in a lookbehind is the part before it,
 * a group of another name the part to mask, else all of it. Every repetition has an upper bound, so that no text takes long.
 * One that is given as a function is made at the first place worth a look, and its anchors are as they are written.
 */
export function tokenRule(
  kind: string,
  anchors: readonly string[],
  pattern: RegExp | (() => RegExp),
  { id = kind, guessable = () => false, counts = () => true, mayStand = () => true, anyCase }: TokenOptions = {},
): Rule {
  let sticky: RegExp | undefined;
  return {
    id,
    kind,
    anchors,
    anyCase: anyCase ?? (typeof pattern !== 'function' && pattern.ignoreCase),
    find(text, places) {
      const found: Found[] = [];
      let seen = 0;
      for (const at of places) {
        if (at < seen || !mayStand(text, at)) continue;
        sticky ??= stickyOf(typeof pattern === 'function' ? pattern() : pattern);
        sticky.lastIndex = at;
        const match = sticky.exec(text);
        const range = rangeIn(match?.indices);
        if (!match || !range) continue;
        const start = match.indices?.groups?.head?.[0] ?? range[0];
        const end = range[1];
        const value = text.slice(start, end);
        if (isForm(value) || !counts(value, match[0])) continue;
        found.push({ kind, start, end, guessable: guessable(value), from: Math.min(at, start) });
        seen = end;
      }
      return found;
    },
  };
}

/** Whichever group there is but what stands before the secret; all of it where there is none. */
export function rangeIn(indices: RegExpIndicesArray | undefined): [number, number] | undefined {
  for (const [name, range] of Object.entries(indices?.groups ?? {})) if (!BESIDE.has(name) && range) return range;
  return indices?.[0];
}

/** `xoxb-your-token`: to fill in. */
export const isForm = (value: string): boolean => /[-_]your(?:[-_]|$)/i.test(value);

const BESIDE = new Set(['head', 'name']);

export function stickyOf({ source, flags }: RegExp): RegExp {
  return new RegExp(source, `dy${flags}`);
}

export interface TokenOptions {
  readonly id?: string;
  /** Of a pattern that is made later. */
  readonly anyCase?: boolean;
  /** A quick look at a place, before the pattern is made. */
  readonly mayStand?: (text: string, at: number) => boolean;
  readonly guessable?: (value: string) => boolean;
  /** Whether what stands there is a secret after all. */
  readonly counts?: (value: string, match: string) => boolean;
}
