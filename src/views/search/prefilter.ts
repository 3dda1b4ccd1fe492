/**
 * Patterns over the bytes of a line, read as Latin-1, that tell most lines that cannot match without parsing them. They may let
 * a line through that does not match, never the other way round: letters may be written in either case, with accents,
 * decomposed, or as \uXXXX.
 */
import { encode } from '../../format/text.ts';
import type { Query, Term } from './query.ts';
import { fold, RUN_END } from './words.ts';

export interface Needle {
  /** In characters. */
  readonly length: number;
  /** All of it is ASCII: then only what folds to ASCII needs a second look. */
  readonly ascii: boolean;
  /** It has control characters, which JSON mostly writes as \\uXXXX. */
  readonly control: boolean;
  /** As it is mostly written; all ways to write it but \\uXXXX if it is not ASCII. */
  readonly pattern: RegExp;
}

/** One for each term that must be there, the rarest first; none when only the text itself can tell. */
export function needlesOf({ terms }: Pick<Query, 'terms'>): Needle[] {
  const texts = terms.filter(({ negated }) => !negated).flatMap(textsOf);
  const longestFirst = texts.filter((text) => text !== '').toSorted((a, b) => b.length - a.length);
  return longestFirst.map(toNeedle);
}

/** Words stand apart in the text by anything at all, so each is a needle of its own; characters of one run are together. */
function textsOf(term: Term): string[] {
  // Half a character is never written by itself.
  if (term.kind === 'substring') return fold(term.text).split(/\p{Cs}/u);
  if (term.kind === 'regex') return [];
  const runs: string[] = [];
  for (const [place, word] of term.words.entries()) {
    const before = term.words[place - 1] ?? '';
    if (isCharacter(word) && isCharacter(before)) runs.push(`${runs.pop() ?? ''}${word}`);
    else if (word !== RUN_END) runs.push(word);
  }
  return runs;
}

/** Words of one character of a script without spaces follow each other without anything between. */
function isCharacter(word: string): boolean {
  return !isAscii(word) && /^[\p{Lo}\p{Lm}]$/u.test(word);
}

function isAscii(text: string): boolean {
  return /^[\u0000-\u007f]*$/.test(text);
}

function toNeedle(text: string): Needle {
  const characters = [...text];
  const ascii = isAscii(text);
  const written = ascii ? characters.map(asWritten).join('') : characters.map(waysToWrite).join(MARKS);
  return {
    length: characters.length,
    ascii,
    control: /[\u0000-\u001f\u007f]/.test(text),
    pattern: new RegExp(written, 'gi'),
  };
}

/** A mark that folding takes off, in UTF-8. */
const MARK = [
  '[\\xcc\\xcd\\xd2\\xd9][\\x80-\\xbf]',
  '\\xe0\\xa5[\\x91-\\x94]',
  '\\xe1(?:[\\xaa\\xab\\xb7][\\x80-\\xbf]|\\xb3[\\x90-\\xbf])',
  '\\xe2\\x83[\\x90-\\xbf]',
  '\\xe3(?:\\x80[\\xaa-\\xad]|\\x82[\\x99\\x9a])',
  '\\xef\\xb8[\\x80-\\xaf]',
  '\\xf0(?:\\x90[\\x87\\x8b]|\\x91\\x8c|\\x9c[\\xbc\\xbd]|\\x9d[\\x85-\\x89])[\\x80-\\xbf]',
  '\\xf3\\xa0[\\x84-\\x87][\\x80-\\xbf]',
].join('|');
const MARKS = `(?:${MARK})*`;

/** What is or belongs to an ASCII character when folded: Latin with accents, Kelvin and Ångström, ≠ and the like, marks. */
export const FOLDING = new RegExp(
  `[\\xc3-\\xc9][\\x80-\\xbf]|\\xe1[\\xb8-\\xbb][\\x80-\\xbf]|\\xe1\\xbf\\xaf|\\xe2(?:\\x84[\\xaa\\xab]|\\x89[\\xa0\\xae\\xaf])|${MARK}`,
  'g',
);

const ESCAPES: Partial<Record<string, string>> = {
  '"': '\\\\"',
  '\\': '\\\\\\\\',
  '/': '\\\\?/',
  '\b': '\\\\b',
  '\f': '\\\\f',
  '\n': '\\\\n',
  '\r': '\\\\r',
  '\t': '\\\\t',
};

function asWritten(character: string): string {
  return ESCAPES[character] ?? bytesOf(character).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function waysToWrite(character: string): string {
  const ways = new Set([character, ...(foldedFrom().get(character) ?? [])]);
  for (const way of [...ways]) for (const form of ['NFC', 'NFD'] as const) ways.add(way.normalize(form));
  return `(?:${[...ways].map(asWritten).join('|')})`;
}

function bytesOf(text: string): string {
  return String.fromCharCode(...encode(text));
}

/** Where characters lie that fold to others. */
const RANGES: readonly (readonly [number, number])[] = [
  [0xc0, 0x3400],
  [0xa000, 0xac00],
  [0xf900, 0x10000],
  [0x10400, 0x10500],
  [0x1e900, 0x1e950],
  [0x2f800, 0x2fa20],
];
let folding: Map<string, string[]> | undefined;

/** Folded character → the others it comes from. */
function foldedFrom(): Map<string, string[]> {
  if (folding !== undefined) return folding;
  folding = new Map();
  for (const [first, end] of RANGES) {
    for (let code = first; code < end; code += 1) {
      const character = String.fromCodePoint(code);
      const isPlain = character.toLowerCase() === character && character.normalize('NFD') === character;
      if (isPlain && character !== 'ς') continue;
      const folded = fold(character);
      if (folded !== character) folding.set(folded, [...(folding.get(folded) ?? []), character]);
    }
  }
  return folding;
}
