/** Asking secretlint's rules only where an anchor stands loses nothing: they find no more when they see the whole text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSecrets } from '../../src/redact/find.ts';
import { loadPreset } from '../../src/redact/preset.cjs';
import { SECRETLINT_RULES, sourceOf } from '../../src/redact/secretlint.ts';
import { HARMLESS } from './harmless.ts';
import { SAMPLES } from './samples.ts';
import '../support/properties.ts';

/** Where the values are that secretlint finds in a text, by the rules we take from it. */
function foundBySecretlint(content: string): [start: number, end: number][] {
  const ours = new Set(SECRETLINT_RULES.map(({ id }) => id.replace('secretlint/', '@secretlint/secretlint-rule-')));
  const places: [number, number][] = [];
  for (const creator of loadPreset().rules) {
    if (!ours.has(creator.meta.id)) continue;
    const { file } = creator.create(
      {
        sharedOptions: {},
        createTranslator: () => (messageId, data) => ({ message: '', messageId: String(messageId), data }),
        report: ({ message, range }) => {
          const [value] = Object.values(message.data ?? {}).filter((each) => typeof each === 'string');
          if (typeof value !== 'string' || message.messageId === 'AWSAccountID') return;
          const start = content.indexOf(value, range[0]);
          places.push([start, start + value.length]);
        },
        ignore: () => {},
      },
      { enableIDScanRule: true },
    );
    file?.(sourceOf(content));
  }
  return places;
}

test('every secret that secretlint finds is found', () => {
  const secrets = SAMPLES.filter(({ rule }) => rule.startsWith('secretlint/'));
  const piece = fc.oneof(
    fc.constantFrom(...secrets.flatMap(({ secret, text }) => [secret, text, secret.toUpperCase(), secret.slice(1)])),
    fc.constantFrom(...HARMLESS, ' ', '\n', '_', '-', '1', 'a', 'é', '"', '='),
    fc.string({ maxLength: 5 }),
  );
  let found = 0;
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
      const text = pieces.join('');
      const ours = findSecrets(text);
      for (const [start, end] of foundBySecretlint(text)) {
        found += 1;
        expect(ours.some((each) => each.start <= start && each.end >= end)).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
  expect(found).toBeGreaterThan(500);
});

test('and everything that its own rules and ours share is taken by name', () => {
  const names = loadPreset().rules.map(({ meta }) => meta.id.replace('@secretlint/secretlint-rule-', ''));
  const left = names.filter((name) => !SECRETLINT_RULES.some(({ id }) => id === `secretlint/${name}`));
  expect(left.sort()).toEqual([
    'anthropic',
    'basicauth',
    'database-connection-string',
    'filter-comments',
    'gcp',
    'openai',
    'privatekey',
  ]);
});
