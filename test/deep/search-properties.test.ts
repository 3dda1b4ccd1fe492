import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFinder } from '../../src/archive/search/finder.ts';
import { findableLine } from '../../src/archive/search/lines.ts';
import { get, openDatabase, run } from '../../src/archive/sqlite.ts';
import { createMatcher } from '../../src/views/search/match.ts';
import { FOLDING } from '../../src/views/search/prefilter.ts';
import { parseQuery, type Query, type Term } from '../../src/views/search/query.ts';
import { fold, toIndexed, wordsOf } from '../../src/views/search/words.ts';
import '../support/properties.ts';
import { NOW } from '../archive/search/helpers.ts';

const ODD = [
  ...[
    'é',
    'e\u0301',
    'É',
    'ß',
    'Σ',
    'ς',
    'й',
    'И',
    'K',
    'å',
    'İ',
    '中',
    '文',
    '，',
    'か\u3099',
    'が',
    '한',
    '\u1112\u1161\u11ab',
  ],
  ...[
    'ก',
    'ำ',
    'ー',
    '→',
    '—',
    '🚀',
    '👩‍💻',
    'ℹ',
    'Ⓜ',
    '↮',
    '豈',
    '\u20dd',
    '\u0301',
    '\u001b',
    '"',
    '\\',
    '/',
    '_',
    '\ud83d',
  ],
  ...['가', '\u11a8', 'য', '\u09bc', '\u09df', '\u09cd', 'ש', '\u05bc', '\u05c1', '\ufb2a', '🇩', '🇪'],
];
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'B', 'Login', 'word', '1', ' ', ' ', '\n', '-', '.') },
  { weight: 4, arbitrary: fc.constantFrom(...ODD) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 2 }) },
);
const texts = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(''));

function queryOf(term: Term): Query {
  return { ...parseQuery('', { now: NOW }), terms: [term] };
}

/** Words that follow each other somewhere in the text, or in another. */
const withWords = fc
  .tuple(texts, texts, fc.nat(20), fc.integer({ min: 1, max: 3 }), fc.boolean())
  .map(([text, other, from, count, prefix]) => {
    const words = [...wordsOf(`${text} ${other}`)].map(({ word }) => word);
    return { text, term: { kind: 'words' as const, words: words.slice(from, from + count), prefix, negated: false } };
  });

test('a text has the words the index finds in it, and no others', () => {
  const db = openDatabase(':memory:');
  db.exec("CREATE VIRTUAL TABLE words USING fts5 (body, content='', tokenize='ascii')");
  let id = 0;
  let hits = 0;
  fc.assert(
    fc.property(withWords, ({ text, term }) => {
      fc.pre(term.words.length > 0);
      id += 1;
      run(db, 'INSERT INTO words (rowid, body) VALUES (?, ?)', id, toIndexed(text));
      const match = `"${term.words.join(' ')}"${term.prefix ? ' *' : ''}`;
      const inIndex = get(db, 'SELECT 1 FROM words WHERE words MATCH ? AND rowid = ?', match, id) !== undefined;
      const matcher = createMatcher(queryOf(term));
      hits += Number(inIndex);
      expect(matcher.matches(text)).toBe(inIndex);
      expect(matcher.spans(text).length > 0).toBe(inIndex);
    }),
    { numRuns: 3000 },
  );
  db.close();
  expect(hits).toBeGreaterThan(500);
});

/** The same text as writers of JSON spell it. */
const SPELLINGS: readonly ((json: string) => string)[] = [
  (json) => json,
  (json) => json.replace(/[^\u0000-\u007f]/g, escaped),
  (json) => json.replaceAll('/', '\\/'),
  (json) => json.replace(/(?<=(?<!\\)(?:\\\\)*)[a-z](?=[^"]*"\}\}$)/gi, escaped),
];

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Few bytes are looked through by patterns, many by the loop of bytescan.ts. */
const WAYS = fc.constantFrom(0, Infinity);

const withNeedle = fc.oneof(
  withWords,
  fc.tuple(texts, fc.nat(10), fc.integer({ min: 1, max: 8 })).map(([text, from, length]) => ({
    text,
    term: { kind: 'substring' as const, text: text.slice(from, from + length), negated: false },
  })),
);

describe('no line that matches is passed over unread', () => {
  test('however it is spelled', () => {
    let matching = 0;
    fc.assert(
      fc.property(withNeedle, fc.constantFrom(...SPELLINGS), WAYS, ({ text, term }, spell, many) => {
        const query = queryOf(term);
        const line = Buffer.from(
          `${spell(JSON.stringify({ type: 'user', uuid: 'u', message: { role: 'user', content: text } }))}\n`,
        );
        const found = findableLine(line);
        const matcher = createMatcher(query);
        if (!found?.parts.some((part) => matcher.matches(part.text))) return;
        matching += 1;
        const finder = createFinder(query, false, many);
        const bytes = Buffer.concat([Buffer.from('{"a":1}\n'), line]);
        expect(finder.find(bytes, 0)).toBeGreaterThanOrEqual(0);
        expect(finder.mayMatch(line)).toBe(true);
      }),
      { numRuns: 6000 },
    );
    expect(matching).toBeGreaterThan(500);
  });

  test('every character that folds to ASCII or to nothing is known', () => {
    for (let code = 0x80; code < 0x110000; code += 1) {
      if (code >= 0xd800 && code < 0xe000) continue;
      const character = String.fromCodePoint(code);
      if (!/^[\u0000-\u007f]*$/.test(fold(character))) continue;
      FOLDING.lastIndex = 0;
      if (!FOLDING.test(Buffer.from(character).toString('latin1'))) expect(code.toString(16)).toBe('known');
    }
  });

  test('nor at the edge of what is looked at at once', () => {
    const finder = createFinder(parseQuery('needleword', { now: NOW }), false);
    for (let before = (16 << 10) - 12; before < (16 << 10) + 2; before += 1) {
      const bytes = Buffer.from(`${'x'.repeat(before)}NeedleWord${'y'.repeat(40_000)}`);
      expect(finder.find(bytes, 0)).toBe(before);
    }
  });

  test('and few others are read', () => {
    const finder = createFinder(parseQuery('needleword', { now: NOW }), false);
    const lines = ['{"a":"plain"}', '{"a":"中文 → 🚀"}', '{"a":"\\u001b[31mred"}', '{"a":"\\u4e2d"}'];
    for (const line of lines) expect(finder.find(Buffer.from(line), 0)).toBe(-1);
    expect(finder.find(Buffer.from('{"a":"déjà vu, needle of another"}'), 0)).toBe(-1);
    expect(finder.find(Buffer.from('{"a":"néedleẅord"}'), 0)).toBeGreaterThan(0);
  });
});
