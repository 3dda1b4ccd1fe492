/** Old turns as a summary, written as a compaction (C1, E11). */
import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../src/format/entry.ts';
import { asString, type JsonObject } from '../../src/format/json.ts';
import { context } from '../../src/graph/context/context.ts';
import { assistant, chain, entriesOf, result, system, text, toolUse, user } from '../support/build.ts';
import { expectSound, readWritten, writtenBytes } from '../support/edit-properties.ts';
import { compressed } from '../support/rewrites.ts';

const LONG = 'word '.repeat(1000);

function turn(number: number): JsonObject[] {
  const id = `toolu_${number}`;
  return [
    user(`prompt ${number}\n  with a second line & "quotes"`),
    assistant(text(`on it ${number}`), { id: `msg_${number}`, stop: 'tool_use' }),
    assistant(toolUse(id, 'Bash', { command: `run  ${number}` }), { id: `msg_${number}`, stop: 'tool_use' }),
    result(id, `secret output ${number}`),
    assistant(`answer ${number} begins ${LONG} and ends ${number}`, { id: `msg_${number}b` }),
  ];
}
const turns = (count: number) => Array.from({ length: count }, (_, i) => turn(i + 1)).flat();
const source = entriesOf(chain(turns(4)));
const made = (keep: number, tools = false, entries = source) =>
  compressed(entries, { keep, tools, title: 'T' }) ?? raise();
const firstWords = (draft: ReturnType<typeof made>) =>
  asString(context(readWritten(draft)).messages[0]?.content[0]?.text) ?? '';

test('E12: a prompt whose repeated line says that a sub-agent said it is in the summary all the same', () => {
  const [first = {}, ...rest] = chain(turns(3));
  const entries = entriesOf([first, { ...first, isSidechain: true }, ...rest]);
  expect(firstWords(made(1, false, entries))).toContain('prompt 1');
});

describe('C1: a compaction that the client takes for its own', () => {
  const lines = readWritten(made(1)).map((entry) => jsonOf(entry) ?? {});

  test('boundary, summary, then the kept turns', () => {
    expect(lines.slice(0, 3).map(({ type, subtype, parentUuid }) => [type, subtype, parentUuid])).toEqual([
      ['system', 'compact_boundary', null],
      ['user', undefined, lines[0]?.uuid],
      ['user', undefined, lines[1]?.uuid],
    ]);
    expect(lines[1]).toMatchObject({ isCompactSummary: true, isVisibleInTranscriptOnly: true });
    expect(lines[0]?.compactMetadata).toMatchObject({ trigger: 'manual' });
    expectSound(made(1));
  });

  test('E11: a title line names the last entry', () => {
    const title = lines.find(({ type }) => type === 'summary');
    expect(title).toMatchObject({ summary: 'T', leafUuid: lines.findLast(({ type }) => type === 'assistant')?.uuid });
  });
});

describe('what the summary says', () => {
  test('prompts verbatim, answers cut, tools by name, no results', () => {
    const words = firstWords(made(1));
    expect(words.startsWith('This session is being continued from a previous conversation')).toBe(true);
    for (const number of [1, 2, 3]) {
      expect(words).toContain(`prompt ${number}\n  with a second line & "quotes"`);
      expect(words).toContain(`answer ${number} begins`);
      expect(words).toContain(`and ends ${number}`);
    }
    expect(words).toContain('Tools: Bash');
    expect(words).not.toContain('secret output');
    expect(words.length).toBeLessThan(4000);
  });

  test('--tools tells each call without its result', () => {
    const words = firstWords(made(1, true));
    expect(words).toContain('- Bash: run 2');
    expect(words).not.toContain('secret output');
  });

  test('kept turns are sent as they were', () => {
    const [, ...kept] = context(readWritten(made(1))).messages;
    expect(kept).toEqual(context(source).messages.slice(-3));
  });

  test('the same each time', () => expect(writtenBytes(made(2))).toEqual(writtenBytes(made(2))));

  test('an earlier summary goes on being said', () => {
    const lines = [
      ...turns(1),
      system('compact_boundary', { parentUuid: null }),
      user('This session is being continued: WHAT WAS', { isCompactSummary: true }),
      ...turns(3).slice(5),
    ];
    expect(firstWords(made(1, false, entriesOf(chain(lines))))).toContain('WHAT WAS');
  });
});

describe('what is not compressed', () => {
  test('nothing older than what is kept', () => {
    expect(compressed(source, { keep: 4, tools: false })).toBeUndefined();
    expect(compressed(source, { keep: 9, tools: false })).toBeUndefined();
  });

  test('S3: a turn that is still open stays', () => {
    const open = entriesOf(chain(turns(2).slice(0, 9)));
    const draft = made(1, false, open);
    expectSound(draft);
    expect(JSON.stringify(context(readWritten(draft)).messages)).toContain('secret output 2');
  });

  test('the last turn always stays: 2.1.29 drops a summary that nothing follows', () => {
    expect(writtenBytes(made(0))).toEqual(writtenBytes(made(1)));
  });
});

function raise(): never {
  throw new Error('nothing was compressed');
}
