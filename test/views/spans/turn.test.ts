import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/format/json.ts';
import type { Span, SpanOptions } from '../../../src/views/spans/index.ts';
import { isMore, spansOfTurn, spanTree, tracesOfChat, tracesOfTurns } from '../../../src/views/spans/index.ts';
import {
  assistant,
  chain,
  image,
  queueOperation,
  result,
  synthetic,
  system,
  text,
  thinking,
  timeOf,
  toolUse,
  user,
} from '../../support/build.ts';
import { onlyChat, recorded, sessionOf } from '../../support/sessions.ts';
import { LATER, OPTIONS, outline, sha256, turnsIn } from '../../support/spans.ts';

const SONNET = 'claude-sonnet-4-5-20250929';

function spansIn(lines: readonly JsonObject[], options: Partial<SpanOptions> = {}): Span[] {
  return tracesOfTurns(turnsIn(chain(lines)), { ...OPTIONS, ...options }).flatMap((trace) => trace.spans());
}

function only(spans: readonly Span[], kind: Span['kind']): Span {
  const [first, ...others] = spans.filter((span) => span.kind === kind);
  if (first === undefined || others.length > 0) throw new Error(`${others.length + 1} of ${kind}`);
  return first;
}

/** Seconds after the start that `chain` gives. */
const at = (ms: number) => (ms - Date.parse(timeOf(0))) / 1000;
const times = (span: Span) => [at(span.startMs), at(span.endMs)];

const CALLS = [
  user('go'),
  assistant(toolUse('t1', 'Read', { file_path: '/a' }), { id: 'm1', stop: 'tool_use' }),
  assistant(toolUse('t2', 'Bash', { command: 'ls' }), { id: 'm1', stop: 'tool_use' }),
  result('t2', 'b'),
  result('t1', 'a'),
  assistant('done', { id: 'm2' }),
];

describe('T5: a turn', () => {
  test('is a trace: the agent, a generation for each message, a tool for each call', () => {
    expect(outline(spansIn(CALLS))).toEqual([
      'agent Turn 1',
      '  generation claude-test',
      '  generation claude-test',
      '    tool Read',
      '    tool Bash',
    ]);
  });

  test('parallel tools overlap', () => {
    const [read, bash] = spansIn(CALLS).filter(({ kind }) => kind === 'tool');
    expect(read && times(read)).toEqual([1, 4]);
    expect(bash && times(bash)).toEqual([2, 3]);
  });

  test('only the first generation carries the prompt; the agent carries prompt and last answer', () => {
    const spans = spansIn(CALLS);
    const [root, first, second] = spans;
    expect(root?.facts.input).toMatchObject({ role: 'user', text: 'go' });
    expect(root?.facts.output).toMatchObject({ role: 'assistant', text: 'done' });
    expect(first?.facts.input).toMatchObject({ text: 'go' });
    expect(second?.facts.input).toBeNull();
  });

  test('metadata: number, session, prompt, project, git branch, version, mode, round, state, tags', () => {
    const prompt = user('go', { cwd: '/work/app', gitBranch: 'main', permissionMode: 'plan' });
    const [root] = spansIn([prompt, assistant('ok', { id: 'm1' })], { tags: ['team'], user: 'ann', chatId: 'chat' });
    expect(root?.facts.trace).toEqual({
      name: 'Turn 1',
      turn: 1,
      sessionId: 'session-1',
      chatId: 'chat',
      promptId: 'u1',
      kind: 'text',
      round: 'new_session',
      state: 'complete',
      project: '/work/app',
      gitBranch: 'main',
      clientVersion: '2.1.325',
      permissionMode: 'plan',
      tags: ['team'],
      user: 'ann',
      environment: null,
    });
  });

  test('numbers go on where only the end of a file was read', () => {
    const [root] = spansIn([user('go'), assistant('ok', { id: 'm1' })], { turnsBefore: 41 });
    expect(root?.name).toBe('Turn 42');
  });

  test('a command that the model does not answer has what it printed', () => {
    const lines = [
      user('<bash-input>ls</bash-input>'),
      user('<bash-stdout>a.txt</bash-stdout><bash-stderr></bash-stderr>'),
    ];
    const root = only(spansIn(lines), 'agent');
    expect([root.facts.input, root.facts.output]).toMatchObject([{ text: '!ls' }, { text: 'a.txt' }]);
  });
});

