/** A command that shows little looks for anchors one by one; it finds what the patterns of all of them find. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anchorScan } from '../../src/redact/anchors.ts';
import type { Rule } from '../../src/redact/rule.ts';
import { RULES } from '../../src/redact/rules.ts';

/** Of several ways the first. */
function withFirst(source: string): string {
  const inner = source.replace(/\(\?:([^()|]*)[^()]*\)/g, '$1');
  return inner === source ? source : withFirst(inner);
}

/** Anchors as they would be written, and their beginnings. */
const written = RULES.flatMap(({ anchors }) => anchors).flatMap((source) => {
  const plain = withFirst(source)
    .replace(/\(\?!.*/, '')
    .replace(/\[(\\?.)[^\]]*\](?:\{(\d+)[^}]*\})?/g, (_, one, count) => one.repeat(Number(count ?? 1)))
    .replace(/\\[sw](?:\{[^}]*\})?/g, (each) => (each === '\\s' ? ' ' : 'w'))
    .replace(/\\d/g, '7')
    .replace(/\\(.)/g, '$1')
    .replace(/[?]/g, '');
  return [plain, plain.slice(0, 3), plain.toUpperCase()];
});

const text = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...written) },
      fc.constantFrom(' ', 'x', 'Z', '_', '-', '"', '\n', 'ſ', '\u212a', '\u0130', 'ß'),
      fc.string({ maxLength: 6 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** By rule, in the order they are asked. */
const placesIn = (scan: ReturnType<typeof anchorScan>, of: string) =>
  [...scan.places(of)].map(([{ id }, places]) => [id, places]);

const withPatterns = anchorScan(RULES);
withPatterns.places(' '.repeat(100_000));

test('places and their order are the same with patterns and without', () => {
  fc.assert(
    fc.property(text, (each) => {
      const without = anchorScan(RULES);
      expect(placesIn(without, each)).toEqual(placesIn(withPatterns, each));
      expect(anchorScan(RULES).hasAny(each)).toBe(withPatterns.hasAny(each));
    }),
    { numRuns: 3000 },
  );
});

test('whatever an anchor takes between its head and its end is found', () => {
  for (const { anchors } of RULES) {
    for (const source of anchors) {
      const [, head, own = '', count] = /^((?:\\\W|[\w"/:=~-])+)(\[[^\]]+\])\{(\d+)\}/.exec(source) ?? [];
      if (head === undefined) continue;
      for (let code = 33; code < 127; code += 1) {
        const each = String.fromCharCode(code);
        const written = `${head.replaceAll('\\', '')}${each.repeat(Number(count))}.-_`;
        expect(placesIn(anchorScan(RULES), written), `${source} ${each} ${own}`).toEqual(
          placesIn(withPatterns, written),
        );
      }
    }
  }
});

test('every anchor is found where it stands alone', () => {
  for (const rule of RULES) {
    for (const source of rule.anchors) {
      const [own] = written.filter((each) => new RegExp(`^(?:${source})`).test(each));
      expect(own, source).toBeDefined();
      expect([...anchorScan([rule]).places(`. ${own} .`).keys()], source).toEqual([rule]);
    }
  }
});

test.each(['[xy]z', 'x?y', '\\wz'])('%s is no anchor: it does not begin with a character', (source) => {
  const rule: Rule = { id: 'odd', kind: 'odd', anchors: [source], find: () => [] };
  expect(() => anchorScan([rule])).toThrow('does not begin with a character');
});
