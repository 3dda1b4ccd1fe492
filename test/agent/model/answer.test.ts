import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAnswerFold, UNPARSED_INPUT } from '../../../src/agent/model/answer.ts';
import { eventsIn } from '../../../src/agent/model/sse.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import { sseEvent } from '../../support/messages-api.ts';
import {
  type Answer,
  eventsOf,
  type Reply,
  redacted,
  says,
  text,
  thinking,
  toolUse,
  webSearch,
} from '../../support/scripted-model.ts';
import { blocksIn, hear, modelOf, ofKind, requestOf, serving } from './asking.ts';

const serve = serving();

async function heard(reply: Reply) {
  const server = await serve([reply]);
  return hear(modelOf(server).ask(requestOf()));
}

const EVERYTHING = [
  thinking('Let me see, "so" \u2028 to say', 'sig=='),
  redacted(),
  text('Wörter, 中文 und 🧵'),
  ...webSearch('skein', [{ url: 'https://example.org/', title: 'Yarn' }]),
  toolUse('Edit', { file_path: '/a', old_string: 'a\n"b"', new_string: '🧵', all: true }, 'toolu_1'),
  toolUse('TodoRead', {}, 'toolu_2'),
];

test('blocks of every kind come whole and in order', async () => {
  const { events, outcome } = await heard(says(EVERYTHING, { usage: { output_tokens: 77 } }));
  expect(blocksIn(events)).toEqual(EVERYTHING);
  expect(ofKind(events, 'block').map(({ index }) => index)).toEqual(EVERYTHING.map((_, i) => i));
  expect(outcome).toMatchObject({ kind: 'answer', stopReason: 'tool_use', stopSequence: null });
});

test('deltas tell words, thoughts and inputs as they come; together they are the block', async () => {
  const { events } = await heard(says(EVERYTHING, { piece: 2 }));
  const joined = (index: number) =>
    ofKind(events, 'delta')
      .filter((delta) => delta.index === index)
      .reduce((all, { text: part }) => all + part, '');
  expect(joined(0)).toBe(EVERYTHING[0]?.thinking);
  expect(joined(2)).toBe(EVERYTHING[2]?.text);
  expect(JSON.parse(joined(5))).toEqual(EVERYTHING[5]?.input);
  expect(new Set(ofKind(events, 'delta').map(({ index, what }) => `${index} ${what}`))).toEqual(
    new Set(['0 thinking', '2 text', '3 input', '5 input', '6 input']),
  );
});

test('the start names message, model and request; usage of start and end is one', async () => {
  const { events, outcome } = await heard(
    says('Hi', {
      id: 'msg_1',
      headers: { 'request-id': 'req_1' },
      stopReason: 'stop_sequence',
      stopSequence: 'END',
      usage: { input_tokens: 3, cache_read_input_tokens: 9, service_tier: 'standard', output_tokens: 12 },
    }),
  );
  expect(ofKind(events, 'start')).toEqual([
    {
      kind: 'start',
      id: 'msg_1',
      model: 'claude-sonnet-4-5-20250929',
      requestId: 'req_1',
      usage: { input_tokens: 3, cache_read_input_tokens: 9, service_tier: 'standard', output_tokens: 1 },
    },
  ]);
  expect(outcome).toEqual({
    kind: 'answer',
    stopReason: 'stop_sequence',
    stopSequence: 'END',
    usage: { input_tokens: 3, cache_read_input_tokens: 9, service_tier: 'standard', output_tokens: 12 },
  });
});

test('a null at the end does not undo what the start counted', () => {
  const fold = createAnswerFold();
  fold.take({ type: 'message_start', message: { usage: { input_tokens: 5, cache_creation: { a: 1 } } } });
  fold.take({ type: 'message_delta', delta: {}, usage: { input_tokens: null, output_tokens: 2, speed: null } });
  expect(fold.end().usage).toEqual({ input_tokens: 5, cache_creation: { a: 1 }, output_tokens: 2, speed: null });
});

