/** What would be sent, put together from short texts: the same messages and blocks, only with less in them. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/format/json.ts';
import { shorten, withShortTexts } from '../../../src/graph/check/shorttexts.ts';
import { context } from '../../../src/graph/context/context.ts';
import { validate } from '../../../src/graph/validate.ts';
import { damagedTranscript } from '../../support/damage.ts';
import { entriesOf } from '../../support/resume-cases.ts';

/** Everything but the words. */
const shapeOf = (blocks: readonly JsonObject[]): Json[] =>
  blocks.map(({ type = null, id = null, tool_use_id = null, is_error = null }) => [type, id, tool_use_id, is_error]);

/** Long texts where short ones stood, with the same beginnings and ends. */
function longer(text: string): string {
  const fill = 'word '.repeat(500);
  return text.replace(/"(text|content|thinking|data)":"((?:[^"\\]|\\.)+)"/g, (whole, key: string, value: string) => {
    const at = value.indexOf(' ');
    return at < 0 || value.trim() === '' ? whole : `"${key}":"${value.slice(0, at)} ${fill}${value.slice(at)}"`;
  });
}

test('A, R: long texts are cut, nothing else changes', () => {
  fc.assert(
    fc.property(damagedTranscript.map(longer), (text) => {
      const whole = context(entriesOf(text), { prompt: 'x' }).messages;
      const short = context(withShortTexts(entriesOf(text)), { prompt: 'x' }).messages;
      expect(short.map(({ role, content }) => [role, shapeOf(content)])).toEqual(
        whole.map(({ role, content }) => [role, shapeOf(content)]),
      );
      expect(validate(short)).toEqual(validate(whole));
      expect(JSON.stringify(short).length).toBeLessThanOrEqual(JSON.stringify(whole).length);
    }),
    { numRuns: 300 },
  );
});

test('what is blank stays blank, what is not does not, and different texts stay different', () => {
  const blank = ' '.repeat(3000);
  const short = (text: string) => String(shorten('', text));
  expect(short('short')).toBe('short');
  expect(short(blank).trim()).toBe('');
  expect(short(`${blank}x${blank}`).trim()).not.toBe('');
  expect(short(`${blank}x${blank}`)).not.toBe(short(`${blank}y${blank}`));
  expect(short(`<begin>${blank}x${blank}<end>`)).toMatch(/^<begin>[\s\S]*<end>$/);
  expect(short(`${blank}x${blank}`).length).toBeLessThan(600);
});
