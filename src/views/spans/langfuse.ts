/** Spans in the words that Langfuse maps (T4, T5). */
import type { Usage } from '../../format/usage.ts';
import { type Attributes, attributesOf, jsonText, type Loose, under, wholeCount } from './attributes.ts';
import type { Content, Cost, CostKind, GenerationFacts, Span, TraceFacts } from './types.ts';

const LEVELS = { default: 'DEFAULT', warning: 'WARNING', error: 'ERROR' } as const;

export function toLangfuse(span: Span): Attributes {
  const { facts, parentSpanId } = span;
  const { trace, generation } = facts;
  const input = contentText(facts.input);
  const output = contentText(facts.output);
  return attributesOf({
    'langfuse.observation.type': span.kind,
    'langfuse.session.id': trace.sessionId,
    'langfuse.user.id': trace.user,
    'langfuse.trace.name': trace.name,
    'langfuse.trace.tags': trace.tags,
    'langfuse.environment': trace.environment,
    'langfuse.version': trace.clientVersion,
    'langfuse.observation.level': LEVELS[span.level],
    'langfuse.observation.status_message': span.statusMessage,
    'langfuse.observation.input': input,
    'langfuse.observation.output': output,
    ...(generation && generationAttributes(generation)),
    ...under('langfuse.observation.metadata.', observationMetadata(span)),
    ...(parentSpanId === null && {
      'langfuse.trace.input': input,
      'langfuse.trace.output': output,
      ...under('langfuse.trace.metadata.', traceMetadata(trace)),
    }),
  });
}

function contentText(content: Content | null): string | null {
  if (content?.type !== 'message') return jsonText(content);
  const thinking = content.parts.flatMap((part) => (part.type === 'thinking' ? part.text : [])).join('\n');
  return JSON.stringify({ role: content.role, content: content.text, ...(thinking !== '' && { thinking }) });
}

function generationAttributes({ model, usage, cost }: GenerationFacts): Loose {
  return {
    'langfuse.observation.model.name': model,
    'langfuse.observation.usage_details': usage && JSON.stringify(usageDetails(usage)),
    'langfuse.observation.cost_details': cost && JSON.stringify(costDetails(cost)),
  };
}

/** Without a lifetime the API keeps a cache for five minutes. */
function usageDetails(usage: Usage): Record<string, number> {
  const input = wholeCount(usage.input);
  const output = wholeCount(usage.output);
  const cacheRead = wholeCount(usage.cacheRead);
  const hour = wholeCount(usage.cacheCreation1h);
  const written = Math.max(wholeCount(usage.cacheCreation), hour);
  return {
    input,
    output,
    input_cached_tokens: cacheRead,
    input_cache_creation_5m: written - hour,
    input_cache_creation_1h: hour,
    total: input + output + cacheRead + written,
  };
}

const COSTS: Record<CostKind, string> = {
  input: 'input',
  output: 'output',
  cacheRead: 'input_cached_tokens',
  cacheWrite: 'input_cache_creation_5m',
  cacheWrite1h: 'input_cache_creation_1h',
  webSearches: 'web_searches',
};
const COST_KINDS = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'webSearches'] as const;

function costDetails({ totalUSD, parts }: Cost): Record<string, number> {
  const details: Record<string, number> = {};
  for (const kind of COST_KINDS) {
    const part = parts[kind];
    if (part !== undefined) details[COSTS[kind]] = part;
  }
  return { ...details, total: totalUSD };
}

export function traceMetadata(trace: TraceFacts): Loose {
  return {
    source: 'claude-code',
    turn_number: trace.turn,
    session_id: trace.sessionId,
    chat_id: trace.chatId,
    prompt_id: trace.promptId,
    prompt_kind: trace.kind,
    round: trace.round,
    state: trace.state,
    project: trace.project,
    git_branch: trace.gitBranch,
    client_version: trace.clientVersion,
    permission_mode: trace.permissionMode,
  };
}

function observationMetadata({ facts: { agent, generation, tool, event } }: Span): Loose {
  return {
    ...(agent && {
      agent_id: agent.id,
      agent_type: agent.type,
      agent_description: agent.description,
      agent_depth: agent.depth,
      agent_background: agent.background || null,
    }),
    ...(generation && {
      tool_count: generation.toolCount,
      message_id: generation.messageId,
      request_id: generation.requestId,
      stop_reason: generation.stopReason,
      service_tier: generation.usage?.serviceTier,
      web_searches: generation.usage?.webSearches,
      output_not_recorded: generation.incomplete || null,
    }),
    ...(tool && {
      tool_name: tool.name,
      tool_id: tool.id,
      tool_status: tool.status,
      tool_duration_ms: tool.durationMs,
    }),
    ...(event && { event: event.type, ...event.details }),
  };
}
