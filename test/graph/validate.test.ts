/** validate() finds each of A1–A8, and in what the client sent exactly what the recorder's API refused. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, type JsonObject, parseJson } from '../../src/format/json.ts';
import { type AnyMessage, type ValidateOptions, validate } from '../../src/graph/validate.ts';
import { listedCases, type Message, resumeCases } from '../support/resume-cases.ts';

const text = (words: string): JsonObject => ({ type: 'text', text: words });
const use = (id: string, name = 'Bash'): JsonObject => ({ type: 'tool_use', id, name, input: {} });
const result = (id: string): JsonObject => ({ type: 'tool_result', tool_use_id: id, content: 'done' });
const thinking = (signature: string): JsonObject => ({ type: 'thinking', thinking: 'hm', signature });
const user = (...content: JsonObject[]): AnyMessage => ({ role: 'user', content });
const assistant = (...content: JsonObject[]): AnyMessage => ({ role: 'assistant', content });

const json = fc.json().map((written): Json => parseJson(written) ?? null);

const rules = (messages: readonly (AnyMessage | Json)[], options?: ValidateOptions) =>
  validate(messages, options).map(({ rule, where }) => `${rule} ${where}`);

const hello = user(text('hello'));

describe('validate', () => {
  test('a good conversation has no issues', () => {
    const messages = [hello, assistant(thinking('s'), use('a'), use('b')), user(result('b'), result('a'), text('and'))];
    expect(rules([...messages, assistant(text('done')), { role: 'user', content: 'next' }])).toEqual([]);
  });
  test('A1 a call without a result right after it', () => {
    expect(rules([hello, assistant(use('a'))])).toEqual(['A1 messages.1.content.0']);
    expect(rules([hello, assistant(use('a')), hello])).toEqual(['A1 messages.1.content.0']);
    expect(rules([hello, assistant(use('a')), user(text('first'), result('a'))])).toEqual(['A1 messages.1.content.0']);
    expect(rules([hello, assistant(use('a')), assistant(text('x')), user(result('a'))])).toEqual([
      'A1 messages.1.content.0',
      'A2 messages.3.content.0',
    ]);
  });
  test('A2 a result without its call, or twice', () => {
    expect(rules([user(result('a'))])).toEqual(['A2 messages.0.content.0']);
    expect(rules([hello, assistant(use('a')), user(result('a'), result('a'))])).toEqual(['A2 messages.2.content.1']);
  });
  test('A1 A2 what the API answers itself, in the same message', () => {
    const call = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
    expect(rules([hello, assistant(call, found, text('a')), hello])).toEqual([]);
    expect(rules([hello, assistant(call, text('a')), hello])).toEqual(['A1 messages.1.content.0']);
    expect(rules([hello, assistant(found, text('a')), hello])).toEqual(['A2 messages.1.content.0']);
    expect(rules([hello, assistant(text('a'), call)])).toEqual([]);
  });
  test('A4 of what failed only text, and some', () => {
    const failed = (content: Json) => ({ ...result('a'), content, is_error: true });
    const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
    for (const content of ['', [], [text('x'), image], [{ type: 'tool_reference', tool_name: 'Bash' }]]) {
      expect(rules([hello, assistant(use('a')), user(failed(content))])).toEqual(['A4 messages.2.content.0']);
    }
    expect(rules([hello, assistant(use('a')), user(failed([text('x')]))])).toEqual([]);
  });
  test('A4 a reference to a tool that is not in the request', () => {
    const found = { ...result('a'), content: [{ type: 'tool_reference', tool_name: 'Search' }] };
    const messages = [hello, assistant(use('a')), user(found)];
    expect(rules(messages, { tools: ['Bash'] })).toEqual(['A4 messages.2.content.0']);
    expect(rules(messages, { tools: ['Bash', 'Search'] })).toEqual([]);
    expect(rules(messages)).toEqual([]);
  });
  test('A3 a call id twice', () => {
    const messages = [hello, assistant(use('a')), user(result('a')), assistant(use('a')), user(result('a'))];
    expect(rules(messages)).toEqual(['A3 messages.3.content.0']);
  });
  test('A4 empty content and blank text', () => {
    expect(rules([hello, assistant(), user(text(' \n'))])).toEqual(['A4 messages.1', 'A4 messages.2.content.0']);
    expect(rules([{ role: 'user', content: '' }])).toEqual(['A4 messages.0.content.0']);
    expect(rules([hello, assistant()])).toEqual([]);
    const hollow = { ...result('a'), content: [text('')] };
    expect(rules([hello, assistant(use('a')), user(hollow)])).toEqual(['A4 messages.2.content.0']);
  });
  test.each([
    ['whitespace', [text(' ')]],
    ['an object', {}],
    ['a number', 5],
    ['null', null],
    ['an unknown block', [{ type: 'weird' }]],
    ['a call', [use('b')]],
    ['an image without a source', [{ type: 'image' }]],
    ['a block that is none', [null]],
  ] satisfies [string, Json][])('A4 a result of %s', (_, content) => {
    const answer = user({ ...result('a'), content });
    expect(rules([hello, assistant(use('a')), answer])).toEqual(['A4 messages.2.content.0']);
  });
  test('A4 malformed blocks and messages', () => {
    const failed = { ...result('a'), is_error: 'true' };
    expect(rules([hello, assistant(use('a')), user(failed)])).toEqual(['A4 messages.2.content.0']);
    expect(rules([{ role: 'user', content: [null, 'x', 7, {}, text('q')] }])).toEqual(
      [0, 1, 2, 3].map((i) => `A4 messages.0.content.${i}`),
    );
    expect(rules([user({ type: 'image' }, { type: 'weird' }, { type: 'text' })])).toEqual(
      [0, 1, 2].map((i) => `A4 messages.0.content.${i}`),
    );
    expect(rules([hello, assistant({ ...use('a'), input: 'x' }), user(result('a'))])).toEqual([
      'A4 messages.1.content.0',
    ]);
    expect(rules([hello, { role: 'user', content: null }])).toEqual(['A4 messages.1']);
    expect(rules([hello, null, 7, [], 'x'])).toEqual([1, 2, 3, 4].map((i) => `A4 messages.${i}`));
    expect(rules([hello, { role: 'nobody', content: 'x' }])).toEqual(['A4 messages.1']);
    expect(validate([{ role: 'user' }])[0]?.what).toBe('the content is neither text nor a list of blocks');
  });
  test('A: never throws, whatever the messages are', () => {
    const roles = fc.constantFrom<Json>('user', 'assistant', 'system', null);
    const blocks = fc.array(fc.oneof(json, fc.constantFrom<Json>(use('a'), result('a'), text('x'))));
    const message = fc.oneof(
      json,
      fc.tuple(roles, fc.oneof(json, blocks)).map(([role, content]): Json => ({ role, content })),
    );
    fc.assert(fc.property(fc.array(message), (messages) => validate(messages, { thinking: true }).length >= 0));
  });
  test('A5 thinking without a signature', () => {
    expect(rules([hello, assistant(thinking(''), text('x'))])).toEqual(['A5 messages.1.content.0']);
    expect(rules([hello, assistant({ type: 'redacted_thinking' }, text('x'))])).toEqual(['A5 messages.1.content.0']);
  });
  test('A6 thinking missing at the start of an open tool loop', () => {
    const open = [hello, assistant(use('a')), user(result('a')), assistant(thinking('s'), use('b')), user(result('b'))];
    expect(rules(open)).toEqual([]);
    expect(rules(open, { thinking: true })).toEqual(['A6 messages.1']);
    expect(rules([...open, assistant(text('done')), hello], { thinking: true })).toEqual([]);
  });
  test('A7 a tool name over 200 characters', () => {
    const long = assistant(use('a', 'x'.repeat(201)));
    expect(rules([hello, long, user(result('a'))])).toEqual(['A7 messages.1.content.0']);
  });
  test('A8 the first message is not a user message', () => {
    expect(rules([assistant(text('x')), hello])).toEqual(['A8 messages.0']);
    expect(rules([])).toEqual(['A8 messages.0']);
  });
});

describe('what the client sent', () => {
  // The recorder dropped a reminder from this message; the client did not send it empty.
  const emptied = (message: Message) => message.content.length === 0;
  const known = new Set(['think_nosig', 'drop_uuid', 'drop_parentUuid']);
  const cases = [...resumeCases(), ...listedCases('fuzz.jsonl'), ...listedCases('probes.jsonl')];
  test.each(cases.map((item) => [item.name, item] as const))('%s', (name, { expected = [], refused }) => {
    if (expected.length === 0 || expected.some(emptied)) return;
    expect(validate(expected).length > 0).toBe(refused || known.has(name));
  });
});
