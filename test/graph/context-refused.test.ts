/** Where the client itself would send what the API refuses, or knows what context() does not: the API's rules win (A). */
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/format/json.ts';
import { context } from '../../src/graph/context/context.ts';
import type { ContextOptions } from '../../src/graph/context/types.ts';
import { validate } from '../../src/graph/validate.ts';
import { entriesOf, type Message } from '../support/resume-cases.ts';
import { assistant, attachment, brief, result, text, thinking, transcript, use, user } from '../support/transcript.ts';

function sent(lines: readonly JsonObject[], options: ContextOptions = { prompt: 'new' }): Message[] {
  const { messages } = context(entriesOf(transcript(lines)), options);
  expect(validate(messages)).toEqual([]);
  return messages;
}

const q = user(1, null, 'q1');
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } };

describe('A4: of what failed only text is sent, and some there must be', () => {
  const failed = (content: Json) => [
    q,
    assistant(2, 1, 'm1', [use('t1')]),
    user(3, 2, [{ ...result('t1', content), is_error: true }]),
  ];
  const done = assistant(9, 3, 'm2', 'a2');

  test.each([
    ['an image', [image]],
    ['nothing', []],
    ['an empty text', ''],
    ['a blank text', [text(' ')]],
    ['null', null],
  ] satisfies [string, Json][])('%s alone', (_, content) => {
    expect(brief(sent([...failed(content), done]))[2]).toBe('user: =t1 (no content)');
  });
  test('a note is enough', () => {
    const lines = [...failed([image]), attachment(4, 3, 'note'), assistant(5, 4, 'm2', 'a2')];
    expect(sent(lines)[2]?.content).toEqual([{ ...result('t1', [text('note')]), is_error: true }]);
  });
  test('text around an image is joined', () => {
    expect(sent([...failed([text('a'), image, text('b')]), done])[2]?.content[0]?.content).toEqual([text('a\n\nb')]);
  });
});

describe('A1 A2: what the API answers itself', () => {
  const call = (id: string) => ({ type: 'server_tool_use', id, name: 'web_search', input: { query: 'x' } });
  const found = (id: string) => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] });
  const next = [user(8, 2, 'q2'), assistant(9, 8, 'm9', 'a9')];
  const answer = (...blocks: JsonObject[]) => brief(sent([q, assistant(2, 1, 'm1', blocks), ...next]))[1];

  test('a result without its call before it is left out', () => {
    expect(answer(found('s1'), text('a'))).toBe('assistant: a');
    expect(answer(found('s1'), call('s1'), text('a'))).toBe('assistant: a');
    expect(answer(call('s1'), found('s1'), found('s1'), text('a'))).toBe(
      'assistant: server_tool_use | web_search_tool_result | a',
    );
    expect(answer(found('s1'))).toBe('assistant: [Tool use interrupted]');
  });
  test('thinking that led to nothing but such a call goes with it', () => {
    expect(answer(thinking('hm'), call('s1'))).toBe('assistant: [Tool use interrupted]');
  });
  test('a call and its result in two messages are both left out', () => {
    const lines = [q, assistant(2, 1, 'm1', [text('a'), call('s1')]), assistant(3, 2, 'm2', [found('s1'), text('b')])];
    expect(brief(sent(lines))).toEqual(['user: q1', 'assistant: a', 'assistant: b', 'user: new']);
  });
  test('a paused answer stays as it is while it is the last message', () => {
    const lines = [q, assistant(2, 1, 'm1', [text('a'), call('s1')])];
    expect(brief(sent(lines, {}))[1]).toBe('assistant: a | server_tool_use');
    expect(brief(sent(lines))[1]).toBe('assistant: a');
  });
});

describe('names of tools that a search found', () => {
  const named = (...names: string[]) => names.map((name) => ({ type: 'tool_reference', tool_name: name }));
  const lines = (content: Json, ...rest: JsonObject[]) => [
    q,
    assistant(2, 1, 'm1', [use('t1', 'ToolSearch')]),
    user(3, 2, [result('t1', content)]),
    ...rest,
    assistant(9, rest.length > 0 ? 4 : 3, 'm2', 'a2'),
  ];
  const told = (content: Json, tools?: readonly string[], ...rest: JsonObject[]) =>
    sent(lines(content, ...rest), { prompt: 'new', tools })[2]?.content;

  test('only those that are there are sent, and the person’s side says so', () => {
    expect(told(named('WebFetch', 'Nope'), ['WebFetch'])).toEqual([
      result('t1', named('WebFetch')),
      text('Tool loaded.'),
    ]);
    expect(told(named('Nope'), ['WebFetch'])).toEqual([
      result('t1', [text('[Tool references removed - tools no longer available]')]),
    ]);
  });
  test('notes then stand beside the result', () => {
    expect(told(named('WebFetch'), ['WebFetch'], attachment(4, 3, 'note'))).toEqual([
      result('t1', named('WebFetch')),
      text('Tool loaded.'),
      text('note'),
    ]);
  });
  test('without knowing the tools none is named, but what was found is told', () => {
    expect(told([...named('WebFetch', 'Nope'), text('x')])).toEqual([
      result('t1', [text('x'), text('Tools found: WebFetch, Nope')]),
    ]);
  });
});
