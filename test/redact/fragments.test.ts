/** Fragments of all samples, glued in odd ways: however a text is looked through, the same is found. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anchorScan } from '../../src/redact/anchors.ts';
import { maskJsonBytes } from '../../src/redact/json.ts';
import { createMasker } from '../../src/redact/masker.ts';
import { RULES } from '../../src/redact/rules.ts';
import '../support/properties.ts';
import { COMMANDS } from './lines/commands.ts';
import { SHOWN } from './lines/shown.ts';
import { lineOf } from './lines/table.ts';
import { SAMPLES } from './samples.ts';

const whole = [
  ...SAMPLES.flatMap(({ text, secret }) => [text, secret]),
  ...[...COMMANDS, ...SHOWN].map((line) => lineOf(line).text),
];
const odd = ['', ' ', 'x', 'Z', '7', '_', '-', '.', '"', "'", '\n', '\\n', '\\', '\t', '|', '<<<', '=', ':'].concat([
  ...['ſ', '\u212a', '\u0130', 'ß', '字', '🙂', '\ud83d', '\u200b', 'é', '\\u0041', '%41', '\u001b[1m', '[password]'],
]);

const fragment = fc
  .tuple(fc.constantFrom(...whole), fc.nat(400), fc.nat(400), fc.boolean())
  .map(([text, from, length, isCut]) => (isCut ? text.slice(from % text.length).slice(0, length) : text));
const text = fc
  .tuple(
    fc.array(fc.oneof({ weight: 5, arbitrary: fragment }, fc.constantFrom(...odd), fc.string({ maxLength: 4 })), {
      maxLength: 10,
    }),
    fc.constantFrom(
      (each: string) => each,
      (each: string) => each,
      (each: string) => each.toUpperCase(),
      (each: string) => each.toLowerCase(),
    ),
  )
  .map(([parts, cased]) => cased(parts.join('')));

const placesIn = (scan: ReturnType<typeof anchorScan>, of: string) =>
  [...scan.places(of)].map(([{ id }, places]) => [id, places]);

test('places are the same by heads, by patterns, and where a scan goes over from the one to the other', () => {
  const byPattern = anchorScan(RULES);
  byPattern.places(' '.repeat(100_000));
  fc.assert(
    fc.property(text, fc.nat(4), (each, more) => {
      const places = placesIn(byPattern, each);
      expect(placesIn(anchorScan(RULES), each)).toEqual(places);
      const atTheSwitch = anchorScan(RULES);
      atTheSwitch.places(' '.repeat(Math.max(0, 32_000 - each.length - 2 + more)));
      expect(placesIn(atTheSwitch, each)).toEqual(places);
      expect(anchorScan(RULES).hasAny(each)).toBe(byPattern.hasAny(each));
    }),
    { numRuns: 2000 },
  );
});

test('nothing is masked in JSON that was told to be clean', () => {
  fc.assert(
    fc.property(text, (each) => {
      const json = JSON.stringify({
        a: each,
        [each.slice(0, 20)]: [each.slice(0, 30), each.slice(30)],
        b: { text: JSON.stringify([each]) },
      });
      if (createMasker().isClean(json))
        expect(Buffer.from(maskJsonBytes(Buffer.from(json), createMasker())).toString()).toBe(
          Buffer.from(json).toString(),
        );
    }),
    { numRuns: 2000 },
  );
});

test('masking masked text changes nothing, as a text and in JSON', () => {
  const inJson = (json: string) => Buffer.from(maskJsonBytes(Buffer.from(json), createMasker())).toString();
  fc.assert(
    fc.property(text, (each) => {
      const once = createMasker().mask(each);
      expect(createMasker().mask(once)).toBe(once);
      const json = inJson(JSON.stringify({ a: each }));
      expect(inJson(json)).toBe(json);
    }),
    { numRuns: 1000 },
  );
});
