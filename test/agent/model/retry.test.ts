import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createModel, type ModelOptions } from '../../../src/agent/model/anthropic.ts';
import type { ModelRequest } from '../../../src/agent/ports.ts';
import {
  fails,
  neverAnswers,
  type Reply,
  resets,
  says,
  text,
  thinking,
  tooLong,
} from '../../support/scripted-model.ts';
import { blocksIn, fakeClock, hear, MODEL, modelOf, ofKind, requestOf, serving } from './asking.ts';

const serve = serving();

async function heard(replies: readonly Reply[], options: Partial<ModelOptions> = {}, request?: Partial<ModelRequest>) {
  const server = await serve(replies);
  const clock = fakeClock();
  const told = await hear(modelOf(server, { clock, ...options }).ask(requestOf(request)));
  return { ...told, slept: clock.slept, requests: server.requests };
}

test('a server that repeats the key: nobody is told it', async () => {
  const env = { ANTHROPIC_API_KEY: 'sk-ant-secret', ANTHROPIC_AUTH_TOKEN: 'tok-secret-tok' };
  const server = await serve([
    fails(529, { message: 'not for sk-ant-secret' }),
    fails(401, { text: '<b>bad: sk-ant-secret, Bearer tok-secret-tok</b>' }),
  ]);
  const model = createModel({ env: { ...env, ANTHROPIC_BASE_URL: server.url }, clock: fakeClock() });
  const { events, outcome } = await hear(model.ask(requestOf()));
  expect(JSON.stringify(ofKind(events, 'retry'))).toContain('not for (the key)');
  expect(outcome).toMatchObject({ kind: 'failed', failure: { message: 'bad: (the key), Bearer (the key)' } });
});

describe('asks again', () => {
  test.each([408, 409, 429, 500, 502, 503, 504, 529])('after %i', async (status) => {
    const { events, outcome, slept } = await heard([fails(status), fails(status), says('Hi')]);
    expect(outcome.kind).toBe('answer');
    expect(slept).toEqual([500, 1000]);
    expect(ofKind(events, 'retry')).toMatchObject([
      { failure: { status, message: `scripted ${status}` }, attempt: 1, maxRetries: 10, delayMs: 500 },
      { failure: { status }, attempt: 2, maxRetries: 10, delayMs: 1000 },
    ]);
  });

  test.each([
    ['a reset before the answer', resets(), 'no answer from 127.0.0.1'],
    ['a reset after the start', says('Hi', { cut: { at: 'start', how: 'reset' } }), 'broke off'],
    ['a reset inside a block', says('Hello', { cut: { at: { inside: 0 }, how: 'reset' } }), 'broke off'],
    ['an end before the start', says('Hi', { cut: { at: 0, how: 'close' } }), 'before it was complete'],
    ['an end inside a block', says('Hello', { cut: { at: { inside: 0 }, how: 'close' } }), 'before it was complete'],
    ['an end before the stop reason', says('Hi', { cut: { at: 'end', how: 'close' } }), 'before it was complete'],
    ['garbage', says('Hi', { cut: { at: 'start', how: { garbage: 'event: x\ndata: {nothing\n\n' } } }), 'no event'],
    ['bytes that are no events', says('Hi', { cut: { at: 'start', how: { garbage: '\0\r\xff<html>' } } }), 'complete'],
  ])('after %s', async (_, reply, words) => {
    const { events, outcome } = await heard([reply, says('whole')]);
    const [retry, ...others] = ofKind(events, 'retry');
    expect(others).toEqual([]);
    expect(retry?.failure).toMatchObject({ type: 'connection_error', message: expect.stringContaining(words) });
    expect(outcome.kind).toBe('answer');
    const after = events.slice(events.findIndex(({ kind }) => kind === 'retry'));
    expect(blocksIn(after)).toEqual([text('whole')]);
  });

  test('after an error inside the stream that passes', async () => {
    const reply = says([text('a'), text('b')], { cut: { at: { after: 0 }, how: { error: 'overloaded_error' } } });
    const { events, outcome } = await heard([{ ...reply, headers: { 'request-id': 'req_9' } }, says('whole')]);
    expect(ofKind(events, 'retry')[0]?.failure).toEqual({
      type: 'overloaded_error',
      message: 'scripted error',
      requestId: 'req_9',
    });
    expect(outcome.kind).toBe('answer');
  });

  test('where nobody listens, and says whom it asked', async () => {
    const closed = await serve([]);
    await closed.close();
    const { events, outcome } = await hear(modelOf(closed, { maxRetries: 2 }).ask(requestOf()));
    expect(ofKind(events, 'retry')).toHaveLength(2);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { type: 'connection_error' } });
    expect(JSON.stringify(outcome)).toMatch(/127\.0\.0\.1:\d+.*ECONNREFUSED/);
  });

  test.each<[string, Reply, Partial<ModelOptions>, string]>([
    ['before an answer', neverAnswers(), { env: { API_TIMEOUT_MS: '200' } }, 'no answer within 200 ms'],
    [
      'within one',
      says('Hello', { cut: { at: { inside: 0 }, how: 'silence' } }),
      { env: { CLAUDE_STREAM_IDLE_TIMEOUT_MS: '200' } },
      'the answer stopped: nothing came within 200 ms',
    ],
    [
      'that is not silent but endless',
      says('Hello', { delayMs: 100 }),
      { timeoutMs: 300 },
      'did not end within 300 ms',
    ],
  ])('after silence %s', async (_, reply, options, words) => {
    const server = await serve((_request, index) => (index === 0 ? reply : says('whole')));
    const { events, outcome } = await hear(modelOf(server, options).ask(requestOf()));
    expect(ofKind(events, 'retry')[0]?.failure.message).toContain(words);
    expect(outcome.kind).toBe('answer');
    expect(await server.requests[0]?.ended).toBe(true);
  });
});