describe('T6: what is sent', () => {
  test('an open turn is not', () => {
    const [trace] = tracesOfTurns(turnsIn(chain(CALLS.slice(0, 4))), OPTIONS);
    expect(trace?.status).toBe('open');
    expect(trace?.spans()).toEqual([]);
  });

  test('an interrupted one is, and is marked', () => {
    const spans = spansIn([...CALLS.slice(0, 3), user([text('[Request interrupted by user]')])]);
    expect(spans[0]).toMatchObject({ level: 'warning', statusMessage: 'interrupted' });
    const calls = spans.filter(({ kind }) => kind === 'tool');
    expect(calls.map(({ level, statusMessage, facts }) => [level, statusMessage, facts.output])).toEqual([
      ['warning', 'interrupted', null],
      ['warning', 'interrupted', null],
    ]);
    // They ran until the turn was over.
    expect(calls.map(times)).toEqual([
      [1, 3],
      [2, 3],
    ]);
  });

  test('a branch that a rewind left is over', () => {
    const left = [
      user('first'),
      assistant('ok', { id: 'm1' }),
      user('left'),
      assistant(toolUse('t1'), { id: 'm2', stop: 'tool_use' }),
    ];
    const lines = chain([...left, user('again', { parentUuid: 'u2' }), assistant('sure', { id: 'm3' })]);
    const traces = tracesOfChat(onlyChat([sessionOf('s1', lines)]), OPTIONS);
    expect(traces.map(({ status, spans }) => [status, spans()[0]?.facts.trace.state])).toEqual([
      ['ready', 'complete'],
      ['ready', 'complete'],
      ['ready', 'interrupted'],
    ]);
  });

  test('a background agent that is still at work is not, until it is over or quiet', () => {
    const [session] = recorded('2.1.325', 'd-agent');
    const [agent] = session?.agents.filter(({ entries }) => entries.length > 4) ?? [];
    if (session === undefined || agent === undefined) throw new Error('no agent');
    const launched = session.entries.findIndex(({ head }) => head.message?.stopReason === 'end_turn');
    const entries = session.entries.slice(0, launched + 1);
    const traceOf = (lines: number, now?: number) => {
      const agents = [{ ...agent, entries: agent.entries.slice(0, lines) }];
      return tracesOfChat(onlyChat([{ ...session, entries, agents }]), { hash: sha256, now })[0];
    };
    const [before, after] = [traceOf(2), traceOf(99)];
    const kinds = [before, after, traceOf(2, LATER)].map((trace) => outline(trace?.spans() ?? []));
    expect(kinds.map((lines) => lines.filter((line) => /^ +agent/.test(line)).length)).toEqual([0, 1, 1]);
    expect(isMore(after?.mark() ?? '', before?.mark() ?? '')).toBe(true);
  });
});

describe('T7: times', () => {
  test('a turn without any is told, not sent', () => {
    const lines = chain([user('go'), assistant('ok', { id: 'm1' })]).map(
      (line): JsonObject => ({ ...line, timestamp: undefined }),
    );
    const [trace] = tracesOfTurns(turnsIn(lines), OPTIONS);
    expect([trace?.status, trace?.spans()]).toEqual(['undated', []]);
  });

  test('a missing one is that of the line before, at the beginning the first there is', () => {
    const lines = chain(CALLS).map(
      (line, place): JsonObject => (place === 3 ? line : { ...line, timestamp: undefined }),
    );
    expect(spansIn(lines).map(times)).toEqual([
      [3, 3],
      [3, 3],
      [3, 3],
      [3, 3],
      [3, 3],
    ]);
  });

  test('times that no server takes are none', () => {
    const lines = CALLS.map(
      (line, place): JsonObject => (place === 0 ? { ...line, timestamp: '-000044-01-01T00:00:00Z' } : line),
    );
    expect(spansIn(lines)[0]?.startMs).toBe(Date.parse(timeOf(1)));
  });

  test('a generation starts with its request where that is recorded (E14)', () => {
    const request = { type: 'api-request', id: 'r1', timestamp: timeOf(0.5) };
    const spans = spansIn([user('go'), request, assistant('ok', { id: 'm1' }, { requestRef: 'r1' })]);
    expect(times(only(spans, 'generation'))).toEqual([0.5, 2]);
  });

  test('a clock that goes backwards makes nothing end before it starts', () => {
    const lines = CALLS.map((line, place): JsonObject => ({ ...line, timestamp: timeOf(100 - place) }));
    for (const { startMs, endMs } of spansIn(lines)) expect(startMs).toBeLessThanOrEqual(endMs);
  });
});

