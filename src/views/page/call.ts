/** A tool call as a row, and opened. */
import { asString, isObject, type Json } from '../../format/json.ts';
import { inputOfCall, textOfCall } from '../../graph/toolcalls.ts';
import type { ToolCall, Turn } from '../../graph/types.ts';
import { maskedJson, maskedView } from '../masked.ts';
import type { AgentView } from '../options.ts';
import { firstLine, mainArgument, toolView } from '../toolview.ts';
import { FAILED } from './failed.ts';
import { turnHead } from './heads.ts';
import { cut, maskOf, nameOf, type PageOptions } from './options.ts';
import { pageTurn } from './turn.ts';
import type { AgentPage, AgentRow, CallPage, CallRow } from './types.ts';

const ARGUMENT_LENGTH = 300;
const FAILURE_LENGTH = 300;

export function callRow(call: ToolCall, options: PageOptions): CallRow {
  const mask = maskOf(options);
  const input = inputOfCall(call) ?? {};
  const text = textOfCall(call, options.resolve) ?? '';
  const agent = options.agentOf?.(call);
  return {
    id: call.id,
    name: mask(call.name),
    argument: cut(mask(mainArgument(input)), ARGUMENT_LENGTH),
    status: call.status,
    started: call.started ?? null,
    ended: call.ended ?? null,
    durationMs: call.durationMs ?? null,
    size: text.length,
    failure: FAILED.has(call.status) && text !== '' ? cut(firstLine(mask(text)), FAILURE_LENGTH) : null,
    agent: agent === undefined ? null : agentRow(agent, call, options),
  };
}

/** What a model said the agent is for stands in the call. */
function agentRow(agent: AgentView, call: ToolCall | undefined, options: PageOptions): AgentRow {
  const input: Json = (call && inputOfCall(call)) ?? {};
  const description = isObject(input) ? asString(input.description) : undefined;
  return {
    agentId: agent.agentId,
    callId: call?.id ?? null,
    type: nameOf(agent.type, options),
    description: description === undefined ? null : cut(maskOf(options)(description), ARGUMENT_LENGTH),
    tokens: agent.tokens,
    calls: agent.calls,
    turns: agent.turns.length,
  };
}

export function callPage(call: ToolCall, options: PageOptions): CallPage {
  const { parts } = maskedView(toolView(call, options.resolve), options.mask);
  const input = inputOfCall(call) ?? null;
  return { id: call.id, parts, input: options.mask ? maskedJson(input, options.mask) : input };
}

/** `agent` as `call` ran it: the call that started it, or took it up again. */
export function agentPage(agent: AgentView, call: ToolCall | undefined, options: PageOptions): AgentPage {
  return {
    agent: agentRow(agent, call, options),
    turns: agent.turns.map((turn, index) => pageTurn(turn, turnHead(turn, index, [], options), options)),
  };
}

export function findCall(turns: readonly Turn[], id: string): ToolCall | undefined {
  for (const { toolCalls } of turns) {
    const call = toolCalls.find((each) => each.id === id);
    if (call) return call;
  }
  return undefined;
}
