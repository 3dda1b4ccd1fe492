import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/format/json.ts';
import { nameInGenAI } from '../../../src/views/spans/genai.ts';
import type { Span, SpanOptions } from '../../../src/views/spans/index.ts';
import { toGenAI, toLangfuse, toOtlp, tracesOfTurns } from '../../../src/views/spans/index.ts';
import { assistant, chain, result, text, thinking, timeOf, toolUse, user } from '../../support/build.ts';
import { OPTIONS, recordedTraces, turnsIn } from '../../support/spans.ts';

const SONNET = 'claude-sonnet-4-5-20250929';
const USAGE = {
  input_tokens: 100,
  output_tokens: 50,
  cache_read_input_tokens: 1000,
  cache_creation_input_tokens: 300,
  cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 },
};

function spansIn(lines: readonly JsonObject[], options: Partial<SpanOptions> = {}): [Span, Span, Span] {
  const how = {
    ...OPTIONS,
    thinking: true,
    user: 'ann',
    tags: ['team'],
    chatId: 'chat',
    environment: 'test',
    ...options,
  };
  const spans = tracesOfTurns(turnsIn(chain(lines)), how).flatMap((trace) => trace.spans());
  const [agent, generation, ...rest] = spans;
  const tool = rest.find(({ kind }) => kind === 'tool');
  if (agent === undefined || generation === undefined || tool === undefined) throw new Error('too few spans');
  return [agent, generation, tool];
}

const LINES = [
  user('list it', { cwd: '/app', gitBranch: 'main', permissionMode: 'default' }),
  assistant([thinking('hm'), text('Listing.')], {
    id: 'm1',
    requestId: 'r1',
    stop: 'tool_use',
    model: SONNET,
    usage: USAGE,
  }),
  assistant(toolUse('t1', 'Bash', { command: 'ls' }), {
    id: 'm1',
    requestId: 'r1',
    stop: 'tool_use',
    model: SONNET,
    usage: USAGE,
  }),
  result('t1', 'no such file', { isError: true }),
  assistant('Done.', { id: 'm2', model: SONNET }),
];

const EVERY = {
  'langfuse.session.id': 'session-1',
  'langfuse.user.id': 'ann',
  'langfuse.trace.name': 'Turn 1',
  'langfuse.trace.tags': ['team'],
  'langfuse.environment': 'test',
  'langfuse.version': '2.1.325',
};

