import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { wrapProse } from '../../src/views/wrap.ts';

describe('prose', () => {
  const text =
    'one two three four five six seven eight nine ten eleven twelve, 検索のたびに 全冊を 正規化して います。 and the rest';

  test.each([17, 18, 19, 40, 79])(
    'at %i columns no line is wider, not by a space either, and no word is lost',
    (columns) => {
      const lines = wrapProse(text, columns);
      for (const line of lines) expect(stringWidth(line), line).toBeLessThanOrEqual(columns);
      expect(lines.every((line) => line === line.trim())).toBe(true);
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    },
  );

  test('what is in one line, or is code, stays as it is', () => {
    expect(wrapProse('a line with a space ', 80)).toEqual(['a line with a space ']);
    expect(wrapProse('    code that is not wrapped at all', 10)).toEqual(['    code that is not wrapped at all']);
    expect(wrapProse(text, undefined)).toEqual([text]);
  });
});
