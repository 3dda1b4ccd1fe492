/** Letters of all scripts, in all ways Unicode has to write them. */
import { describe, expect, test } from 'vitest';
import { createFinder } from '../../../src/archive/search/finder.ts';
import { createMatcher } from '../../../src/views/search/match.ts';
import { MARKS } from '../../../src/views/search/prefilter.ts';
import { parseQuery, type Query } from '../../../src/views/search/query.ts';
import { fold } from '../../../src/views/search/words.ts';
import { toJsonl, user, uuidOf } from '../../support/build.ts';
import { PLACE, SESSION } from '../helpers.ts';
import { inFiles, NOW, searchable } from './helpers.ts';

const NAME = `${PLACE}/${SESSION}.jsonl`;
const lineOf = (text: string, number = 1) => toJsonl([{ ...user(text), uuid: uuidOf(number), sessionId: SESSION }]);

/** As it is; taken apart; its marks the other way round, and with an accent between. */
function writings(text: string): string[] {
  const apart = text.normalize('NFD');
  const [first = '', ...rest] = apart;
  const turned = /^\p{M}+$/u.test(rest.join('')) ? [[first, ...rest.toReversed()].join('')] : [];
  return [text, apart, ...turned, [...apart].join('\u0301')];
}

/** Of the texts that match those that the files are not looked through for. */
function passedOver(query: Query, texts: readonly string[]): string[] {
  const { find, mayMatch } = createFinder(query, false);
  const matching = texts.filter(createMatcher(query).matches);
  return matching.filter((text) => {
    const line = Buffer.from(lineOf(text));
    return find(line, 0) < 0 || !mayMatch(line);
  });
}

function isPassedOver(text: string, texts = writings(text)): boolean {
  const asked = [parseQuery(text, { now: NOW, substring: true }), parseQuery(`"${text}"`, { now: NOW })];
  return asked.some((query) => passedOver(query, texts).length > 0);
}

function* characters(): Generator<string> {
  for (let code = 0x80; code < 0x110000; code += 1) {
    // Half a character, a syllable of Hangul, for private use.
    if (code < 0xac00 || code >= 0xf900) yield String.fromCodePoint(code);
  }
}

describe('no line is passed over unread', () => {
  test('with any character that folds to something else or can be taken apart', () => {
    const other = [...characters()].filter((each) => each.toLowerCase() !== each || each.normalize('NFD') !== each);
    const letters = other.filter((each) => fold(each) !== '');
    expect(letters.length).toBeGreaterThan(2500);
    expect(letters.filter((each) => isPassedOver(each))).toEqual([]);
  });

  test('with any mark between two letters, and an accent before it', () => {
    const marks = [...characters()].filter((each) => /\p{M}/u.test(each));
    expect(marks.length).toBeGreaterThan(2000);
    const between = (mark: string) => [`я${mark}я`, `я\u0301${mark}я`];
    expect(marks.filter((each) => isPassedOver(`я${each}я`, between(each)))).toEqual([]);
  });

  test('with a syllable of Hangul: as one, as three letters, as two and one', () => {
    for (let code = 0xac00; code < 0xd7a4; code += 97) {
      const syllable = String.fromCodePoint(code);
      const [first = '', second = '', last = ''] = syllable.normalize('NFD');
      const texts = [...writings(syllable), (first + second).normalize('NFC') + last];
      expect([syllable, isPassedOver(syllable, texts)]).toEqual([syllable, false]);
    }
  });

  test.each([
    ['points of Hebrew in another order', 'שָּׁלוֹם', '\u05e9\u05c1\u05bc\u05b8\u05dc\u05d5\u05b9\u05dd'],
    ['points of Hebrew in one with their letter', '\u05e9\u05bc\u05c1', '\ufb2c'],
    ['a vowel in three parts', '\u0c95\u0ccb', '\u0c95\u0cca\u0cd5'],
    ['a mark of a letter after another', '\u0929\u094d', '\u0928\u094d\u093c'],
  ])('with %s', (_, asked, written) => {
    expect(createMatcher(parseQuery(asked, { now: NOW })).matches(written)).toBe(true);
    expect(isPassedOver(asked, [written])).toBe(false);
  });
});

