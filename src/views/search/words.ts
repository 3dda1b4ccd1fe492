/**
 * What a word is to a search, with and without an index. Upper and lower case are alike, accents are taken off, composed and
 * decomposed spellings agree. Scripts that set no spaces give a word for each character, and each emoji is a word.
 */

const NOT_ASCII = /[^\u0000-\u007f]+/g;

/** Patterns over all of Unicode take milliseconds to make: only when a text is not plain ASCII. */
interface Patterns {
  readonly noWord: RegExp;
  readonly picture: RegExp;
  readonly unspacedRun: RegExp;
  readonly unspacedLetter: RegExp;
  readonly accents: RegExp;
  readonly character: RegExp;
}

const UNSPACED = `${['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .join('')}\\u30fc`;
let made: Patterns | undefined;

function patterns(): Patterns {
  made ??= {
    noWord: /[^\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{RI}]+/gu,
    // Two letters of a flag are one.
    picture: /\p{Extended_Pictographic}|\p{RI}{1,2}/gu,
    unspacedRun: new RegExp(`[${UNSPACED}][${UNSPACED}\\p{M}]*`, 'gu'),
    unspacedLetter: new RegExp(`^(?=[\\p{Lo}\\p{Lm}])[${UNSPACED}]$`, 'u'),
    // Marks that belong to no script of their own; those of kana tell characters apart.
    accents: /[[\p{M}&&[\p{Script=Inherited}\p{Script=Common}]]--[\u3099\u309a]]/gv,
    // Vowels and finals of Hangul compose with what is before them, as marks do.
    character: /\P{M}[\p{M}\u1161-\u1175\u11a8-\u11c2]*|\p{M}+/gu,
  };
  return made;
}

/** Of the marks of kana, what does not compose. */
const LOOSE_MARKS = /[\u3099\u309a]/g;

/**
 * Stands after the last character of a run of such a script, so that 中文 is not found in 中、文. A private character: no
 * text's own one reaches the index.
 */
export const RUN_END = '\ue000';

/** A letter that is a word by itself, and stands right behind the one before it unless a run ended there. */
export function isUnspacedLetter(word: string): boolean {
  return patterns().unspacedLetter.test(word);
}

/** Letters as they are compared; nothing else changes. */
export function fold(text: string): string {
  return text.replace(NOT_ASCII, foldRun).toLowerCase();
}

/** Dashes, quotes, bullets, arrows, lines: what most runs are. */
const SIGNS = /^[\u2010-\u201f\u2022\u2026\u2190-\u2193\u2500-\u257f]+$/;

function foldRun(run: string): string {
  if (SIGNS.test(run)) return run;
  const bare = run.normalize('NFD').replace(patterns().accents, '').normalize('NFC').replace(LOOSE_MARKS, '');
  return bare.toLowerCase().replaceAll('ς', 'σ');
}

/** Runs are mostly arrows, dashes and quotes, the same few over and over. */
const spacedRuns = new Map<string, string>();
const LONGEST_KEPT = 8;
const MOST_KEPT = 2000;

/**
 * A text for the index: what is not ASCII is folded and set apart, so that a tokenizer that knows only ASCII finds the same
 * words as `wordsOf`. ASCII is left to it.
 */
export function toIndexed(text: string): string {
  return text.replace(NOT_ASCII, (run) => {
    const known = spacedRuns.get(run);
    if (known !== undefined) return known;
    const spaced = spaceRun(foldRun(run));
    if (run.length <= LONGEST_KEPT && spacedRuns.size < MOST_KEPT) spacedRuns.set(run, spaced);
    return spaced;
  });
}

function spaceRun(folded: string): string {
  if (SIGNS.test(folded)) return ' ';
  const { noWord, picture, unspacedRun } = patterns();
  return folded
    .replace(noWord, ' ')
    .replace(picture, ' $& ')
    .replace(unspacedRun, (run) => ` ${[...run].join(' ')} ${RUN_END} `);
}

export interface Word {
  readonly word: string;
  /** Where it stands in the text. */
  readonly start: number;
  readonly end: number;
}

/** What the index's tokenizer takes for a word. */
const WORD = /[A-Za-z0-9\u0080-\uffff]+/g;
const PLAIN = /^[A-Za-z0-9]+$/;

/** The words of a text in their order, with the ends of runs: by construction those of the index. */
export function* wordsOf(text: string): Generator<Word> {
  for (const { 0: found, index } of text.matchAll(WORD)) {
    if (PLAIN.test(found)) yield { word: found.toLowerCase(), start: index, end: index + found.length };
    else yield* foreignWords(found, index);
  }
}

function* foreignWords(text: string, from: number): Generator<Word> {
  const { folded, starts } = foldWithStarts(text);
  let at = 0;
  for (const [word] of toIndexed(text).toLowerCase().matchAll(WORD)) {
    const found = word === RUN_END ? -1 : folded.indexOf(word, at);
    if (found < 0) yield { word, start: from + (starts[at] ?? 0), end: from + (starts[at] ?? 0) };
    else {
      at = found + word.length;
      yield { word, start: from + (starts[found] ?? 0), end: from + (starts[at] ?? text.length) };
    }
  }
}

/** By place in the folded text: where that stands in the text. A character is folded together with its marks. */
export function foldWithStarts(text: string): { folded: string; starts: readonly number[] } {
  const starts: number[] = [];
  let folded = '';
  for (const { 0: character, index } of text.matchAll(patterns().character)) {
    const one = fold(character);
    for (let i = 0; i < one.length; i += 1) starts.push(index);
    folded += one;
  }
  return { folded, starts };
}

/** The words alone, as the index has them. */
export function wordListOf(text: string): readonly string[] {
  return toIndexed(text).toLowerCase().match(WORD) ?? [];
}
