/** `initialize`: what the program wants of the session, and what it is told of it. */
import type { Agent } from '../../../agent/agenttypes.ts';
import { DEFAULT_MODEL, factsOf, modelId } from '../../../agent/model/models.ts';
import type { HookSetting } from '../../../agent/settings/types.ts';
import type { AgentType } from '../../../agent/subagents/types.ts';
import { asArray, asObject, asString, type Json, type JsonObject } from '../../../format/json.ts';
import { agentsIn } from './agents.ts';
import { type CallbackParts, callbackHooks } from './hooks.ts';

/** Options of the session that stand in no flag. */
export interface Wishes {
  readonly hooks: readonly HookSetting[];
  readonly agents: readonly AgentType[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly schema?: JsonObject;
  readonly name?: string;
  /** MCP servers that run in the program. */
  readonly servers: readonly string[];
  /** What agents say is told, not only what they do. */
  readonly agentText: boolean;
}

export const NO_WISHES: Wishes = { hooks: [], agents: [], servers: [], agentText: false };

export function wishesIn(request: JsonObject, parts: CallbackParts): Wishes {
  const system = stringsIn(request.systemPrompt);
  const append = asString(request.appendSystemPrompt);
  const schema = asObject(request.jsonSchema);
  const title = asString(request.title);
  return {
    hooks: callbackHooks(request.hooks, parts),
    agents: agentsIn(request.agents),
    servers: stringsIn(request.sdkMcpServers) ?? [],
    agentText: request.forwardSubagentText === true,
    ...(system && { systemPrompt: system.join('\n\n') }),
    ...(append !== undefined && { appendSystemPrompt: append }),
    ...(schema && { schema }),
    ...(title && { name: title }),
  };
}

function stringsIn(value: Json | undefined): string[] | undefined {
  if (typeof value === 'string') return [value];
  return asArray(value)?.flatMap((each) => asString(each) ?? []);
}

export function initializeAnswer(agent: Agent, { hooks }: Pick<Wishes, 'hooks'>): JsonObject {
  return {
    commands: agent.commandList.map(({ name, description, hint = '' }) => ({ name, description, argumentHint: hint })),
    agents: agent.agentTypes.map(({ name, description, model }) => {
      return { name, description, ...(model !== undefined && { model }) };
    }),
    output_style: 'default',
    available_output_styles: ['default'],
    models: MODELS.map(modelInfo),
    account: { tokenSource: 'none', apiKeySource: agent.keySource, apiProvider: 'firstParty' },
    pid: process.pid,
    current_permission_mode: agent.mode,
    hook_on_failure_supported: true,
    ...(hooks.length > 0 && { hooks_applied: true }),
  };
}

/** The answer to the first one: nothing is asked yet. */
export function initialized(id: string, agent: Agent, wishes: Wishes): JsonObject {
  const response = { subtype: 'success', request_id: id, response: initializeAnswer(agent, wishes) };
  return { type: 'control_response', response: { ...response, pending_permission_requests: [] } };
}

/** Short names that hold whatever the newest model is. */
const MODELS = ['default', 'opus', 'sonnet', 'haiku'];

export function modelInfo(value: string): JsonObject {
  const resolvedModel = modelId(value);
  const displayName = value === 'default' ? 'Default' : value.charAt(0).toUpperCase() + value.slice(1);
  const description = resolvedModel === DEFAULT_MODEL ? `${resolvedModel}, the default` : resolvedModel;
  const supportsAdaptiveThinking = factsOf(resolvedModel).thinking === 'adaptive';
  return { value, resolvedModel, displayName, description, supportsAdaptiveThinking };
}
