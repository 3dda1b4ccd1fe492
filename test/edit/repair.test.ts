/** Every kind of damage that bricks or truncates a session, found, named and mended (rules A, E, R, W). */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readSession } from '../../src/format/session.ts';
import { context } from '../../src/graph/context/context.ts';
import { DAMAGES, damaged, soundLines, transcriptOf } from '../support/damage-kinds.ts';
import { expectSound, readWritten } from '../support/edit-properties.ts';
import { FIXTURES, transcriptsBelow } from '../support/files.ts';
import { entriesOf } from '../support/resume-cases.ts';
import { repaired, wordsSent } from '../support/rewrites.ts';

const PROMPTS = ['prompt one', 'prompt two', 'prompt three'];

describe('S8: what is damaged is said, mended, and accepted', () => {
  test.each(DAMAGES.map((damage) => [damage.rule, damage.name, damage] as const))('%s: %s', (rule, name, damage) => {
    const { findings, draft } = repaired(entriesOf(damaged(damage)));
    expect(findings.map((finding) => finding.rule)).toContain(rule);
    for (const { what, line } of findings) expect(`${line}: ${what}`).toMatch(/^\d+: .{10,}/);
    expectSound(draft);
    const result = readWritten(draft);
    const words = wordsSent(result);
    const lost =
      name === 'the first prompt is missing'
        ? 'prompt one'
        : name === 'a user entry with empty content'
          ? 'prompt three'
          : '';
    for (const prompt of PROMPTS.filter((each) => each !== lost)) expect(words).toContain(prompt);
    for (const said of damage.keeps ?? []) expect(words).toContain(said);
    expect(repaired(result).findings).toEqual([]);
  });

  test('there are at least 20 kinds', () => expect(DAMAGES.length).toBeGreaterThanOrEqual(20));
});

describe('nothing is wrong', () => {
  test('a sound session has no findings, and its copy the same context', () => {
    const entries = entriesOf(transcriptOf(soundLines('/work/app')));
    const { findings, draft } = repaired(entries);
    expect(findings).toEqual([]);
    expect(context(readWritten(draft)).messages).toEqual(context(entries).messages);
  });

  test('of all recordings only those with a call that was never answered', () => {
    const found = transcriptsBelow(`${FIXTURES}recorded`).flatMap((file) => {
      const { findings } = repaired(readSession(readFileSync(file), file).entries);
      return findings.map(
        ({ rule }) => `${rule} ${file.split('/').find((part) => part.includes('interrupted')) ?? file}`,
      );
    });
    expect(new Set(found)).toEqual(new Set(['A1 l-interrupted']));
  });
});

describe('what a person decides', () => {
  const rewound = entriesOf(
    damaged(DAMAGES.find(({ name }) => name.startsWith('a prompt without a parent')) ?? raise()),
  );

  test('W2: a prompt without a parent is joined to what is before it, unless the person says otherwise', () => {
    expect(wordsSent(readWritten(repaired(rewound).draft))).toContain('prompt one');
    expect(repaired(rewound, { rejoin: false }).findings).toEqual([]);
  });

  test('A5: all thinking goes where the API said that it refuses some', () => {
    const lines = soundLines('/work/app');
    const error = {
      ...lines[10],
      isApiErrorMessage: true,
      message: {
        role: 'assistant',
        model: '<synthetic>',
        content: [
          { type: 'text', text: 'API Error: 400 messages.3.content.0: Invalid `signature` in `thinking` block' },
        ],
      },
    };
    const { findings, draft } = repaired(entriesOf(transcriptOf([...lines.slice(0, 10), error])));
    expect(findings.map(({ rule, line }) => [rule, line])).toEqual([['A5', 4]]);
    expect(JSON.stringify(context(readWritten(draft)).messages)).not.toContain('thought two');
  });
});

function raise(): never {
  throw new Error('no such damage');
}
