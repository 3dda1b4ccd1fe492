import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/redact/find.ts';
import { RULES } from '../../src/redact/rules.ts';
import { HARMLESS } from './harmless.ts';
import { SAMPLES } from './samples.ts';

describe('finding secrets', () => {
  test.each(SAMPLES)('$rule: $text', ({ secret, text }) => {
    const found = findSecrets(text).map(({ start, end }) => text.slice(start, end));
    expect(found).toEqual([secret]);
  });

  const alone = SAMPLES.filter(({ secret, text }) => text.startsWith(`it said ${secret}`) && !secret.includes('\n'));
  test.each([
    ['letters of other scripts', (secret: string) => `令牌是${secret}的，ключ${secret}й`],
    ['escapes of URLs', (secret: string) => `https%3A%2F%2Fx%3Ft%3D${secret}%26u%253D${secret}%0A`],
    [
      'escapes of code',
      (secret: string) =>
        `'\\x3d${secret}\\x0a' "\\x1b[32m${secret}\\x1b[0m" \\033[1m${secret}\\e[0m ^[[1m${secret}^[[0m`,
    ],
  ])('right after and before %s', (_, around) => {
    const missed = alone.filter(({ secret }) => {
      const found = findSecrets(around(secret));
      return found.length !== around(secret).split(secret).length - 1;
    });
    expect(missed.map(({ rule }) => rule)).toEqual([]);
  });

  test('there are more than thirty kinds, and every rule has a sample', () => {
    expect(new Set(RULES.map(({ kind }) => kind)).size).toBeGreaterThan(30);
    expect(new Set(SAMPLES.map(({ rule }) => rule))).toEqual(new Set(RULES.map(({ id }) => id)));
  });

  test.each(RULES.map(({ id }) => id))('without %s one of its samples is missed', (id) => {
    const rest = RULES.filter((rule) => rule.id !== id);
    const missed = SAMPLES.filter(({ rule, secret, text }) => {
      const found = findSecrets(text, rest).map(({ start, end }) => text.slice(start, end));
      return rule === id && !found.includes(secret);
    });
    expect(missed).not.toEqual([]);
  });

  test.each(HARMLESS)('nothing in: %s', (text) => {
    expect(findSecrets(text).map(({ start, end, kind }) => [kind, text.slice(start, end)])).toEqual([]);
  });
});
