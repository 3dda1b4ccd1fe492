/** context() against what client 2.1.325 sent for hand-made, random and probing sessions (R1–R15, C1, C2, E13). */
import { describe, expect, test } from 'vitest';
import { context } from '../../src/graph/context/context.ts';
import { validate } from '../../src/graph/validate.ts';
import {
  entriesOf,
  listedCases,
  mended,
  PROMPT,
  type ResumeCase,
  resumeCases,
  withoutInventedWords,
  withoutReminders,
  withoutReminderWords,
} from '../support/resume-cases.ts';

/** Cases that were recorded with another model than the session's. */
const OTHER_MODEL: Record<string, string> = { z_model_switch: 'claude-sonnet-4-5-20250929' };

/** format.md, A: the client sends here what the API refuses. */
const REFUSED_BY_API = new Set(['think_nosig', 'drop_uuid', 'drop_parentUuid']);

function sent({ name, input }: ResumeCase) {
  return context(entriesOf(input), { prompt: PROMPT, model: OTHER_MODEL[name] }).messages;
}

function check(item: ResumeCase): void {
  const messages = sent(item);
  expect(validate(messages)).toEqual([]);
  if (item.expected === undefined) return;
  const expected = item.refused || REFUSED_BY_API.has(item.name) ? mended(item.expected) : item.expected;
  expect(withoutInventedWords(messages)).toEqual(withoutInventedWords(expected));
}

const PUT_INTO_WORDS = new Set(['attachments', 'y_tasknotif']);

describe('R: hand-made sessions', () => {
  const cases = resumeCases().filter(({ name }) => !PUT_INTO_WORDS.has(name));
  test.each(cases.map((item) => [item.name, item] as const))('%s', (_, item) => check(item));
});

describe('R: random sessions', () => {
  test.each(listedCases('fuzz.jsonl').map((item) => [item.name, item] as const))('%s', (_, item) => check(item));
});

describe('R: more random sessions, with attachments, preserved messages, local commands and several models', () => {
  test.each(listedCases('fuzz-more.jsonl').map((item) => [item.name, item] as const))('%s', (_, item) => check(item));
});

describe('R: probes of single rules', () => {
  test.each(listedCases('probes.jsonl').map((item) => [item.name, item] as const))('%s', (_, item) => check(item));
});

describe('R: probes of lines that thought, failed or were torn apart', () => {
  test.each(listedCases('probes-more.jsonl').map((item) => [item.name, item] as const))('%s', (_, item) => check(item));
});

describe('R15: what the client puts into its own words', () => {
  const named = (name: string) => resumeCases().filter((item) => item.name === name);

  test.each(named('attachments').map((item) => [item.name, item] as const))('%s: an edited file is told', (_, item) => {
    const messages = sent(item);
    expect(withoutReminderWords(messages)).toEqual(withoutReminderWords(item.expected ?? []));
    expect(JSON.stringify(messages)).toContain('/x/a.txt');
  });

  test.each(named('y_tasknotif').map((item) => [item.name, item] as const))('%s: a report is no prompt', (_, item) => {
    const messages = sent(item);
    expect(withoutReminders(messages)).toEqual(item.expected);
    expect(JSON.stringify(messages[2])).toContain('<task-id>x1</task-id>');
    expect(validate(messages)).toEqual([]);
  });
});

describe('where the client refuses the file, context() still gives its best', () => {
  const best = (name: string) =>
    [...resumeCases(), ...listedCases('probes.jsonl')].filter((item) => item.name === name).map(sent)[0] ?? [];

  test('drop_timestamp: parents alone give the whole conversation', () => {
    expect(best('drop_timestamp')).toHaveLength(7);
  });
  test('E15 only_type_message: a list without uuids is taken in file order', () => {
    expect(best('only_type_message').map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ]);
  });
  test('p7b_lp_sidechain: a pin on a side chain is passed over', () => {
    expect(best('p7b_lp_sidechain')).toHaveLength(5);
  });
});
