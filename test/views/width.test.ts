import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import wrapAnsi from 'wrap-ansi';
import { displayWidth, wrapped } from '../../src/views/width.ts';

test('every character of the basic plane is as wide as the library says, alone and after a letter', () => {
  const wrong: string[] = [];
  for (let code = 0; code < 0x10000; code += 1) {
    const text = String.fromCharCode(code);
    for (const each of [text, `a${text}`]) if (displayWidth(each) !== stringWidth(each)) wrong.push(code.toString(16));
  }
  expect(wrong).toEqual([]);
});

const texts = fc.string({
  unit: fc.constantFrom(
    'a',
    ' ',
    'é',
    '…',
    '│',
    '中',
    'の',
    'ー',
    '한',
    '、',
    '→',
    '↔',
    '\ufe0f',
    'ｶ',
    'ﾞ',
    '！',
    'ᅡ',
    '👩‍💻',
    '\u0301',
    '\u001b[1m',
    '-',
    '\u00ad',
  ),
});

test('any text is as wide, and wrapped as, the libraries say', () => {
  const options = { hard: true, trim: false };
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 30 }), (text, columns) => {
      expect(displayWidth(text)).toBe(stringWidth(text));
      expect(wrapped(text, columns, options)).toBe(wrapAnsi(text, columns, options));
    }),
  );
});