test('what else the end tells is kept', () => {
  const fold = createAnswerFold();
  fold.take({
    type: 'message_delta',
    delta: { stop_reason: 'refusal', stop_details: { category: 'x' } },
    usage: {},
    context_management: { applied_edits: [] },
  });
  const more = { stop_details: { category: 'x' }, context_management: { applied_edits: [] } };
  expect(fold.end()).toMatchObject({ stopReason: 'refusal', more });
});

test.each(['{"command": "ls', '[1]', 'null', '{"a":1}}'])(
  'an input that is no object is kept as it came: %s',
  async (raw) => {
    const { events, outcome } = await heard(
      says([{ ...toolUse('Bash', {}, 't'), input: raw }], { stopReason: 'max_tokens' }),
    );
    expect(blocksIn(events)).toEqual([{ type: 'tool_use', id: 't', name: 'Bash', input: { [UNPARSED_INPUT]: raw } }]);
    expect(outcome).toMatchObject({ kind: 'answer', stopReason: 'max_tokens' });
  },
);

test('unknown events, blocks and deltas are data', async () => {
  const news = { type: 'weather', degrees: 3 };
  const strange = { type: 'mood', tone: 'fine', list: [1] };
  const { events, outcome } = await heard(says([strange, text('Hi')], { extra: [news] }));
  expect(ofKind(events, 'raw').map(({ event }) => event)).toContainEqual(news);
  expect(blocksIn(events)).toEqual([strange, text('Hi')]);
  expect(outcome.kind).toBe('answer');
  const fold = createAnswerFold();
  fold.take({ type: 'content_block_start', index: 0, content_block: strange });
  const change = { type: 'mood_delta', tone: ' enough', list: [2], new: true };
  expect(fold.take({ type: 'content_block_delta', index: 0, delta: change })).toHaveLength(1);
  expect(fold.take({ type: 'content_block_stop', index: 0 })[1]).toMatchObject({
    block: { type: 'mood', tone: 'fine enough', list: [1, 2], new: true },
  });
});

test('citations are gathered', () => {
  const fold = createAnswerFold();
  fold.take({
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'text', text: 'x', citations: [{ n: 1 }] },
  });
  fold.take({ type: 'content_block_delta', index: 0, delta: { type: 'citations_delta', citation: { n: 2 } } });
  expect(fold.take({ type: 'content_block_stop', index: 0 })[1]).toMatchObject({
    block: { citations: [{ n: 1 }, { n: 2 }] },
  });
});

test('raw events are those of the API, without pings', async () => {
  const answer = says(EVERYTHING);
  const { events } = await heard(answer);
  const types = eventsOf(answer, {}).flatMap(({ type }) => (type === 'ping' ? [] : [type]));
  expect(ofKind(events, 'raw').map(({ event }) => event.type)).toEqual(types);
});

test('however a stream is cut into chunks and its lines end, the events are the same', async () => {
  const answer: Answer = { ...says(EVERYTHING, { piece: 3 }), extra: [{ type: 'weather' }] };
  const lines = eventsOf(answer, { id: 'msg_1' }).map(sseEvent).join('');
  const whole = await allOf([Buffer.from(lines)]);
  expect(whole).toHaveLength(eventsOf(answer, {}).length - 1);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: lines.length + 40 }), { maxLength: 60 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      async (cuts, end) => {
        const bytes = Buffer.from(lines.replaceAll('\n', end));
        const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((to, i) => bytes.subarray(places[i], to));
        expect(await allOf(chunks)).toEqual(whole);
      },
    ),
  );
});

test('one byte at a time over the wire', async () => {
  const { events, outcome } = await heard(says(EVERYTHING, { chunk: 1 }));
  expect(blocksIn(events)).toEqual(EVERYTHING);
  expect(outcome.kind).toBe('answer');
});

async function allOf(chunks: readonly Uint8Array[]): Promise<(JsonObject | undefined)[]> {
  async function* body() {
    yield* chunks;
  }
  const events: (JsonObject | undefined)[] = [];
  for await (const event of eventsIn(body())) events.push(event);
  return events;
}
