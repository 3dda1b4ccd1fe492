/** Line numbers that the client puts before what it read (E16). */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { numberedLines } from '../../src/views/numbered.ts';

const line = fc.string().map((text) => text.replace(/[\r\n]/g, ' '));

test('what was numbered comes back, with either sign, and what stands after it apart', () => {
  const given = fc.tuple(
    fc.array(line, { minLength: 1 }),
    fc.integer({ min: 1, max: 99_999 }),
    fc.constantFrom('→', '\t'),
  );
  fc.assert(
    fc.property(given, ([lines, start, sign]) => {
      const text = lines.map((each, place) => `${String(start + place).padStart(6)}${sign}${each}`).join('\n');
      expect(numberedLines(text)).toEqual({ startLine: start, text: lines.join('\n'), rest: '' });
      expect(numberedLines(`${text}\n\n<system-reminder>x</system-reminder>\n`)).toEqual({
        startLine: start,
        text: lines.join('\n'),
        rest: '<system-reminder>x</system-reminder>',
      });
    }),
  );
});

test('other texts are not taken for numbered ones', () => {
  expect(['', 'plain', '1 one', '→x', 'a\n1→b'].map(numberedLines)).toEqual(Array(5).fill(undefined));
  // A number that does not follow is a part of what comes after.
  expect(numberedLines('1→a\n3→c')).toEqual({ startLine: 1, text: 'a', rest: '3→c' });
});
