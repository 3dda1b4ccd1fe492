/**
 * Patterns over the bytes of a line, read as Latin-1, that tell most lines that cannot match without parsing them. They may let
 * a line through that does not match, never the other way round: letters may be written in either case, with accents,
 * decomposed, or as \uXXXX.
 */
import { encode } from '../../format/text.ts';
import { TELLING } from './parts.ts';
import type { Query, Term } from './query.ts';
import { fold, isUnspacedLetter, RUN_END } from './words.ts';

export interface Needle {
  /** As it is compared. */
  readonly text: string;
  /** In characters. */
  readonly length: number;
  /** All of it is ASCII: then only what folds to ASCII needs a second look. */
  readonly ascii: boolean;
  /** It has control characters, which JSON mostly writes as \\uXXXX. */
  readonly control: boolean;
  /** As it is mostly written; all ways to write it but \\uXXXX if it is not ASCII. */
  readonly pattern: RegExp;
  /** All ways to write it, or the beginning of a long one, but \\uXXXX. */
  readonly spellings: () => RegExp;
  /** Of one that is not ASCII: what a letter of it begins with, in all ways to write that but \\uXXXX. The one with the fewest. */
  readonly letter: () => readonly string[];
}

/** One for each term that must be there, the rarest first; none when only the text itself can tell. */
export function needlesOf({ terms }: Pick<Query, 'terms'>): Needle[] {
  const texts = terms.filter(({ negated }) => !negated).flatMap(textsOf);
  const bare = texts.map(withoutFirstMarks).filter((text) => text !== '');
  return bare.toSorted((a, b) => b.length - a.length).map(toNeedle);
}

/** Where they stand by themselves, as in Thai, or begin a part of a text, they may be written in one with what is before them. */
function withoutFirstMarks(text: string): string {
  return isAscii(text) ? text : text.replace(/^\p{M}+/u, '');
}

/** Words stand apart in the text by anything at all, so each is a needle of its own; characters of one run are together. */
function textsOf(term: Term): string[] {
  if (term.kind === 'substring') return piecesOf(fold(term.text));
  if (term.kind === 'regex') return [];
  const runs: string[] = [];
  for (const [place, word] of term.words.entries()) {
    const before = term.words[place - 1] ?? '';
    if (isCharacter(word) && isCharacter(before)) runs.push(`${runs.pop() ?? ''}${word}`);
    else if (word !== RUN_END) runs.push(word);
  }
  return runs;
}

