import { describe, expect, test } from 'vitest';
import { findSecrets, RULES } from '../../src/redact/find.ts';
import { HARMLESS, SAMPLES } from './samples.ts';

describe('finding secrets', () => {
  test.each(SAMPLES)('$rule: $text', ({ secret, text }) => {
    const found = findSecrets(text).map(({ start, end }) => text.slice(start, end));
    expect(found).toEqual([secret]);
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