describe('T3: ids', () => {
  test('are those of the original in a fork that renames everything', () => {
    const original = chain(CALLS);
    const copy = original.map(
      (line): JsonObject => ({
        ...line,
        uuid: `copy-${String(line.uuid)}`,
        sessionId: 'session-2',
        forkedFrom: { sessionId: 'session-1', messageUuid: line.uuid },
      }),
    );
    const ids = (spans: Span[]) => spans.map(({ traceId, spanId, startMs }) => `${traceId} ${spanId} ${startMs}`);
    const spansFrom = (lines: JsonObject[]) => turnsIn(lines).flatMap((turn) => spansOfTurn(turn, OPTIONS));
    expect(ids(spansFrom(copy))).toEqual(ids(spansFrom(original)));
  });

  test('of prompts without uuid differ by session and place (E15)', () => {
    const lines = ['yes', 'yes'].flatMap((words, place): JsonObject[] => [
      { type: 'user', content: words, timestamp: timeOf(place) },
      { message: { role: 'assistant', id: 'm1', content: 'ok', stop_reason: 'end_turn' }, timestamp: timeOf(place) },
    ]);
    const ids = (sessionId: string) =>
      tracesOfTurns(turnsIn(lines), { ...OPTIONS, sessionId }).map(({ traceId }) => traceId);
    expect(new Set([...ids('a'), ...ids('b')]).size).toBe(4);
    expect(ids('a')).toEqual(ids('a'));
  });

  test('of a prompt that only the queue knows stay the same (E9)', () => {
    const queued = [
      ...CALLS.slice(0, 4),
      queueOperation('enqueue', 'more'),
      result('t1', 'a'),
      queueOperation('dequeue'),
    ];
    const lines = [...queued, assistant('done', { id: 'm2' })];
    expect(spansIn(lines).map(({ spanId }) => spanId)).toEqual(
      spansIn([...lines, user('next')]).map(({ spanId }) => spanId),
    );
  });
});

describe('levels and events', () => {
  test('a failed call is an error, a denied one a warning, each with what was said', () => {
    const spans = spansIn([
      ...CALLS.slice(0, 3),
      result('t1', '<tool_use_error>File does not exist.</tool_use_error>', { isError: true }),
      result('t2', "The user doesn't want to proceed with this tool use.", { isError: true }),
      assistant('done', { id: 'm2' }),
    ]);
    const calls = spans.filter(({ kind }) => kind === 'tool');
    expect(calls.map(({ level, statusMessage }) => [level, statusMessage])).toEqual([
      ['error', 'File does not exist.'],
      ['warning', "The user doesn't want to proceed with this tool use."],
    ]);
  });

  test('API errors and compactions are events; a turn that ends with an error is one', () => {
    const error = { error: { status: 529, message: 'Overloaded' }, retryAttempt: 1, maxRetries: 10, retryInMs: 500 };
    const [first = [], second = []] = tracesOfTurns(
      turnsIn(
        chain([
          user('go'),
          system('api_error', error),
          synthetic('API Error: 529 Overloaded', { isApiErrorMessage: true }),
          system('compact_boundary', { compactMetadata: { trigger: 'auto', preTokens: 100 } }),
          user('summary', { isCompactSummary: true }),
          user('next'),
          assistant('ok', { id: 'm1' }),
        ]),
      ),
      OPTIONS,
    ).map((trace) => trace.spans());
    expect(first[0]).toMatchObject({ level: 'error', statusMessage: 'API Error: 529 Overloaded' });
    expect(first.slice(1).map(({ kind, name, level, statusMessage }) => [kind, name, level, statusMessage])).toEqual([
      ['event', 'API error', 'warning', 'Overloaded'],
      ['event', 'API error', 'error', 'API Error: 529 Overloaded'],
    ]);
    expect(first[1]?.facts.event?.details).toEqual({
      status: 529,
      retry_attempt: 1,
      max_retries: 10,
      retry_in_ms: 500,
    });
    // The turn before it was over, and may have been sent.
    const compaction = only(second, 'event');
    expect([compaction.name, at(compaction.startMs), compaction.facts.event?.details]).toEqual([
      'context compacted',
      5,
      { trigger: 'auto', pre_tokens: 100, written_at: timeOf(3) },
    ]);
  });

  test('"No response requested." is nothing', () => {
    const spans = spansIn([user('go'), assistant('ok', { id: 'm1' }), synthetic('No response requested.')]);
    expect(outline(spans)).toEqual(['agent Turn 1', '  generation claude-test']);
  });
});

