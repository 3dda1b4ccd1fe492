import { expect, test } from 'vitest';
import { encodeBody } from '../../../src/agent/model/encode.ts';
import { type Asked, askedOf, bodyOf, countBodyOf } from '../../../src/agent/model/request.ts';
import { asArray, asObject, isObject, type JsonObject } from '../../../src/format/json.ts';
import type { ApiMessage } from '../../../src/graph/context/types.ts';
import { expectGolden } from '../../support/golden.ts';
import { requestRefused } from '../../support/messages-api.ts';
import { text, thinking, toolUse } from '../../support/scripted-model.ts';

const READ = { name: 'Read', description: 'Reads.', input_schema: { type: 'object', properties: {} } };
const SEARCH = { type: 'web_search_20250305', name: 'web_search', max_uses: 5 };
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };

const LOOP: Asked = {
  model: 'sonnet',
  system: ['You are a coding agent.', '', 'The folder is /work.'],
  tools: [READ, SEARCH],
  maxTokens: 32_000,
  messages: [
    { role: 'user', content: [text('Look at the picture'), IMAGE] },
    { role: 'assistant', content: [thinking('Read it'), toolUse('Read', { file_path: '/a' }, 'toolu_1')] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'one' }] },
    { role: 'assistant', content: [toolUse('Read', { file_path: '/b' }, 'toolu_2')] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_2', content: 'two' }] },
  ],
};

function golden(name: string, body: JsonObject): void {
  expectGolden(`agent/request-${name}.json`, `${JSON.stringify(body, null, 2)}\n`);
}

test.each([
  ['plain', { ...LOOP, system: [], tools: [], messages: LOOP.messages.slice(0, 1) }],
  ['loop', LOOP],
  ['thinking-adaptive', { ...LOOP, thinking: 10_000 }],
  ['thinking-budget', { ...LOOP, model: 'claude-sonnet-4-5-20250929', thinking: 10_000 }],
] satisfies [string, Asked][])('the body of a request: %s', (name, asked) => {
  const body = bodyOf(asked);
  golden(name, body);
  expect(requestRefused(body)).toBeUndefined();
});

test('the body of a count has neither an output limit nor marks', () => golden('count', countBodyOf(LOOP)));

test('a mark stands on the last system text, the last tool and the last two messages of the user, four in all', () => {
  const marks = markedIn(bodyOf(LOOP));
  expect(marks).toEqual(['The folder is /work.', 'web_search', 'toolu_1', 'toolu_2']);
});

test('no mark on thinking or empty text; those of others are taken off; the messages themselves are left alone', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  const messages: Asked['messages'] = [1, 2, 3, 4, 5].flatMap((i) => [
    { role: 'user', content: [{ ...text(`question ${i}`), ...mark }, text('')] },
    { role: 'assistant', content: [{ ...text(`answer ${i}`), ...mark }] },
  ]);
  const before = JSON.stringify(messages);
  expect(markedIn(bodyOf({ ...LOOP, system: [], tools: [], messages }))).toEqual(['question 4', 'question 5']);
  expect(JSON.stringify(messages)).toBe(before);
  expect(markedIn(bodyOf({ ...LOOP, messages }, { caching: false }))).toEqual([]);
});

test.each([
  [500, 4096, { budget_tokens: 1024, max_tokens: 4096 }],
  [10_000, 4096, { budget_tokens: 10_000, max_tokens: 11_024 }],
  [31_999, 32_000, { budget_tokens: 31_999, max_tokens: 33_023 }],
  [500_000, 8000, { budget_tokens: 62_976, max_tokens: 64_000 }],
])('a budget of %i with %i tokens of output always leaves room for an answer', (budget, maxTokens, expected) => {
  const body = bodyOf({ ...LOOP, model: 'claude-sonnet-4-5-20250929', thinking: budget, maxTokens });
  expect({ budget_tokens: asObject(body.thinking)?.budget_tokens, max_tokens: body.max_tokens }).toEqual(expected);
  expect(requestRefused(body)).toBeUndefined();
});

test.each([
  'opus',
  'sonnet',
  'haiku',
  'fable',
  'claude-opus-4-7',
  'claude-opus-4-5-20251101',
  'claude-opus-4-20250514',
])('every model is asked to think in the way it takes: %s', (model) => {
  const messages = LOOP.messages.slice(0, 1);
  expect(requestRefused(bodyOf({ ...LOOP, model, messages, thinking: 2000 }))).toBeUndefined();
});

test('R15, A6: for another model thinking goes, and is not asked for while a tool loop is open', () => {
  const open = askedOf({ ...LOOP, thinking: 5000 }, 'claude-haiku-4-5');
  expect(open.thinking).toBeUndefined();
  expect(JSON.stringify(open.messages)).not.toContain('"thinking"');
  expect(requestRefused(bodyOf(open))).toBeUndefined();
  expect(open.maxTokens).toBe(32_000);
  expect(askedOf({ ...LOOP, maxTokens: 128_000 }, 'claude-haiku-4-5').maxTokens).toBe(64_000);
  const closed = askedOf({ ...LOOP, messages: LOOP.messages.slice(0, 1), thinking: 5000 }, 'claude-haiku-4-5');
  expect(requestRefused(bodyOf(closed))).toBeUndefined();
  expect(bodyOf(closed).thinking).toEqual({ type: 'enabled', budget_tokens: 5000 });
});

function markedIn(body: JsonObject): unknown[] {
  const said = (asArray(body.messages) ?? []).flatMap((message) => asArray(asObject(message)?.content) ?? []);
  const blocks = [...(asArray(body.system) ?? []), ...(asArray(body.tools) ?? []), ...said].filter(isObject);
  return blocks
    .filter((block) => block.cache_control !== undefined)
    .map((block) => block.text ?? block.name ?? block.tool_use_id);
}

test('encoded, a body is the same JSON, and messages that were sent before are not written anew', () => {
  const body = bodyOf(LOOP);
  expect(JSON.parse(encodeBody(body).toString('utf8'))).toEqual(JSON.parse(JSON.stringify(body)));
  const counted = { written: 0 };
  const message: ApiMessage = {
    role: 'assistant',
    get content() {
      counted.written += 1;
      return [{ type: 'text', text: 'so' }];
    },
  };
  for (let i = 0; i < 3; i += 1) encodeBody({ messages: [message] });
  expect(counted.written).toBe(1);
  expect(encodeBody({ messages: [] }).toString('utf8')).toBe('{"messages":[]}');
});

test('half a character, which the API would refuse for ever, is sent as a mark; what only looks like one stays', () => {
  const said = 'a\ud800b \udc00 \u{1f600} \\ud800 \\\\ud83d';
  const message: ApiMessage = { role: 'user', content: [text(said)] };
  const body = encodeBody({ ...bodyOf(LOOP), messages: [message], system: said });
  const sent = asObject(JSON.parse(body.toString()));
  expect(body.toString().isWellFormed()).toBe(true);
  expect(sent?.system).toBe(said.toWellFormed());
  expect(sent?.messages).toEqual([{ role: 'user', content: [text(said.toWellFormed())] }]);
});
