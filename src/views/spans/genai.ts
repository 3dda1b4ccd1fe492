/** Spans in the words of OpenTelemetry's conventions for generative AI. What they have no word for is under `skein.`. */
import type { Json } from '../../format/json.ts';
import { type Attributes, attributesOf, jsonText, type Loose, under, wholeCount } from './attributes.ts';
import type { Content, GenerationFacts, Part, Span, ToolFacts, TraceFacts } from './types.ts';

/** The name of the session's own agent. */
const AGENT = 'claude-code';
/** One that tells no type, such as a warm-up: names of spans are few, ids stand in `gen_ai.agent.id`. */
const UNTYPED = 'sub-agent';

/** "chat MODEL", as the conventions want it. */
export function nameInGenAI(span: Span): string {
  const { agent } = span.facts;
  switch (span.kind) {
    case 'agent':
      return `invoke_agent ${agent === null ? AGENT : (agent.type ?? UNTYPED)}`;
    case 'generation':
      return `chat ${span.name}`;
    case 'tool':
      return `execute_tool ${span.name}`;
    case 'event':
      return span.name;
  }
}

const OPERATIONS = { agent: 'invoke_agent', generation: 'chat', tool: 'execute_tool', event: null } as const;

export function toGenAI(span: Span): Attributes {
  const { trace, agent, generation, tool, event } = span.facts;
  return attributesOf({
    'gen_ai.operation.name': OPERATIONS[span.kind],
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.conversation.id': trace.sessionId,
    'session.id': trace.sessionId,
    'user.id': trace.user,
    'deployment.environment.name': trace.environment,
    'gen_ai.agent.id': agent?.id,
    'gen_ai.agent.name': agent === null ? AGENT : agent.type,
    'gen_ai.agent.description': agent?.description,
    'error.type': span.level === 'error' ? (tool?.status ?? event?.type ?? 'error') : null,
    ...(span.kind !== 'tool' && messages(span)),
    ...(generation && generationAttributes(generation)),
    ...(tool && toolAttributes(tool, span)),
    ...under('skein.event.', { type: event?.type, ...event?.details }),
    'skein.level': span.level === 'warning' ? 'warning' : null,
    'skein.status': span.statusMessage,
    ...(span.parentSpanId === null && traceAttributes(trace)),
  });
}

function generationAttributes({ model, messageId, stopReason, usage, cost }: GenerationFacts): Loose {
  return {
    'gen_ai.request.model': model,
    'gen_ai.response.model': model,
    'gen_ai.response.id': messageId,
    'gen_ai.response.finish_reasons': stopReason === null ? null : [stopReason],
    // The conventions count both kinds of cached tokens as input.
    ...(usage && {
      'gen_ai.usage.input_tokens':
        wholeCount(usage.input) + wholeCount(usage.cacheRead) + wholeCount(usage.cacheCreation),
      'gen_ai.usage.output_tokens': wholeCount(usage.output),
      'gen_ai.usage.cache_read.input_tokens': wholeCount(usage.cacheRead),
      'gen_ai.usage.cache_creation.input_tokens': wholeCount(usage.cacheCreation),
    }),
    'gen_ai.usage.cost': cost?.totalUSD,
  };
}

function toolAttributes({ id, name }: ToolFacts, { facts }: Span): Loose {
  return {
    'gen_ai.tool.name': name,
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': id,
    'gen_ai.tool.call.arguments': jsonText(facts.input),
    'gen_ai.tool.call.result': jsonText(facts.output),
  };
}

function traceAttributes(trace: TraceFacts): Loose {
  return {
    'gen_ai.agent.version': trace.clientVersion,
    'vcs.ref.head.name': trace.gitBranch,
    ...under('skein.', {
      'turn.number': trace.turn,
      'turn.kind': trace.kind,
      'turn.round': trace.round,
      'turn.state': trace.state,
      'chat.id': trace.chatId,
      'prompt.id': trace.promptId,
      project: trace.project,
      permission_mode: trace.permissionMode,
      tags: trace.tags,
    }),
  };
}

function messages({ facts: { input, output, generation } }: Span): Loose {
  return {
    'gen_ai.input.messages': messageText(input, null),
    'gen_ai.output.messages': messageText(output, generation?.stopReason ?? 'end_turn'),
  };
}

function messageText(content: Content | null, stopReason: string | null): string | null {
  if (content?.type !== 'message') return null;
  const { role, parts } = content;
  const finish = stopReason === null ? {} : { finish_reason: FINISHED[stopReason] ?? stopReason };
  return JSON.stringify([{ role, parts: parts.map(toPart), ...finish }]);
}

function toPart(part: Part): Json {
  switch (part.type) {
    case 'text':
      return { type: 'text', content: part.text };
    case 'thinking':
      return { type: 'reasoning', content: part.text };
    case 'call':
      return { type: 'tool_call', id: part.id, name: part.name, arguments: part.input };
  }
}

const FINISHED: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_call',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};
