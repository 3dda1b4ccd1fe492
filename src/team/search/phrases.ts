/** Words, phrases and beginnings of words, as conditions over `messages.words`: ` one two three `, a space around every word. */
import type { Query, Term } from '../../views/search/query.ts';
import type { Values } from './values.ts';

export interface Phrase {
  readonly words: readonly string[];
  /** The last one is the beginning of a word. */
  readonly prefix: boolean;
}

export interface Phrases {
  readonly wanted: readonly Phrase[];
  readonly unwanted: readonly Phrase[];
}

export function phrasesOf({ terms }: Pick<Query, 'terms'>): Phrases {
  const isPhrase = (term: Term) => term.kind === 'words';
  const phrases = terms.filter(isPhrase);
  return { wanted: phrases.filter(({ negated }) => !negated), unwanted: phrases.filter(({ negated }) => negated) };
}

/** The functions of the server take no more words at once. */
const MOST_TOKENS = 64;
/** From there on the server looks shorter parts of words up in the index (text_index_like_min_pattern_length). */
const SHORTEST_PART = 4;

/** What the index of words tells alone, without reading any text. */
export function indexConditions({ wanted, unwanted }: Phrases, values: Values): string[] {
  const whole = wanted.flatMap(({ words, prefix }) => (prefix ? words.slice(0, -1) : words));
  const not = unwanted.flatMap((phrase) => (isWord(phrase) ? phrase.words : []));
  const begun = wanted.flatMap(({ words, prefix }) => (prefix ? (words.at(-1) ?? []) : []));
  return [
    ...pieces([...new Set(whole)]).map((some) => `hasAllTokens(words, ${values.add('Array(String)', some)})`),
    ...pieces([...new Set(not)]).map((some) => `NOT hasAnyTokens(words, ${values.add('Array(String)', some)})`),
    ...begun.flatMap((word) => partCondition(word, values) ?? []),
  ];
}

/** Words with this part in them. undefined where the index could not tell. */
export function partCondition(part: string, values: Values): string | undefined {
  if (part.length < SHORTEST_PART || !/^[a-z0-9]+$/.test(part)) return undefined;
  return `words LIKE ${values.add('String', `%${part}%`)}`;
}

/** What only the text itself tells. */
export function textConditions({ wanted, unwanted }: Phrases, values: Values): string[] {
  const holds = (phrase: Phrase) => `position(words, ${values.add('String', textOf(phrase))})`;
  return [
    ...wanted.flatMap((phrase) => (isWord(phrase) ? [] : [`${holds(phrase)} > 0`])),
    ...unwanted.flatMap((phrase) => (isWord(phrase) ? [] : [`${holds(phrase)} = 0`])),
  ];
}

/** How often a phrase stands in the text. */
export function countOf(phrase: Phrase, values: Values): string {
  const { words, prefix } = phrase;
  if (overlapsItself(phrase)) return countByWords(phrase, values);
  const text = values.add('String', textOf(phrase));
  const simple = `countSubstrings(words, ${text})`;
  if (prefix) return simple;
  // Two in a row share the space between them: with every space doubled they do not.
  const twice = values.add('String', ` ${words.join(' ')} ${words.join(' ')} `);
  const doubled = values.add('String', ` ${words.join('  ')} `);
  return `if(position(words, ${twice}) = 0, ${simple}, countSubstrings(replaceAll(words, ' ', '  '), ${doubled}))`;
}

/** `a a` stands twice in `a a a`. */
function overlapsItself({ words, prefix }: Phrase): boolean {
  const last = words.length - 1;
  return words.slice(1).some((_word, shift) =>
    words.slice(shift + 1).every((word, place) => {
      const earlier = words[place] ?? '';
      return prefix && shift + 1 + place === last ? earlier.startsWith(word) : earlier === word;
    }),
  );
}

function countByWords({ words, prefix }: Phrase, values: Values): string {
  const whole = prefix ? words.slice(0, -1) : words;
  const same = `arraySlice(splitByChar(' ', words), i, ${whole.length}) = ${values.add('Array(String)', whole)}`;
  const begins = `startsWith(arrayElement(splitByChar(' ', words), i + ${whole.length}), ${values.add('String', words.at(-1) ?? '')})`;
  return `arrayCount(i -> ${prefix ? `${same} AND ${begins}` : same}, arrayEnumerate(splitByChar(' ', words)))`;
}

export function isWord({ words, prefix }: Phrase): boolean {
  return words.length === 1 && !prefix;
}

function textOf({ words, prefix }: Phrase): string {
  return prefix ? ` ${words.join(' ')}` : ` ${words.join(' ')} `;
}

function pieces(words: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(words.length / MOST_TOKENS) }, (_, piece) =>
    words.slice(piece * MOST_TOKENS, (piece + 1) * MOST_TOKENS),
  );
}