describe('usage and cost', () => {
  test('all kinds of cached tokens, as skein usage counts them', () => {
    const usage = {
      input_tokens: 100,
      output_tokens: 50,
      cache_read_input_tokens: 1000,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
    };
    const span = only(spansIn([user('go'), assistant('ok', { id: 'm1', model: SONNET, usage })]), 'generation');
    expect(span.facts.generation?.cost).toEqual({
      totalUSD: 0.0027,
      parts: { input: 0.0003, output: 0.00075, cacheWrite: 0.00075, cacheWrite1h: 0.0006, cacheRead: 0.0003 },
    });
  });

  test('an adviser that was asked within the request costs what its own model does', () => {
    const counts = { input_tokens: 1000, output_tokens: 1000 };
    const advised = { ...counts, iterations: [{ type: 'advisor_message', model: 'claude-opus-4-7', ...counts }] };
    const cost = (usage: JsonObject) =>
      only(spansIn([user('go'), assistant('ok', { id: 'm1', model: SONNET, usage })]), 'generation').facts.generation
        ?.cost;
    expect(cost(counts)).toEqual({ totalUSD: 0.018, parts: { input: 0.003, output: 0.015 } });
    expect(cost(advised)).toEqual({ totalUSD: 0.048, parts: { input: 0.008, output: 0.04 } });
  });

  test('what an old client wrote down is the cost; an unknown model has none', () => {
    const told = spansIn([user('go'), assistant('ok', { id: 'm1', model: SONNET }, { costUSD: 0.5 })]);
    expect(only(told, 'generation').facts.generation?.cost).toEqual({ totalUSD: 0.5, parts: {} });
    expect(only(spansIn([user('go'), assistant('ok', { id: 'm1' })]), 'generation').facts.generation?.cost).toBeNull();
  });
});

describe('content', () => {
  const SECRET = 'sk-secret';
  const lines = [
    user(`use ${SECRET}`, { cwd: `/home/${SECRET}`, gitBranch: SECRET }),
    assistant([thinking(`hm ${SECRET}`), text(`I use ${SECRET}`)], { id: 'm1', stop: 'tool_use' }),
    assistant(toolUse('t1', 'Bash', { command: `echo ${SECRET}` }), { id: 'm1', stop: 'tool_use' }),
    result('t1', `${SECRET}: no`, { isError: true }),
    assistant('done', { id: 'm2' }),
  ];

  test('every text is masked', () => {
    const spans = spansIn(lines, { thinking: true, mask: (words) => words.replaceAll(SECRET, '•') });
    expect(JSON.stringify(spans)).not.toContain(SECRET);
    expect(JSON.stringify(spans)).toContain('echo •');
  });

  test('without content nothing that was said is in it; names, tokens and times are', () => {
    const spans = spansIn(lines, { content: false, thinking: true, mask: (words) => words.replaceAll(SECRET, '•') });
    expect(JSON.stringify(spans)).not.toMatch(/echo|I use|hm|: no|done/);
    expect(spans.map(({ spanId, startMs, endMs, level }) => [spanId, startMs, endMs, level])).toEqual(
      spansIn(lines).map(({ spanId, startMs, endMs, level }) => [spanId, startMs, endMs, level]),
    );
  });

  test('thinking is there only when asked for', () => {
    expect(JSON.stringify(spansIn(lines))).not.toContain('hm ');
    expect(JSON.stringify(spansIn(lines, { thinking: true }))).toContain(`hm ${SECRET}`);
  });

  test('a long text is cut and says so; images are named, not sent', () => {
    const cut = only(spansIn([user('x'.repeat(30)), assistant('ok', { id: 'm1' })], { longest: 10 }), 'agent');
    expect(cut.facts.input).toMatchObject({ text: `${'x'.repeat(10)}… (20 characters more)` });
    const seen = spansIn([
      ...CALLS.slice(0, 3),
      result('t1', [text('a'), image()]),
      result('t2'),
      assistant('ok', { id: 'm2' }),
    ]);
    const [read] = seen.filter(({ kind }) => kind === 'tool');
    expect(read?.facts.output).toEqual({
      type: 'json',
      value: [
        { type: 'text', text: 'a' },
        { type: 'image', media_type: 'image/png', size: '9 B' },
      ],
    });
  });

  test('nesting that cannot be written is cut off', () => {
    let deep: JsonObject = {};
    for (let depth = 0; depth < 900; depth += 1) deep = { deep };
    const spans = spansIn([
      user('go'),
      assistant(toolUse('t1', 'X', deep), { id: 'm1', stop: 'tool_use' }),
      result('t1'),
      assistant('ok', { id: 'm2' }),
    ]);
    expect(JSON.stringify(only(spans, 'tool').facts.input)).toContain('"…"');
  });
});

test('the tree shows each span on a line', () => {
  const lines = spanTree(spansIn(CALLS)).trimEnd().split('\n');
  expect(lines).toHaveLength(5);
  expect(lines[2]).toMatch(/^ {4}tool Read · at 1\.000 s · for 3\.0 s · in ".*\/a.*" · out "a" · [0-9a-f]{16}$/);
});