describe('T4: Langfuse', () => {
  test('the agent is the trace too: its input, output and metadata', () => {
    const [agent] = spansIn(LINES);
    const said = (role: string, content: string) => JSON.stringify({ role, content });
    expect(toLangfuse(agent)).toEqual({
      ...EVERY,
      'langfuse.observation.type': 'agent',
      'langfuse.observation.level': 'DEFAULT',
      'langfuse.observation.input': said('user', 'list it'),
      'langfuse.observation.output': said('assistant', 'Done.'),
      'langfuse.trace.input': said('user', 'list it'),
      'langfuse.trace.output': said('assistant', 'Done.'),
      'langfuse.trace.metadata.source': 'claude-code',
      'langfuse.trace.metadata.turn_number': 1,
      'langfuse.trace.metadata.session_id': 'session-1',
      'langfuse.trace.metadata.chat_id': 'chat',
      'langfuse.trace.metadata.prompt_id': 'u1',
      'langfuse.trace.metadata.prompt_kind': 'text',
      'langfuse.trace.metadata.round': 'new_session',
      'langfuse.trace.metadata.state': 'complete',
      'langfuse.trace.metadata.project': '/app',
      'langfuse.trace.metadata.git_branch': 'main',
      'langfuse.trace.metadata.client_version': '2.1.325',
      'langfuse.trace.metadata.permission_mode': 'default',
    });
  });

  test('a generation has model, tokens by the keys that are priced, cost; total holds cached tokens (T5)', () => {
    const [, generation] = spansIn(LINES);
    const {
      'langfuse.observation.usage_details': usage,
      'langfuse.observation.cost_details': cost,
      ...rest
    } = toLangfuse(generation);
    expect(JSON.parse(String(usage))).toEqual({
      input: 100,
      output: 50,
      input_cached_tokens: 1000,
      input_cache_creation_5m: 200,
      input_cache_creation_1h: 100,
      total: 1450,
    });
    expect(JSON.parse(String(cost))).toEqual({
      input: 0.0003,
      output: 0.00075,
      input_cached_tokens: 0.0003,
      input_cache_creation_5m: 0.00075,
      input_cache_creation_1h: 0.0006,
      total: 0.0027,
    });
    expect(rest).toEqual({
      ...EVERY,
      'langfuse.observation.type': 'generation',
      'langfuse.observation.level': 'DEFAULT',
      'langfuse.observation.model.name': SONNET,
      'langfuse.observation.input': JSON.stringify({ role: 'user', content: 'list it' }),
      'langfuse.observation.output': JSON.stringify({ role: 'assistant', content: 'Listing.', thinking: 'hm' }),
      'langfuse.observation.metadata.tool_count': 1,
      'langfuse.observation.metadata.message_id': 'm1',
      'langfuse.observation.metadata.request_id': 'r1',
      'langfuse.observation.metadata.stop_reason': 'tool_use',
    });
  });

  test('a tool has what it was given and gave back, and its level', () => {
    const [, , tool] = spansIn(LINES);
    expect(toLangfuse(tool)).toEqual({
      ...EVERY,
      'langfuse.observation.type': 'tool',
      'langfuse.observation.level': 'ERROR',
      'langfuse.observation.status_message': 'no such file',
      'langfuse.observation.input': '{"command":"ls"}',
      'langfuse.observation.output': 'no such file',
      'langfuse.observation.metadata.tool_name': 'Bash',
      'langfuse.observation.metadata.tool_id': 't1',
      'langfuse.observation.metadata.tool_status': 'error',
    });
  });

  test('counts that make no sense do not reach the server', () => {
    const usage = {
      input_tokens: -5,
      output_tokens: 1.5,
      cache_read_input_tokens: 1e300,
      cache_creation_input_tokens: 7,
    };
    const lines = [
      user('x'),
      assistant(toolUse('t1'), { id: 'm1', usage, stop: 'tool_use' }),
      result('t1'),
      assistant('ok'),
    ];
    const [, generation] = spansIn(lines);
    expect(JSON.parse(String(toLangfuse(generation)['langfuse.observation.usage_details']))).toMatchObject({
      total: 7,
    });
  });
});

describe('OpenTelemetry GenAI', () => {
  const COMMON = {
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.conversation.id': 'session-1',
    'session.id': 'session-1',
    'user.id': 'ann',
    'deployment.environment.name': 'test',
    'gen_ai.agent.name': 'claude-code',
  };

  test('a generation: input tokens hold both kinds of cached ones', () => {
    const [, generation] = spansIn(LINES);
    expect(toGenAI(generation)).toEqual({
      ...COMMON,
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': SONNET,
      'gen_ai.response.model': SONNET,
      'gen_ai.response.id': 'm1',
      'gen_ai.response.finish_reasons': ['tool_use'],
      'gen_ai.usage.input_tokens': 1400,
      'gen_ai.usage.output_tokens': 50,
      'gen_ai.usage.cache_read.input_tokens': 1000,
      'gen_ai.usage.cache_creation.input_tokens': 300,
      'gen_ai.usage.cost': 0.0027,
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'list it' }] }]),
      'gen_ai.output.messages': JSON.stringify([
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', content: 'hm' },
            { type: 'text', content: 'Listing.' },
            { type: 'tool_call', id: 't1', name: 'Bash', arguments: { command: 'ls' } },
          ],
          finish_reason: 'tool_call',
        },
      ]),
    });
  });

  test('a tool', () => {
    const [, , tool] = spansIn(LINES);
    expect(toGenAI(tool)).toEqual({
      ...COMMON,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'Bash',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': 't1',
      'gen_ai.tool.call.arguments': '{"command":"ls"}',
      'gen_ai.tool.call.result': 'no such file',
      'error.type': 'error',
      'skein.status': 'no such file',
    });
  });

  test('the agent', () => {
    const [agent] = spansIn(LINES, { content: false });
    expect(toGenAI(agent)).toEqual({
      ...COMMON,
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.version': '2.1.325',
      'vcs.ref.head.name': 'main',
      'skein.turn.number': 1,
      'skein.turn.kind': 'text',
      'skein.turn.round': 'new_session',
      'skein.turn.state': 'complete',
      'skein.chat.id': 'chat',
      'skein.prompt.id': 'u1',
      'skein.project': '/app',
      'skein.permission_mode': 'default',
      'skein.tags': ['team'],
    });
  });
});

