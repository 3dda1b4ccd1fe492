/**
 * What the words of a text must hold for a part of it, or a regular expression, to be in it: then the server can leave most texts
 * out. It may let texts through that do not match, never the other way round.
 */
import type { Query, Term } from '../../views/search/query.ts';
import { fold, RUN_END, wordListOf } from '../../views/search/words.ts';
import { partCondition } from './phrases.ts';
import type { Values } from './values.ts';

export interface Cut {
  /** Told by the index. */
  readonly narrow: readonly string[];
  /** Told by the words themselves. */
  readonly text: readonly string[];
}

export function cutOf({ terms }: Pick<Query, 'terms'>, values: Values): Cut {
  const texts = terms.filter(({ negated }) => !negated).flatMap(textsIn);
  return {
    narrow: texts.flatMap((text) => text.split(' ').flatMap((part) => partCondition(part, values) ?? [])),
    text: texts.map((text) => `position(words, ${values.add('String', text)}) > 0`),
  };
}

/** Each stands somewhere in the words, one space between two of them. */
export function textsIn(term: Term): string[] {
  if (term.kind === 'words') return [];
  if (term.kind === 'regex') return literalsOf(term.regex);
  const folded = fold(term.text);
  // Half a character is never written by itself, and a mark may belong to what stands before it.
  if (/\p{Cs}|^\p{M}/u.test(folded)) return [];
  const words = [...wordListOf(folded)];
  if (words.at(-1) === RUN_END) words.pop();
  return words.length === 0 ? [] : [words.join(' ')];
}

/** Stands for what leaves open what stands beside it. */
const UNSURE = /[|()[\]{}^$]/;

/** Letters and digits that every match has, next to each other. Only of simple expressions; of others there are none. */
export function literalsOf({ source, flags }: RegExp): string[] {
  const plain = source.replace(/\\(.)/gsu, (_all, escaped: string) =>
    /[^A-Za-z0-9]|[wdsb]/i.test(escaped) ? ' ' : '|',
  );
  if (UNSURE.test(plain)) return [];
  const literals = plain
    .replace(/[^ ]?[*?]\??/gu, ' ')
    .split(/[^A-Za-z0-9]+/)
    .filter((each) => each !== '');
  // With i and u they are also ſ and K, which the words keep.
  const isWide = flags.includes('i') && flags.includes('u');
  return literals.filter((each) => !(isWide && /[sk]/i.test(each))).map((each) => each.toLowerCase());
}
