/** What is told of agents: that they started, what they do, how they ended; as the published client tells it. */
import { tokensUsed } from '../../agent/model/used.ts';
import type { LoopEvent } from '../../agent/ports.ts';
import { asArray, asObject, asString, isObject, type JsonObject } from '../../format/json.ts';
import { type MessageOptions, messagesOf, system } from './messages.ts';

type AgentEvent = Extract<LoopEvent, { kind: 'agent' | 'agent-start' | 'agent-end' }>;

export interface TaskOptions extends MessageOptions {
  /** What agents say is told, too, not only what they do. */
  readonly agentText: boolean;
}

export type Tasks = (event: AgentEvent, options: TaskOptions) => JsonObject[];

/** For one session: it knows what runs in the background. */
export function createTasks(now: () => number = Date.now): Tasks {
  const behind = new Map<string, JsonObject>();
  const seen = new Map<string, { readonly began: number; toolUses: number; tokens: number }>();
  const changed = (options: TaskOptions) => [
    system('background_tasks_changed', { tasks: [...behind.values()] }, options),
  ];

  function started(event: Extract<AgentEvent, { kind: 'agent-start' }>, options: TaskOptions): JsonObject[] {
    const { id, agentId, agentType, description, isBackground, depth, prompt } = event;
    seen.set(agentId, { began: now(), toolUses: 0, tokens: 0 });
    const type = { task_type: 'local_agent', subagent_type: agentType, description };
    const more = { tool_use_id: event.callId ?? id, is_backgrounded: isBackground, spawn_depth: depth, prompt };
    const message = system('task_started', { task_id: agentId, ...type, ...more }, options);
    if (!isBackground) return [message];
    behind.set(agentId, { task_id: agentId, ...type });
    return [...changed(options), message];
  }

  function ended(event: Extract<AgentEvent, { kind: 'agent-end' }>, options: TaskOptions): JsonObject[] {
    const { id, agentId, end, toolUses, usage, file } = event;
    const isFine = end.reason === 'end_turn' || end.reason === 'stopped';
    const isStopped = end.reason === 'interrupted';
    const status = isFine ? 'completed' : isStopped ? 'stopped' : 'failed';
    const patch = { status: isStopped ? 'killed' : status, end_time: now() };
    const spent = { total_tokens: tokensUsed(usage), tool_uses: toolUses, duration_ms: end.durationMs };
    const told = { tool_use_id: event.callId ?? id, status, output_file: file, summary: end.text, usage: spent };
    seen.delete(agentId);
    return [
      system('task_updated', { task_id: agentId, patch }, options),
      system('task_notification', { task_id: agentId, ...told }, options),
      ...(behind.delete(agentId) ? changed(options) : []),
    ];
  }

  function within(event: Extract<AgentEvent, { kind: 'agent' }>, options: TaskOptions): JsonObject[] {
    const { id, agentId, agentType, description, isBackground, event: inner } = event;
    // How it is streamed stays with it.
    if (inner.kind !== 'entry' && inner.kind !== 'denied') return [];
    const own = { parent_tool_use_id: id, agent_id: agentId, subagent_type: agentType, task_description: description };
    const told = messagesOf(inner, options).map((message) =>
      'parent_tool_use_id' in message ? { ...message, ...own } : message,
    );
    if (inner.kind !== 'entry') return told;
    // What it was told stands in the call that started it.
    const isPrompt = inner.entry.type === 'user' && inner.entry.toolUseResult === undefined;
    if (inner.entry.type !== 'assistant') return isPrompt && isBackground ? [] : told;
    const message = asObject(inner.entry.message);
    const call = asArray(message?.content)
      ?.filter(isObject)
      .find(({ type }) => type === 'tool_use');
    if (call === undefined) return isBackground || options.agentText ? told : [];
    const so = seen.get(agentId) ?? { began: now(), toolUses: 0, tokens: 0 };
    so.toolUses += 1;
    so.tokens = tokensUsed(asObject(message?.usage) ?? {}) || so.tokens;
    const usage = { total_tokens: so.tokens, tool_uses: so.toolUses, duration_ms: now() - so.began };
    const about = { tool_use_id: event.callId ?? id, description: doing(call), subagent_type: agentType, usage };
    const progress = system('task_progress', { task_id: agentId, ...about, last_tool_name: call.name }, options);
    return isBackground ? [...told, progress] : [progress, ...told];
  }

  return (event, options) => {
    if (event.kind === 'agent') return within(event, options);
    return event.kind === 'agent-start' ? started(event, options) : ended(event, options);
  };
}

function doing({ name, input }: JsonObject): string {
  const given = asObject(input);
  const about = asString(given?.command) ?? asString(given?.file_path) ?? asString(given?.pattern) ?? '';
  const what = name === 'Bash' ? 'Running' : (asString(name) ?? '');
  return `${what} ${about}`.trim().slice(0, 200);
}
