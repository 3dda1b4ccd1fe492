/** context() gives nothing that the API refuses (A), and reminders in the form that the model takes (R15). */
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/format/json.ts';
import { context } from '../../src/graph/context/context.ts';
import type { ContextOptions } from '../../src/graph/context/types.ts';
import { validate } from '../../src/graph/validate.ts';
import { strangeBlocks } from '../support/context-properties.ts';
import { entriesOf } from '../support/resume-cases.ts';
import {
  apiError,
  assistant,
  attachment,
  brief,
  NEWEST,
  result,
  SONNET,
  text,
  thinking,
  transcript,
  use,
  user,
} from '../support/transcript.ts';

function sent(lines: readonly JsonObject[], options: ContextOptions = { prompt: 'new' }): string[] {
  const { messages } = context(entriesOf(transcript(lines)), options);
  expect(validate(messages, { thinking: true })).toEqual([]);
  return brief(messages);
}

const start = [user(1, null, 'q1'), assistant(2, 1, 'm1', 'a1')];

describe('A: never sent', () => {
  test('A1 results come before the text that stood before them', () => {
    const lines = [user(1, null, 'q1'), assistant(2, 1, 'm1', [thinking('hm'), use('t1')])];
    expect(sent([...lines, user(3, 2, [text('x'), result('t1')]), assistant(4, 3, 'm2', 'a2')])[2]).toBe(
      'user: =t1 r-t1 | x',
    );
  });
  test('A1 A2 blocks that say too little', () => {
    const broken = [{ type: 'tool_use', name: 'Bash' }, { type: 'text' }, null, 7, { type: 3 }, text('a')];
    const lines = [user(1, null, [{ type: 'tool_result' }, text('q')]), assistant(2, 1, 'm1', broken)];
    expect(sent(lines)).toEqual(['user: q', 'assistant: a', 'user: new']);
  });
  test('A4 blank strings are no messages', () => {
    expect(sent([...start, user(3, 2, '  '), assistant(4, 3, 'm2', 'a2')])).toEqual([
      'user: q1',
      'assistant: a1',
      'assistant: a2',
      'user: new',
    ]);
  });
  test('A5 A6 a tool loop that loses its thinking is closed before the prompt', () => {
    const loop = [user(1, null, 'q1'), assistant(2, 1, 'm1', [thinking('hm'), use('t1')]), user(3, 2, [result('t1')])];
    const stopped = [...loop, apiError(4, 3)];
    expect(sent(stopped)).toEqual(['user: q1', 'assistant: ~hm | +t1', 'user: =t1 r-t1 | new']);
    const closed = ['user: q1', 'assistant: +t1', 'user: =t1 r-t1', 'assistant: No response requested.', 'user: new'];
    expect(sent(stopped, { prompt: 'new', model: SONNET })).toEqual(closed);
    const unsigned = assistant(2, 1, 'm1', [thinking('hm', ''), use('t1')]);
    expect(sent(stopped.with(1, unsigned))).toEqual(closed);
  });
  test('A7 a long tool name is cut', () => {
    const lines = [
      user(1, null, 'q1'),
      assistant(2, 1, 'm1', [use('t1', 'x'.repeat(300))]),
      user(3, 2, [result('t1')]),
    ];
    const { messages } = context(entriesOf(transcript([...lines, assistant(4, 3, 'm2', 'a2')])), { prompt: 'new' });
    expect(validate(messages)).toEqual([]);
  });
  test('A8 answers before the first prompt are left out, with their results', () => {
    const lines = [
      assistant(1, null, 'm1', [use('t1')]),
      user(2, 1, [result('t1'), text('q')]),
      assistant(3, 2, 'm2', 'a'),
    ];
    expect(sent(lines)).toEqual(['user: q', 'assistant: a', 'user: new']);
  });
  test('an empty file and a blank prompt give nothing', () => {
    expect(context([], { prompt: 'new' }).messages).toEqual([{ role: 'user', content: [text('new')] }]);
    expect(context([]).messages).toEqual([]);
    expect(context(entriesOf(transcript(start)), { prompt: ' ' }).messages).toHaveLength(2);
  });
});