test('what may stand between letters are just the marks that folding takes off', () => {
  const marks = new RegExp(`^${MARKS}$`);
  const isMark = (each: string) => marks.test(Buffer.from(each).toString('latin1'));
  const letters = [...characters()].filter((each) => /[\p{L}\p{N}]/u.test(each));
  expect(letters.filter(isMark)).toEqual([]);
  const removed = [...characters()].filter((each) => /\p{M}/u.test(each) && fold(each) === '');
  expect(removed.filter((each) => !isMark(each))).toEqual([]);
});

/** If there were several ways to go over such a text, this would not end. */
test.each(['กิ', 'ที่', 'בָּ', 'مَ', 'م', 'कि', 'क\u0951', 'が', 'ҁ', '한', 'e\u0301'])(
  'a text full of %s is gone over once',
  (unit) => {
    const { find } = createFinder(parseQuery(`~${unit.repeat(12)}ฮ`, { now: NOW }), false);
    expect(find(Buffer.from(unit.repeat(3000)), 0)).toBe(-1);
    expect(find(Buffer.from(`${unit.repeat(12)}ฮ`), 0)).toBe(0);
  },
);

/** As it is folded, and in another way. */
const WRITTEN: readonly (readonly [string, string])[] = [
  ['সম\u09af\u09bc', 'সম\u09df'],
  ['\u09a1\u09bc', '\u09dc'],
  ['\u0915\u093cलम', '\u0958लम'],
  ['\u05e9\u05c1', '\ufb2a'],
  ['\u0b21\u0b3c', '\u0b5c'],
  ['\u0f42\u0fb7', '\u0f43'],
  ['\uac01', '\uac00\u11a8'],
  ['\u{10cc0}\u{10cc1}', '\u{10c80}\u{10c81}'],
  ['\u{118c0}\u{118c1}', '\u{118a0}\u{118a1}'],
  ['\u{16e60}\u{16e61}', '\u{16e40}\u{16e41}'],
];

test('either way is found by the index and in the files, and marked', () => {
  const both = WRITTEN.flat().map((each, place) => lineOf(`before ${each} after`, place));
  const { find, root } = searchable({ [NAME]: both.join('') });
  for (const ways of WRITTEN) {
    for (const asked of ways) {
      const marked = find(asked).hits.flatMap(({ highlights, snippet }) =>
        highlights.map(({ start, end }) => snippet.slice(start, end)),
      );
      expect([asked, marked.toSorted()]).toEqual([asked, ways.toSorted()]);
      expect([asked, inFiles(root, `~${asked}`).total]).toEqual([asked, 2]);
    }
  }
});

test('a long text is found wherever it stands in the file', () => {
  const long = Array.from({ length: 425 }, (_, place) => String.fromCodePoint(0x4e00 + place * 7)).join('');
  const { find, root } = searchable({ [NAME]: lineOf(`${'x'.repeat(16_150)} ${long} after`) });
  expect([find(long).total, inFiles(root, `~${long}`).total, find(`${long}一`).total]).toEqual([1, 1, 0]);
  const finder = createFinder(parseQuery(long, { now: NOW }), false);
  for (let before = 15_000; before <= 17_000; before += 50)
    expect(finder.find(Buffer.from(`${'x'.repeat(before)}${long}${'y'.repeat(20_000)}`), 0)).toBe(before);
});

test('a flag is a word', () => {
  const { find } = searchable({ [NAME]: lineOf('from 🇩🇪🇫🇷 with love') });
  const totals = ['🇩🇪', '🇫🇷', '🇪🇫', '"🇩🇪 🇫🇷"'].map((text) => find(text).total);
  expect(totals).toEqual([1, 1, 0, 1]);
});