describe('does not ask again', () => {
  test.each([400, 401, 403, 404, 413])('after %i', async (status) => {
    const { events, outcome, requests } = await heard([fails(status), says('never')]);
    expect(requests).toHaveLength(1);
    expect(events).toEqual([]);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { status, message: `scripted ${status}` } });
    expect(outcome).toHaveProperty('failure.requestId');
    expect(outcome).not.toHaveProperty('failure.tooLong');
  });

  test('after an error inside the stream that stays', async () => {
    const reply = says('Hi', { cut: { at: 'start', how: { error: 'invalid_request_error', message: 'no' } } });
    const { outcome } = await heard([reply]);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { type: 'invalid_request_error', message: 'no' } });
  });

  test('when the prompt is too long, and says that it is', async () => {
    const { outcome } = await heard([tooLong()]);
    expect(outcome).toMatchObject({ kind: 'failed', failure: { status: 400, tooLong: true } });
  });

  test.each([
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length',
    "This request exceeds the model's maximum context length",
  ])('nor when it is said in other words: %s', async (message) => {
    expect((await heard([fails(400, { message })])).outcome).toHaveProperty('failure.tooLong', true);
  });

  test('when the server says that it should not', async () => {
    const { requests } = await heard([fails(500, { headers: { 'x-should-retry': 'false' } })]);
    expect(requests).toHaveLength(1);
  });

  test('when what answers is not the API', async () => {
    const page = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Please log in</h1>');
    });
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    const { port } = page.address() as AddressInfo;
    const env = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: 'k' };
    const { outcome } = await hear(modelOf({ env }).ask(requestOf()));
    expect(outcome).toMatchObject({
      failure: { type: 'invalid_response', message: expect.stringContaining('ANTHROPIC_BASE_URL') },
    });
    page.close();
  });

  test('more often than it may', async () => {
    const always = Array.from({ length: 12 }, () => fails(500));
    expect((await heard(always)).requests).toHaveLength(11);
    const few = await heard(always, { env: { CLAUDE_CODE_MAX_RETRIES: '2' } });
    expect(few.requests).toHaveLength(3);
    expect(few.outcome).toMatchObject({ kind: 'failed', failure: { status: 500, type: 'api_error' } });
    expect((await heard(always, { maxRetries: 0 })).requests).toHaveLength(1);
  });
});

