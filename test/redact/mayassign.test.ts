import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assigned, onNextLine, rarelyAssigned } from '../../src/redact/assignment.ts';
import { authorization, CONTEXT_RULES, COOKIES } from '../../src/redact/contexts.ts';
import { mayAssign } from '../../src/redact/mayassign.ts';

const word = fc.constantFrom(
  'token',
  'api_key',
  '-prod',
  '_hash',
  '--db-password',
  'cookie',
  'Authorization',
  'secrets',
  'API Key',
  '.password',
);
const between = fc.constantFrom(
  '"',
  "\\\\\\'",
  '`',
  ']',
  ' ',
  '\t',
  '\n',
  '\u00a0',
  ':',
  '=',
  ':=',
  '=>',
  ', ',
  'x',
  '**',
  '>',
  '</a>',
  '("',
  ' | ',
  ': str = "',
  ' = a || "',
  '\n  value',
  '</key>\n<string>',
  '_param ',
  'setenv ',
  ':\n',
  ':\n',
  ':\r\n12→  ',
);
const text = fc
  .array(fc.oneof(word, between, fc.constant('hunter2Aa9XyZ0pq')), { maxLength: 9 })
  .map((parts) => parts.join(''));

const patterns = [assigned(), rarelyAssigned(), onNextLine(), COOKIES, new RegExp(authorization().source, 'iy')];

describe('whether something may be assigned', () => {
  test('is never denied where a pattern finds it', () => {
    const found = patterns.map(() => 0);
    fc.assert(
      fc.property(text, (each) => {
        for (let at = 0; at < each.length; at += 1) {
          for (const [which, pattern] of patterns.entries()) {
            pattern.lastIndex = at;
            if (!pattern.test(each)) continue;
            found[which] = (found[which] ?? 0) + 1;
            expect(mayAssign(each, at)).toBe(true);
          }
        }
      }),
      { numRuns: 30_000 },
    );
    for (const count of found) expect(count).toBeGreaterThan(100);
  });

  test('is denied of words in a sentence, which no pattern is made for', () => {
    for (const each of ['the token was lost', 'cookie jar', 'authorization failed, see log', 'secrets. key: 1'])
      expect(mayAssign(each, each.search(/token|cookie|authorization|secret/))).toBe(false);
    const rule = CONTEXT_RULES.find(({ id }) => id === 'authorization');
    const header = 'authorization: Basic aGVsbG86d29ybGQh';
    expect(rule?.find(header, [0])).toHaveLength(1);
    expect(rule?.find(header.replace(':', ' '), [0])).toHaveLength(0);
  });
});
