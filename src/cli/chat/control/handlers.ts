/** What the program can ask for (`control_request`): by subtype, what is done and answered. What is not here is refused. */
import type { Agent } from '../../../agent/agenttypes.ts';
import { MODES } from '../../../agent/gate.ts';
import { modelId } from '../../../agent/model/models.ts';
import { asString, type JsonObject } from '../../../format/json.ts';
import type { Context } from '../../context.ts';
import { contextUsage } from './contextusage.ts';
import { rewindTo } from './files.ts';
import { initializeAnswer, modelInfo } from './initialize.ts';
import { mcpHandlers } from './mcp.ts';
import { Refusal } from './refusal.ts';
import type { Tell } from './tell.ts';

export interface Host {
  readonly agent: Agent;
  readonly context: Context;
  /** The config folder (L1). */
  readonly config: string;
  /** That it began with. */
  readonly model: string;
  readonly tell: Tell;
  write(message: JsonObject): void;
  /** Ends the turn that runs; gives the names of the prompts that wait. */
  interrupt(cancelQueued: boolean): readonly string[];
  /** Takes back a prompt that waits; false where it does not. */
  withdraw(uuid: string): boolean;
}

export type Handler = (request: JsonObject, host: Host) => JsonObject | undefined | Promise<JsonObject | undefined>;

export const HANDLERS: ReadonlyMap<string, Handler> = new Map<string, Handler>([
  // What it wants was heard before the session began; hooks that come later are not taken.
  ['initialize', (request, { agent }) => ({ ...initializeAnswer(agent, { hooks: [] }), ...late(request) })],
  ['interrupt', interrupt],
  ['cancel_async_message', ({ message_uuid }, host) => ({ cancelled: host.withdraw(asString(message_uuid) ?? '') })],
  ['set_permission_mode', setMode],
  ['set_model', setModel],
  ['set_max_thinking_tokens', setThinking],
  ['rewind_files', (request, { agent, context, config }) => rewindTo(request, agent, context, config)],
  ['get_context_usage', (_request, { agent }) => contextUsage(agent)],
  ['list_models', () => ({ models: ['default', 'opus', 'sonnet', 'haiku'].map(modelInfo) })],
  ['rename_session', rename],
  // Whether there was something to stop or not, nothing runs then.
  ['stop_task', ({ task_id }, { agent }) => agent.stopTask(asString(task_id) ?? '').then(() => ({}))],
  ...mcpHandlers,
]);

function late({ hooks }: JsonObject): JsonObject {
  return hooks === undefined ? {} : { hooks_applied: false };
}

function interrupt({ cancel_queued }: JsonObject, host: Host): JsonObject {
  const isAll = cancel_queued === true;
  const waiting = [...host.interrupt(isAll)];
  return isAll ? { still_queued: [], cancelled: waiting } : { still_queued: waiting };
}

function setMode({ mode: wanted }: JsonObject, { agent, tell }: Host): JsonObject {
  const mode = MODES.find((each) => each === wanted);
  if (mode === undefined) {
    throw new Refusal(`Cannot set permission mode: must be one of ${[...MODES].sort().join(', ')}`, 'invalid_mode');
  }
  if (mode === 'bypassPermissions' && !agent.mayBypass) {
    const why = 'the session was not launched with --dangerously-skip-permissions';
    throw new Refusal(`Cannot set permission mode to bypassPermissions because ${why}`, 'bypass_not_launched');
  }
  agent.setMode(mode);
  tell.system('status', { status: null, permissionMode: mode });
  return { mode };
}

function setModel({ model: wanted }: JsonObject, { agent, model: first, write }: Host): JsonObject {
  const name = wanted === undefined || wanted === null ? 'default' : asString(wanted);
  if (!name) throw new Refusal('set_model: model must be a string', 'invalid_request');
  const model = agent.setModel(name === 'default' ? first : modelId(name));
  const content = `<local-command-stdout>Set model to \`${model}\`</local-command-stdout>`;
  const about = { parent_tool_use_id: null, session_id: agent.sessionId, uuid: crypto.randomUUID() };
  const timestamp = new Date().toISOString();
  write({ type: 'user', message: { role: 'user', content }, ...about, timestamp, isReplay: true });
  return { model };
}

function setThinking({ max_thinking_tokens: tokens }: JsonObject, { agent }: Host): undefined {
  if (tokens === undefined) return undefined;
  if (tokens === null) agent.setThinking(undefined);
  else if (typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0) agent.setThinking(tokens);
  else throw new Refusal('set_max_thinking_tokens: max_thinking_tokens must be an integer or null');
  return undefined;
}

function rename({ title: wanted }: JsonObject, { agent, tell }: Host): undefined {
  const title = asString(wanted)?.trim();
  if (!title) throw new Refusal('rename_session: title must be a text');
  agent.rename(title);
  tell.system('session_title_changed', { title });
  return undefined;
}