describe('OTLP/JSON', () => {
  const first = (value: Json | undefined, ...path: (string | number)[]): Json | undefined =>
    path.reduce<Json | undefined>(
      (here, key) =>
        Array.isArray(here)
          ? here[Number(key)]
          : typeof here === 'object' && here !== null && !Array.isArray(here)
            ? here[key]
            : undefined,
      value,
    );

  test('64-bit numbers are strings, times are nanoseconds, an error has its status', () => {
    const spans = spansIn(LINES);
    const body = toOtlp(spans, 'langfuse', { version: '1.2.3', resource: { 'host.name': 'here' } });
    const scope = first(body, 'resourceSpans', 0, 'scopeSpans', 0, 'scope');
    expect(scope).toEqual({ name: 'skein', version: '1.2.3' });
    expect(first(body, 'resourceSpans', 0, 'resource', 'attributes')).toEqual([
      { key: 'service.name', value: { stringValue: 'claude-code' } },
      { key: 'host.name', value: { stringValue: 'here' } },
    ]);
    const [agent, generation, tool] = [0, 1, 2].map((place) =>
      first(body, 'resourceSpans', 0, 'scopeSpans', 0, 'spans', place),
    );
    const start = `${Date.parse(timeOf(0))}000000`;
    expect(agent).toMatchObject({ name: 'Turn 1', kind: 1, startTimeUnixNano: start, status: {} });
    expect(agent).not.toHaveProperty('parentSpanId');
    expect(generation).toMatchObject({ name: SONNET, kind: 3, parentSpanId: spans[0].spanId });
    expect(tool).toMatchObject({ status: { code: 2, message: 'no such file' }, parentSpanId: spans[1].spanId });
    const attributes = first(agent, 'attributes');
    expect(attributes).toContainEqual({ key: 'langfuse.trace.metadata.turn_number', value: { intValue: '1' } });
    expect(attributes).toContainEqual({
      key: 'langfuse.trace.tags',
      value: { arrayValue: { values: [{ stringValue: 'team' }] } },
    });
  });

  test('names follow the conventions in the other dialect', () => {
    const body = toOtlp(spansIn(LINES), 'genai', { version: '1' });
    const names = [0, 1, 2].map((place) => first(body, 'resourceSpans', 0, 'scopeSpans', 0, 'spans', place, 'name'));
    expect(names).toEqual(['invoke_agent claude-code', `chat ${SONNET}`, 'execute_tool Bash']);
  });

  test('an agent without a type has no name of its own: its id is an attribute', () => {
    const agents = recordedTraces('2.0.76', 'i-slash').flatMap((trace) =>
      trace.spans().filter(({ kind, facts }) => kind === 'agent' && facts.agent?.type === null),
    );
    expect(agents.length).toBeGreaterThan(0);
    expect(new Set(agents.map(nameInGenAI))).toEqual(new Set(['invoke_agent sub-agent']));
  });

  test('half a character does not make a server refuse the request', () => {
    const lines = [user('a\ud800b'), ...LINES.slice(1)];
    expect(JSON.stringify(toOtlp(spansIn(lines), 'genai', { version: '1' }))).not.toMatch(/\\\\?ud800/);
    expect(JSON.stringify(toOtlp(spansIn(lines), 'langfuse', { version: '1' }))).not.toMatch(/\\\\?ud800/);
  });
});
