/** Realistic lines, as they are and as a tool's input in JSON inside of JSON: what is secret is gone, and nothing else. */
import { describe, expect, test } from 'vitest';
import { maskJsonText } from '../../src/redact/json.ts';
import { createMasker } from '../../src/redact/masker.ts';
import { COMMANDS } from './lines/commands.ts';
import { HARMLESS_LINES } from './lines/harmless.ts';
import { SHOWN } from './lines/shown.ts';
import { lineOf, restOf } from './lines/table.ts';

const mask = (text: string) => createMasker().mask(text);

/** Inside of a string of a string, as a transcript keeps what a tool wrote in JSON. */
function throughJson(text: string): string {
  const masked = maskJsonText(JSON.stringify({ content: JSON.stringify({ text }) }), createMasker());
  return JSON.parse(JSON.parse(masked).content).text;
}

describe.each([
  ['commands', COMMANDS],
  ['what is shown', SHOWN],
])('%s', (_, lines) => {
  test.each(lines)('%s', (marked) => {
    const { text, secrets, rest } = lineOf(marked);
    const masked = mask(text);
    expect(secrets.length).toBeGreaterThan(0);
    expect(secrets.filter((secret) => masked.includes(secret))).toEqual([]);
    expect(restOf(masked)).toBe(rest);
    expect(mask(masked)).toBe(masked);
    expect(restOf(throughJson(text))).toBe(rest);
  });
});

test.each(HARMLESS_LINES)('nothing in: %s', (text) => {
  expect(mask(text)).toBe(text);
  expect(throughJson(text)).toBe(text);
});
