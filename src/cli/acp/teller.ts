/** What happens in a turn, as updates for the editor. */

import type { PlanEntry, SessionUpdate } from '@agentclientprotocol/sdk';
import { tokensUsed } from '../../agent/model/used.ts';
import type { LoopEvent, ModelEvent } from '../../agent/ports.ts';
import type { ToolOutcome } from '../../agent/tools/tool.ts';
import { asArray, asObject, asString, isObject, type Json, type JsonObject } from '../../format/json.ts';
import { safeText } from '../../views/safe.ts';
import { describeCall, fenced, outcomeContent, rawOutput, textContent } from './calls.ts';

export interface TellerOptions {
  readonly send: (update: SessionUpdate) => void;
  readonly cwd: () => string;
  /** Tokens of the conversation, as counted at an answer. */
  readonly used: (tokens: number) => void;
  /** Said to the person, not by the model. */
  readonly notice: (words: string) => void;
  readonly compaction: boolean;
}

/** The agent whose call it is. */
interface Within {
  readonly type: string;
  readonly parent: string;
}

export function createTeller(options: TellerOptions): (event: LoopEvent) => void {
  const { send, cwd } = options;
  /** Calls that were told and have no end yet. */
  const open = new Map<string, { readonly name: string; readonly within?: Within }>();
  let messageId: string | undefined;
  /** Calls of the answer on its way: when it is asked for again, they belong to none. */
  let fresh: string[] = [];
  let compactions = 0;

  const chunk = (sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', words: string) => {
    const text = safeText(words);
    if (text !== '') send({ sessionUpdate, content: { type: 'text', text }, ...(messageId && { messageId }) });
  };
  const model = (event: ModelEvent) => {
    if (event.kind === 'start') {
      messageId = event.id;
      fresh = [];
    } else if (event.kind === 'delta' && event.what !== 'input') {
      chunk(event.what === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk', event.text);
    } else if (event.kind === 'retry') {
      for (const id of fresh.splice(0)) end(id, { status: 'failed' });
      const seconds = Math.max(1, Math.round(event.delayMs / 1000));
      options.notice(`${event.failure.message}; asked again in ${seconds} s (${event.attempt} of ${event.maxRetries})`);
    } else if (event.kind === 'fallback') options.notice(`${event.from} is overloaded; ${event.to} is asked instead`);
  };

  const begin = (id: string, name: string, input: JsonObject, within?: Within) => {
    if (isQuiet(name) || id === '') return;
    open.set(id, { name, ...(within && { within }) });
    if (within === undefined) fresh.push(id);
    const { title, ...call } = describeCall(name, input, cwd());
    const shown = within === undefined ? title : `${within.type}: ${title}`;
    const meta = within && { _meta: { skein: { parentToolCallId: within.parent } } };
    send({ sessionUpdate: 'tool_call', toolCallId: id, status: 'pending', title: shown, ...call, ...meta });
  };
  const end = (id: string, fields: Partial<Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>>) => {
    if (open.delete(id)) send({ sessionUpdate: 'tool_call_update', toolCallId: id, ...fields });
  };
  const update = (id: string, fields: Partial<Extract<SessionUpdate, { sessionUpdate: 'tool_call_update' }>>) => {
    if (open.has(id)) send({ sessionUpdate: 'tool_call_update', toolCallId: id, ...fields });
  };

  const entry = ({ type, message, isApiErrorMessage }: JsonObject, within?: Within) => {
    if (type !== 'assistant' || isApiErrorMessage === true) return;
    const said = asObject(message);
    for (const block of asArray(said?.content)?.filter(isObject) ?? []) {
      const kind = asString(block.type) ?? '';
      const id = asString(block.id) ?? '';
      if (kind === 'tool_use' || kind === 'server_tool_use')
        begin(id, asString(block.name) ?? '', asObject(block.input) ?? {}, within);
      else if (kind.endsWith('_tool_result')) end(asString(block.tool_use_id) ?? '', { status: 'completed' });
    }
    const tokens = tokensUsed(asObject(said?.usage));
    if (within === undefined && tokens > 0) options.used(tokens);
  };

  const finish = (id: string, name: string, outcome: ToolOutcome) => {
    if (name === 'TodoWrite' && outcome.isError !== true) tellPlan(asObject(outcome.result)?.newTodos);
    const content = outcomeContent(name, outcome);
    const status = outcome.isError ? 'failed' : 'completed';
    end(id, { status, ...(content && { content }), ...rawOutput(outcome.result) });
  };
  const tellPlan = (todos: Json | undefined) => send({ sessionUpdate: 'plan', entries: planOf(todos) });

  const compact = (event: Extract<LoopEvent, { kind: 'compacting' | 'compacted' }>) => {
    if (event.kind === 'compacting') compactions += 1;
    const error = event.kind === 'compacted' ? event.error : undefined;
    if (!options.compaction) {
      const words = error ?? (event.kind === 'compacting' ? 'The conversation is being summarized.' : undefined);
      if (words !== undefined) options.notice(words);
      return;
    }
    const status = event.kind === 'compacting' ? 'in_progress' : error === undefined ? 'completed' : 'failed';
    const compactionId = `compaction-${compactions}`;
    send({ sessionUpdate: 'compaction_update', compactionId, status, ...(error !== undefined && { error }) });
  };

  const tell = (event: LoopEvent, within?: Within): void => {
    if (event.kind === 'entry') entry(event.entry, within);
    else if (event.kind === 'agent') tell(event.event, { type: event.agentType, parent: event.id });
    else if (event.kind === 'tool-start') {
      // What stood in the file when it was told may have changed since.
      const { content, locations, rawInput } = describeCall(event.name, event.input, cwd());
      update(event.id, { status: 'in_progress', content, locations, rawInput });
    } else if (event.kind === 'tool-progress') {
      const output = asString(event.data.fullOutput);
      if (output) update(event.id, { content: [textContent(fenced(safeText(output)))] });
    } else if (event.kind === 'tool-end') finish(event.id, event.name, event.outcome);
    else if (within !== undefined) return;
    else if (event.kind === 'model') model(event.event);
    else if (event.kind === 'compacting' || event.kind === 'compacted') compact(event);
  };
  return (event) => tell(event);
}

/** Told as the plan, not as a call. */
export function isQuiet(name: string): boolean {
  return name === 'TodoWrite';
}

const STATES = ['pending', 'in_progress', 'completed'] as const;

export function planOf(todos: Json | undefined): PlanEntry[] {
  return (asArray(todos)?.filter(isObject) ?? []).map((todo) => ({
    content: safeText(asString(todo.content) ?? ''),
    priority: 'medium',
    status: STATES.find((state) => state === todo.status) ?? 'pending',
  }));
}
