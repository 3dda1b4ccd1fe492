/** Whether a text holds what is looked for, and where: the one decision both ways of searching come to. */
import type { Query, Term } from './query.ts';
import { fold, foldWithStarts, toIndexed, wordsOf } from './words.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Matcher {
  /** All that is wanted is in the text and nothing that is not. */
  matches(text: string): boolean;
  /** Where what is wanted stands, in order, none over another; at most so many. */
  spans(text: string, most?: number): Span[];
}

interface TermMatcher {
  readonly negated: boolean;
  in(text: Folded): boolean;
  spans(text: Folded, most: number): Span[];
}

/** A text with its other forms, made when asked for. */
interface Folded {
  readonly text: string;
  indexed(): string;
  folded(): string;
  /** With the place of each of its letters in the text. */
  placed(): ReturnType<typeof foldWithStarts>;
}

export function createMatcher(query: Pick<Query, 'terms'>): Matcher {
  const terms = query.terms.map(termMatcher);
  const wanted = terms.filter(({ negated }) => !negated);
  return {
    matches(text) {
      const forms = formsOf(text);
      return terms.every((term) => term.in(forms) !== term.negated);
    },
    spans(text, most = 50) {
      const forms = formsOf(text);
      return apart(wanted.flatMap((term) => term.spans(forms, most))).slice(0, most);
    },
  };
}

function formsOf(text: string): Folded {
  let indexed: string | undefined;
  let folded: string | undefined;
  let placed: ReturnType<typeof foldWithStarts> | undefined;
  return {
    text,
    indexed: () => (indexed ??= toIndexed(text).toLowerCase()),
    folded: () => (folded ??= fold(text)),
    placed: () => (placed ??= foldWithStarts(text)),
  };
}

function termMatcher(term: Term): TermMatcher {
  const { negated } = term;
  switch (term.kind) {
    case 'regex':
      return {
        negated,
        in: ({ text }) => text.search(term.regex) >= 0,
        spans: ({ text }, most) => matchSpans(text, term.regex, most),
      };
    case 'substring': {
      const wanted = fold(term.text);
      return {
        negated,
        in: (forms) => forms.folded().includes(wanted),
        spans: (forms, most) => substringSpans(forms, wanted, most),
      };
    }
    default: {
      if (term.words.length > MOST_IN_PATTERN)
        return {
          negated,
          in: ({ text }) => wordSpans(text, term, 1).length > 0,
          spans: ({ text }, most) => wordSpans(text, term, most),
        };
      const pattern = wordsPattern(term.words, term.prefix);
      return {
        negated,
        in: (forms) => pattern.test(forms.indexed()),
        spans: ({ text }, most) => {
          // Where nothing but ASCII is around them, words stand where the pattern finds them: enough to find one place.
          const found = matchSpans(text, new RegExp(pattern.source, 'gi'), most);
          const enough = PLAIN.test(text) || (most === 1 && found.length > 0);
          return enough ? found : wordSpans(text, term, most);
        },
      };
    }
  }
}

/** A phrase of more makes a pattern that is refused. */
const MOST_IN_PATTERN = 1000;

/** Signs of ASCII: all else is in words. Told by what letters are, V8 would look for the other case of every letter there is. */
const NO_WORD = '\\u0000-/:-@\\[-`{-\\u007f';

/** In a text made for the index, as the index would find it. */
function wordsPattern(words: readonly string[], prefix: boolean): RegExp {
  const end = prefix ? '' : `(?![^${NO_WORD}])`;
  return new RegExp(`(?<![^${NO_WORD}])${words.join(`[${NO_WORD}]+`)}${end}`);
}

const MOST_EMPTY = 10_000;

function matchSpans(text: string, pattern: RegExp, most: number): Span[] {
  const spans: Span[] = [];
  let empty = 0;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    // An expression may be content with nothing, and is so nearly everywhere.
    if (found === '') {
      empty += 1;
      if (empty > MOST_EMPTY) break;
      continue;
    }
    spans.push({ start: index, end: index + found.length });
    if (spans.length >= most) break;
  }
  return spans;
}

function substringSpans({ text, placed }: Folded, wanted: string, most: number): Span[] {
  const { folded, starts } = placed();
  const spans: Span[] = [];
  for (let at = folded.indexOf(wanted); at >= 0 && spans.length < most; at = folded.indexOf(wanted, at + 1)) {
    spans.push({ start: starts[at] ?? 0, end: starts[at + wanted.length] ?? text.length });
  }
  return spans;
}

const PLAIN = /^[\u0000-\u007f]*$/;

function wordSpans(text: string, term: Term & { kind: 'words' }, most: number): Span[] {
  const { words, prefix } = term;
  const recent: { word: string; start: number; end: number }[] = [];
  const spans: Span[] = [];
  const fits = (word: string, place: number) => {
    const wanted = words[place] ?? '';
    return prefix && place === words.length - 1 ? word.startsWith(wanted) : word === wanted;
  };
  for (const word of wordsOf(text)) {
    recent.push(word);
    if (recent.length > words.length) recent.shift();
    if (recent.length < words.length || !recent.every((each, place) => fits(each.word, place))) continue;
    spans.push({ start: recent[0]?.start ?? word.start, end: word.end });
    if (spans.length >= most) break;
  }
  return spans;
}

function apart(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || span.start > last.end) merged.push(span);
    else merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return merged;
}