describe('A4: content that no API takes is made sendable', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };

  function resultSent(block: JsonObject): JsonObject | undefined {
    const lines = [user(1, null, 'q1'), assistant(2, 1, 'm1', [use('t1')]), user(3, 2, [block])];
    const { messages } = context(entriesOf(transcript([...lines, assistant(4, 3, 'm2', 'a2')])), { prompt: 'new' });
    expect(validate(messages)).toEqual([]);
    expect(strangeBlocks(messages)).toEqual([]);
    return messages[2]?.content[0];
  }

  test.each([
    ['an object', {}, '{}'],
    ['a number', 5, '5'],
    ['false', false, 'false'],
    ['null', null, undefined],
    ['one block without its list', text('x'), [text('x')]],
    ['one blank block', text(' '), JSON.stringify(text(' '))],
    ['an unknown block', [{ type: 'weird' }, text('x')], [text('x')]],
    ['a call', [{ type: 'tool_use' }], []],
    ['an image without a source', [{ type: 'image' }, image], [image]],
    ['an image with half a source', [{ type: 'image', source: { type: 'base64' } }, text('x')], [text('x')]],
    ['whitespace', [text(' '), text('x')], [text('x')]],
    ['words without a block', ['x', ' ', null], [text('x')]],
    ['a mark for the cache', [{ ...text('x'), cache_control: { type: 'ephemeral' } }], [text('x')]],
    ['whitespace that is no block', ' ', ' '],
    ['nothing', [], []],
  ] satisfies [string, Json, Json | undefined][])('A4 a result of %s', (_, content, expected) => {
    expect(resultSent(result('t1', content))?.content).toEqual(expected);
  });

  test('A4 is_error is true, false or not there', () => {
    expect(resultSent({ ...result('t1'), is_error: true })).toEqual({ ...result('t1'), is_error: true });
    expect(resultSent({ ...result('t1'), is_error: 'true' })).toEqual({ ...result('t1'), is_error: true });
    expect(resultSent({ ...result('t1'), is_error: false })).toEqual({ ...result('t1'), is_error: false });
    for (const is_error of ['no', 1, null, {}]) expect(resultSent({ ...result('t1'), is_error })).toEqual(result('t1'));
    const emptied = { ...result('t1', [text('')]), is_error: true };
    expect(resultSent(emptied)?.content).toBe('(no content)');
  });

  test('A4 blocks of a prompt or an answer', () => {
    const lines = [
      user(1, null, [{ type: 'image' }, { type: 'weird' }, text('q'), image]),
      assistant(2, 1, 'm1', [{ type: 'weird' }, image, text('a')]),
      user(3, 2, [{ type: 'image' }]),
    ];
    expect(sent(lines)).toEqual(['user: q | image', 'assistant: a', 'user: new']);
    const asked = [{ type: 'image' }, text('new')];
    expect(sent(start, { prompt: asked })).toEqual(['user: q1', 'assistant: a1', 'user: new']);
  });

  test('A4 what the API answered itself stays', () => {
    const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } };
    const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] };
    expect(sent([user(1, null, 'q'), assistant(2, 1, 'm1', [search, found, text('a')])])[1]).toBe(
      'assistant: server_tool_use | web_search_tool_result | a',
    );
  });

  test('A4 R15 a blank reminder is not worked into a result', () => {
    const lines = [
      user(1, null, 'q1'),
      assistant(2, 1, 'm1', [use('t1')]),
      user(3, 2, [result('t1', [text('x')])]),
      attachment(4, 3, ' '),
      assistant(5, 4, 'm2', 'a2'),
    ];
    expect(sent(lines)[2]).toBe('user: =t1 x');
  });
});

describe('without a prompt the history is given as it stands', () => {
  test('no answer is made up, but open calls are answered', () => {
    const loop = [user(1, null, 'q1'), assistant(2, 1, 'm1', [use('t1')])];
    expect(brief(context(entriesOf(transcript([...loop, user(3, 2, [result('t1')])]))).messages)).toHaveLength(3);
    expect(context(entriesOf(transcript(loop))).openCalls).toEqual(['t1']);
  });
  test('the leaf is what a new entry hangs on', () => {
    const { leaf } = context(entriesOf(transcript([...start, attachment(3, 2)])));
    expect(leaf?.startsWith('00000003')).toBe(true);
  });
});

describe('R15: reminders', () => {
  const words = '<system-reminder>\nnote\n</system-reminder>';
  const loop = (model: string, rest: JsonObject) => [
    user(1, null, 'q1'),
    assistant(2, 1, 'm1', [thinking('hm'), use('t1')], { model }),
    user(3, 2, [result('t1')]),
    attachment(4, 3, words, rest),
    assistant(5, 4, 'm2', 'a2', { model }),
  ];
  test('become part of the result they come after', () => {
    const told = `user: =t1 r-t1\n\n${words}`;
    expect(sent(loop('claude-opus-4-5-20251101', { renderedRole: 'system' }))[2]).toBe(told);
    expect(sent(loop(NEWEST, { renderedRole: 'user' }))[2]).toBe(told);
  });
  test('stand by themselves where the model is told them in system turns', () => {
    expect(sent(loop(NEWEST, { renderedRole: 'system' }))[2]).toBe(`user: =t1 r-t1 | ${words}`);
  });
  test('E9 what the person typed while the model was busy are the person’s words', () => {
    const queued = { renderedRole: 'system', attachment: { type: 'queued_command', origin: { kind: 'human' } } };
    expect(sent(loop(NEWEST, queued))[2]).toBe('user: =t1 r-t1 | note');
  });
  test('older attachments without words are put into words', () => {
    const file = { type: 'file', filename: '/a', content: { type: 'text', file: { content: 'one\ntwo' } } };
    const lines = [user(1, null, 'q1'), attachment(2, 1, undefined, { attachment: file }), assistant(3, 2, 'm1', 'a1')];
    const told = sent(lines).join('\n');
    expect(told).toContain('"file_path":"/a"');
    expect(told).toContain('1\tone\n2\ttwo');
  });
});
