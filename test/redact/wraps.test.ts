/** Tokens that the end of a line breaks in two. */
import { describe, expect, test } from 'vitest';
import { maskJsonText } from '../../src/redact/json.ts';
import { createMasker } from '../../src/redact/masker.ts';
import { HARMLESS_LINES } from './lines/harmless.ts';
import { random, SAMPLES } from './samples.ts';

const mask = (text: string) => createMasker().mask(text);

/** As a terminal shows it. */
function wrap(text: string, width: number, lineEnd = '\n'): string {
  return text
    .split('\n')
    .map((line) => (line.match(new RegExp(`.{1,${width}}`, 'g')) ?? ['']).join(lineEnd))
    .join('\n');
}

/** Known by their form, and in one line. */
const TOKENS = SAMPLES.filter(({ secret, text }) => text.startsWith(`it said ${secret}`) && !secret.includes('\n'));
const WIDTH = 80;

/** So that the token breaks after so many of its characters. */
function broken(secret: string, after: number, lineEnd: string): string {
  const before = `${'so '.repeat(WIDTH)}`.slice(-(WIDTH - after - 1));
  return `${wrap(`${before} ${secret}`, WIDTH, lineEnd)} and then`;
}

describe.each([
  ['at the width of a terminal', '\n'],
  ['by Windows', '\r\n'],
  ['by a backslash', '\\\n'],
  ['with the next line set in', '\n    '],
])('a token broken %s', (_, lineEnd) => {
  test.each(TOKENS)('$rule: wherever it breaks', ({ secret, heart = secret }) => {
    const whole = mask(`it said ${secret} and then`);
    const placeholder = /\[[\w:-]+\]/.exec(whole)?.[0] ?? '';
    expect(placeholder).not.toBe('');
    for (let after = 1; after < Math.min(secret.length, WIDTH - 2); after += 5) {
      const text = broken(secret, after, lineEnd);
      const masked = mask(text);
      const left = masked.replace(/\s|\\/g, '');
      // What could be a word at its end is not known to be a part of it.
      expect([after, left.includes(heart.slice(-20, -8)), left.includes(secret.slice(0, 12))]).toEqual([
        after,
        false,
        false,
      ]);
      expect(mask(masked)).toBe(masked);
    }
  });
});

describe('a token that is broken', () => {
  const token = `ghp_${random(36, 'wraps')}`;
  const placeholder = mask(token);

  test('has the placeholder of the whole, which is masked from then on', () => {
    const masker = createMasker();
    const text = wrap(`export GITHUB_TOKEN_OF_THE_SHOP_FOR_DEPLOYS_AND_NOTHING_ELSE=${token}`, 80);
    expect(text).toContain('\n');
    expect(masker.mask(text)).toBe(`export GITHUB_TOKEN_OF_THE_SHOP_FOR_DEPLOYS_AND_NOTHING_ELSE=${placeholder}`);
    expect(masker.mask(`it is x${token}x`)).toBe(`it is x${placeholder}x`);
  });

  test('in JSON inside of JSON', () => {
    const text = wrap(`${'so '.repeat(20)}${token} and then`, 80);
    const line = JSON.stringify({ content: JSON.stringify({ text }) });
    const masked = maskJsonText(line, createMasker());
    expect(JSON.parse(JSON.parse(masked).content).text).toBe(`${'so '.repeat(20)}${placeholder} and then`);
  });

  test('over many lines, as a JWT in a narrow window', () => {
    const jwt = SAMPLES.find(({ rule }) => rule === 'jwt')?.secret ?? '';
    for (const width of [32, 40, 57, 76]) {
      expect(mask(`first\n${wrap(jwt, width)}\n`)).toBe(`first\n${mask(jwt)}\n`);
      expect(mask(`token: ${wrap(jwt, width, '\n  ')}"`)).toBe(`token: ${mask(jwt)}"`);
    }
  });

  test('before its secret part, as the address of a webhook', () => {
    const addresses = SAMPLES.filter(({ rule }) => ['discord-webhook', 'slack-workflow', 'webhook'].includes(rule));
    expect(addresses.length).toBeGreaterThan(3);
    for (const { text, secret } of addresses) {
      const address = /https?:\S+/.exec(text)?.[0] ?? '';
      for (let at = 12; at <= address.indexOf(secret); at += 3) {
        const lines = [`${'so '.repeat(20)}${address.slice(0, at)}`, `${address.slice(at)} and then`];
        expect([at, mask(lines.join('\n')).includes(secret)]).toEqual([at, false]);
      }
    }
  });

  test('as lines of a diff or of a list: as many come back', () => {
    const text = wrap(`${'so '.repeat(20)}${token} and then`, 80);
    const lines = createMasker().maskLines(text.split('\n'));
    expect(lines).toEqual([`${'so '.repeat(20)}${placeholder}`, ' and then']);
  });

  test('the line after one that ends with a token stays', () => {
    const key = SAMPLES.find(({ rule }) => rule === 'anthropic-key')?.secret ?? '';
    for (const next of ['OTHER_KEY=12', 'name: x2', 'done', 'and2', '', '```', 'export A=1', `${key}`]) {
      const text = `ANTHROPIC_API_KEY=${key}\n${next}`;
      expect(mask(text)).toBe(`ANTHROPIC_API_KEY=${mask(key)}\n${mask(next)}`);
    }
  });
});

test('a text that is wrapped anywhere stays as it is where nothing is secret', () => {
  for (const width of [36, 48, 80]) {
    for (const text of HARMLESS_LINES) expect(mask(wrap(text, width))).toBe(wrap(text, width));
  }
});