describe('waits', () => {
  test('twice as long each time, up to half a minute', async () => {
    const { slept } = await heard([...Array.from({ length: 9 }, () => fails(503)), says('Hi')]);
    expect(slept).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000]);
  });

  test('as long as the server asks for, in seconds, milliseconds or until a date, but not for hours', async () => {
    const date = new Date(Date.parse('2026-11-15T12:00:00Z') + 7000 + 3000 + 60_000 + 9000).toUTCString();
    const { slept } = await heard([
      fails(429, { retryAfter: 7 }),
      fails(429, { headers: { 'retry-after-ms': '3000' } }),
      fails(429, { retryAfter: 86_400 }),
      fails(429, { retryAfter: date }),
      fails(429, { retryAfter: 'soon' }),
      says('Hi'),
    ]);
    expect(slept).toEqual([7000, 3000, 60_000, 9000, 8000]);
  });

  test('a little longer by chance', async () => {
    const clock = { ...fakeClock(), random: () => 0.8 };
    const { events } = await heard([fails(500), says('Hi')], { clock });
    expect(ofKind(events, 'retry')[0]?.delayMs).toBe(600);
  });
});

describe('falls back', () => {
  const overloaded = [fails(529), fails(529), fails(529)];
  const fallback = { fallbackModel: 'haiku' };

  test('to the other model after three refusals in a row, at once', async () => {
    const { events, outcome, requests, slept } = await heard([...overloaded, says('Hi')], fallback);
    expect(ofKind(events, 'fallback')).toEqual([{ kind: 'fallback', from: MODEL, to: 'claude-haiku-5-5' }]);
    expect(slept).toEqual([500, 1000, 0]);
    expect(events.map(({ kind }) => kind).slice(0, 4)).toEqual(['retry', 'retry', 'retry', 'fallback']);
    expect(requests.map(({ body }) => body.model)).toEqual([MODEL, MODEL, MODEL, 'claude-haiku-5-5']);
    expect(outcome.kind).toBe('answer');
  });

  test('not for other errors, not without another model, not from the model itself', async () => {
    const mixed = [fails(529), fails(529), fails(500), fails(529), fails(529), says('Hi')];
    expect(ofKind((await heard(mixed, fallback)).events, 'fallback')).toEqual([]);
    expect(ofKind((await heard([...overloaded, says('Hi')])).events, 'fallback')).toEqual([]);
    const own = await heard([...overloaded, says('Hi')], { fallbackModel: MODEL });
    expect(ofKind(own.events, 'fallback')).toEqual([]);
    expect(own.outcome.kind).toBe('answer');
  });

  test('also when it may not ask so often', async () => {
    const { requests } = await heard([fails(529), says('Hi')], { ...fallback, maxRetries: 0 });
    expect(requests.map(({ body }) => body.model)).toEqual([MODEL, 'claude-haiku-5-5']);
  });

  test('and the next questions go to the other model at once, for a while', async () => {
    const server = await serve([...overloaded, says('1'), says('2'), says('3')]);
    const clock = fakeClock();
    const model = modelOf(server, { ...fallback, clock });
    await hear(model.ask(requestOf()));
    expect(ofKind((await hear(model.ask(requestOf()))).events, 'fallback')).toHaveLength(1);
    await clock.sleep(600_000, new AbortController().signal);
    expect(ofKind((await hear(model.ask(requestOf()))).events, 'fallback')).toHaveLength(0);
    expect(server.requests.slice(3).map(({ body }) => body.model)).toEqual([
      'claude-haiku-5-5',
      'claude-haiku-5-5',
      MODEL,
    ]);
  });

  test('R15: without the thinking of the first', async () => {
    const messages: ModelRequest['messages'] = [
      { role: 'user', content: [text('a')] },
      { role: 'assistant', content: [thinking('hm'), text('b')] },
      { role: 'user', content: [text('c')] },
    ];
    const { requests } = await heard([...overloaded, says('Hi')], fallback, { messages });
    expect(requests[2]?.messages[1]?.content).toHaveLength(2);
    expect(requests[3]?.messages[1]?.content).toEqual([text('b')]);
  });
});

test('an answer whose end was told is whole, even if the connection then breaks or stays open', async () => {
  const all = 9;
  const cut = await heard([says('Hello', { cut: { at: all - 1, how: 'close' } })]);
  expect(cut.outcome).toMatchObject({ kind: 'answer', stopReason: 'end_turn' });
  const reset = await heard([says('Hello', { cut: { at: all, how: 'reset' } })]);
  expect(reset.outcome).toMatchObject({ kind: 'answer' });
  const open = await heard([says('Hello', { cut: { at: all, how: 'silence' } })]);
  expect(open.outcome).toMatchObject({ kind: 'answer' });
});