/** Of a part of a text, what must be written as it reads. Patterns over all of Unicode take a while to make: only here. */
function piecesOf(text: string): string[] {
  // Half a character is never written by itself, and strings of an entry that lie apart are lines of one text; a name that
  // tells a secret and its value are joined by more (parts.ts).
  const between = TELLING.test(text) ? /[\p{Cs}\s:="'`]/u : /[\p{Cs}\n]/u;
  // The name alone is written of a block that has no text, and what a person's command begins with may not be (format/prompt.ts).
  const brackets = /\[(?=[\w-]*(?:\]|$))|(?<=(?:^|\[)[\w-]*)\]/u;
  const apart = text.replace(/^[!/]/, '').split(between);
  return apart.flatMap((piece) => piece.split(brackets));
}

/** In lines with one of these a text may be found of which they do not hold all pieces: what is between a command and its arguments. */
export function marksOf({ terms }: Pick<Query, 'terms'>): readonly string[] {
  const isOver = terms.some((term) => term.kind === 'substring' && !term.negated && term.text.includes(' '));
  return isOver ? ['command-args'] : [];
}

/** Words of one character of a script without spaces follow each other without anything between; those of others do not. */
function isCharacter(word: string): boolean {
  return !isAscii(word) && isUnspacedLetter(word);
}

function isAscii(text: string): boolean {
  return /^[\u0000-\u007f]*$/.test(text);
}

/** Of what is not ASCII, which takes more bytes the more ways there are to write it. What a line has behind it is seen when it is parsed. */
const MOST_CHARACTERS = 64;

function toNeedle(whole: string): Needle {
  const ascii = isAscii(whole);
  const characters = ascii ? [...whole] : [...whole].slice(0, MOST_CHARACTERS);
  const text = characters.join('');
  const pattern = new RegExp(ascii ? characters.map(asWritten).join('') : clusters(text), 'gi');
  let spellings = ascii ? undefined : pattern;
  return {
    text,
    length: characters.length,
    ascii,
    control: /[\u0000-\u001f\u007f]/.test(text),
    pattern,
    spellings: () =>
      (spellings ??= new RegExp(characters.slice(0, MOST_CHARACTERS).map(waysToWriteAscii).join(MARKS), 'gi')),
    letter: () => rarestLetter(text),
  };
}

/** A mark that folding takes off, in UTF-8. */
const MARK = [
  '[\\xcc\\xd2\\xd9][\\x80-\\xbf]',
  // Without the Greek question mark, which folds to a semicolon.
  '\\xcd[\\x80-\\xbd\\xbf]',
  '\\xe0\\xa5[\\x91-\\x94]',
  '\\xe1(?:[\\xaa\\xab\\xb7][\\x80-\\xbf]|\\xb3[\\x90-\\xbf])',
  '\\xe2\\x83[\\x90-\\xbf]',
  '\\xe3(?:\\x80[\\xaa-\\xad]|\\x82[\\x99\\x9a])',
  '\\xef\\xb8[\\x80-\\xaf]',
  '\\xf0(?:\\x90[\\x87\\x8b]|\\x91\\x8c|\\x9c[\\xbc\\xbd]|\\x9d[\\x85-\\x89])[\\x80-\\xbf]',
  '\\xf3\\xa0[\\x84-\\x87][\\x80-\\xbf]',
].join('|');
/**
 * The same to the character: what is between letters must not be a letter too, or there were so many ways to go over a text of
 * such letters that it would take for ever.
 */
export const MARKS = `(?:${[
  '\\xcc[\\x80-\\xbf]',
  '\\xcd[\\x80-\\xaf]',
  '\\xd2[\\x85\\x86]',
  '\\xd9[\\x8b-\\x95\\xb0]',
  '\\xe0\\xa5[\\x91-\\x94]',
  '\\xe1(?:\\xaa[\\xb0-\\xbf]|[\\xab\\xb7][\\x80-\\xbf]|\\xb3[\\x90-\\x92\\x94-\\xa8\\xad\\xb4\\xb7-\\xb9])',
  '\\xe2\\x83[\\x90-\\xbf]',
  '\\xe3(?:\\x80[\\xaa-\\xad]|\\x82[\\x99\\x9a])',
  '\\xef\\xb8[\\x80-\\x8f\\xa0-\\xaf]',
  '\\xf0(?:\\x90(?:\\x87\\xbd|\\x8b\\xa0)|\\x91\\x8c\\xbb|\\x9c[\\xbc\\xbd][\\x80-\\xbf])',
  '\\xf0\\x9d(?:\\x85[\\xa5-\\xa9\\xad-\\xb2\\xbb-\\xbf]|\\x86[\\x80-\\x8b\\xaa-\\xad])',
  '\\xf3\\xa0[\\x84-\\x87][\\x80-\\xbf]',
].join('|')})*`;

/** A mark, or another character of a script that has some of its own. No character in two ways. */
const ANY_MARK = [
  '[\\xcc\\xd2\\xd6-\\xdf][\\x80-\\xbf]',
  '\\xcd[\\x80-\\xbd\\xbf]',
  '[\\xe0\\xe1\\xea][\\x80-\\xbf]{2}',
  '\\xe2(?:\\x83[\\x90-\\xbf]|[\\xb3\\xb5\\xb7][\\x80-\\xbf])',
  '\\xe3(?:\\x80[\\xaa-\\xaf]|\\x82[\\x99\\x9a])',
  '\\xef(?:\\xb8[\\x80-\\xaf]|\\xac\\x9e)',
  '\\xf0[\\x80-\\xbf]{3}',
  '\\xf3\\xa0[\\x84-\\x87][\\x80-\\xbf]',
].join('|');
/** Behind one letter. */
const MOST_MARKS = 32;

/** Marks in whatever order, up to the first place of what follows: one way only to go over a text, or a long one would take for ever. */
function marksBefore(next: string): string {
  return `(?:(?!${next})(?:${ANY_MARK})){0,${MOST_MARKS}}`;
}

/** What is or belongs to an ASCII character when folded: Latin with accents, Kelvin and Ångström, ≠ and the like, marks. */
export const FOLDING = new RegExp(
  `[\\xc3-\\xc9][\\x80-\\xbf]|\\xe1[\\xb8-\\xbb][\\x80-\\xbf]|\\xe1\\xbf\\xaf|\\xe2(?:\\x84[\\xaa\\xab]|\\x89[\\xa0\\xae\\xaf])|\\xcd\\xbe|${MARK}`,
  'g',
);

/** Also as they stand in a line that is no JSON, which is searched as it is. */
const ESCAPES: Partial<Record<string, string>> = {
  '"': '\\\\?"',
  '\\': '\\\\\\\\?',
  '/': '\\\\?/',
  '\b': '(?:\\\\b|\b)',
  '\f': '(?:\\\\f|\f)',
  '\n': '(?:\\\\n|\n)',
  '\r': '(?:\\\\r|\r)',
  '\t': '(?:\\\\t|\t)',
};

function asWritten(character: string): string {
  return ESCAPES[character] ?? bytesOf(character).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * What is between letters is not compared: the marks of a script are written in more than one order, and with some letters in one
 * character that folds to several.
 */
function clusters(text: string): string {
  const letters = [...text.matchAll(/\P{M}\p{M}*/gu)].map(([cluster]) => {
    const [letter = ''] = cluster;
    return { written: waysToWrite(letter), isMarked: cluster !== letter };
  });
  return letters
    .map(({ written, isMarked }, place) => {
      const next = letters[place + 1]?.written;
      if (next === undefined) return written;
      return written + (isMarked ? marksBefore(next) : MARKS);
    })
    .join('');
}

function waysToWrite(character: string): string {
  const ways = formsOf(character).map((parts) => {
    const [first = '', ...rest] = parts.map(asWritten);
    return first + rest.map((part) => marksBefore(part) + part).join('');
  });
  return `(?:${[...new Set(ways)].join('|')})`;
}

/** Each as the parts that marks may stand between. */
function formsOf(character: string): string[][] {
  const forms = [character, ...(foldedFrom().get(character) ?? [])].map((form) => [form]);
  const [first = '', ...rest] = character.normalize('NFD');
  const last = rest.at(-1);
  if (last !== undefined) forms.push([first, ...rest]);
  // A syllable of Hangul may be written as one of two letters and a third.
  if (last !== undefined && rest.length > 1)
    forms.push([first + rest.slice(0, -1).join(''), last].map((part) => part.normalize('NFC')));
  return forms;
}

function rarestLetter(text: string): string[] {
  const letters = [...text].filter((character) => !isAscii(character) && !/\p{M}/u.test(character));
  const starts = letters.map((letter) => [...new Set(formsOf(letter).flatMap(([form = '']) => [...form].slice(0, 1)))]);
  return starts.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

function waysToWriteAscii(character: string): string {
  const ways = (foldedToAscii().get(character) ?? []).map(asWritten);
  return `(?:${[asWritten(character), ...ways].join('|')})`;
}

function bytesOf(text: string): string {
  return String.fromCharCode(...encode(text));
}

/** Where characters lie that fold to others. */
const RANGES: readonly (readonly [number, number])[] = [
  [0xc0, 0x3400],
  [0xa000, 0xac00],
  [0xf900, 0x10000],
  [0x10400, 0x10600],
  [0x10c80, 0x10d70],
  [0x118a0, 0x118c0],
  [0x16e40, 0x16e60],
  [0x16ea0, 0x16ec0],
  [0x1d15e, 0x1d1c1],
  [0x1e900, 0x1e950],
  [0x2f800, 0x2fa20],
];
/** Where those lie that fold to ASCII. */
const ASCII_RANGES: readonly (readonly [number, number])[] = [
  [0xc0, 0x250],
  [0x37e, 0x37f],
  [0x1e00, 0x1f00],
  [0x1fef, 0x1ff0],
  [0x212a, 0x212c],
  [0x2260, 0x2270],
];

/** Folded character → the others it comes from. */
type Origins = ReadonlyMap<string, readonly string[]>;

let folding: Origins | undefined;
let foldingToAscii: Origins | undefined;

function foldedFrom(): Origins {
  folding ??= originsIn(RANGES, (character) => {
    const isPlain = character.toLowerCase() === character && character.normalize('NFD') === character;
    if (isPlain && character !== 'ς') return character;
    // What is behind it are marks of its script.
    const [first = ''] = fold(character);
    return first;
  });
  return folding;
}

function foldedToAscii(): Origins {
  // What is behind the letter are marks. Folding itself would first have to make its patterns.
  foldingToAscii ??= originsIn(ASCII_RANGES, (character) => character.normalize('NFD').charAt(0).toLowerCase());
  return foldingToAscii;
}

function originsIn(ranges: readonly (readonly [number, number])[], toFolded: (character: string) => string): Origins {
  const origins = new Map<string, string[]>();
  for (const [first, end] of ranges) {
    for (let code = first; code < end; code += 1) {
      const character = String.fromCodePoint(code);
      const folded = toFolded(character);
      if (folded !== character) origins.set(folded, [...(origins.get(folded) ?? []), character]);
    }
  }
  return origins;
}
