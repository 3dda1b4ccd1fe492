/** Turns as the JSON that `skein show --json` prints: stable, documented in docs/json.md. Empty blocks are kept. */
import type { Json } from '../format/json.ts';
import type { Usage } from '../format/usage.ts';
import { blocksOfMessage } from '../graph/messages.ts';
import { inputOfCall, textOfCall, toolResultOf } from '../graph/toolcalls.ts';
import { promptTextOf } from '../graph/turns.ts';
import type { Message, ToolCall, Turn } from '../graph/types.ts';
import type { ViewOptions } from './options.ts';

export function turnJson(turn: Turn, options: Pick<ViewOptions, 'resolve' | 'agentOf'> = {}) {
  return {
    uuid: turn.uuid ?? null,
    number: turn.number,
    kind: turn.kind,
    round: turn.round,
    prompt: promptTextOf(turn),
    started: turn.started ?? null,
    ended: turn.ended ?? null,
    durationMs: turn.durationMs ?? null,
    complete: turn.state !== 'open',
    state: turn.state,
    messages: turn.messages.map(messageJson),
    toolCalls: turn.toolCalls.map((call): CallJson => callJson(call, options)),
  };
}

export function messageJson(message: Message) {
  return {
    id: message.id ?? null,
    model: message.model ?? null,
    entryUuids: message.entryUuids,
    finalUuid: message.finalUuid ?? null,
    blocks: blocksOfMessage(message).map(({ raw }) => raw),
    usage: message.usage ? usageJson(message.usage) : null,
    stopReason: message.stopReason ?? null,
    started: message.started ?? null,
    ended: message.ended ?? null,
    ...(message.isApiError ? { isApiError: true } : {}),
    ...(message.synthetic ? { synthetic: true } : {}),
  };
}

export interface CallJson {
  readonly id: string;
  readonly name: string;
  readonly input: Json | null;
  readonly status: string;
  readonly useUuid: string | null;
  readonly resultUuid: string | null;
  /** The text the model saw, whole. */
  readonly result: string | null;
  /** The client's structured record, as written. */
  readonly toolUseResult: Json | null;
  readonly started: string | null;
  readonly ended: string | null;
  readonly durationMs: number | null;
  readonly agent?: {
    readonly agentId: string;
    readonly type: string | null;
    readonly from: string;
    readonly tokens: number;
    readonly calls: number;
    readonly turns: readonly object[];
  };
}

function callJson(call: ToolCall, options: Pick<ViewOptions, 'resolve' | 'agentOf'>): CallJson {
  const agent = options.agentOf?.(call);
  return {
    id: call.id,
    name: call.name,
    input: inputOfCall(call) ?? null,
    status: call.status,
    useUuid: call.useUuid ?? null,
    resultUuid: call.resultUuid ?? null,
    result: textOfCall(call, options.resolve) ?? null,
    toolUseResult: toolResultOf(call).raw ?? null,
    started: call.started ?? null,
    ended: call.ended ?? null,
    durationMs: call.durationMs ?? null,
    ...(agent && {
      agent: {
        agentId: agent.agentId,
        type: agent.type ?? null,
        from: agent.from,
        tokens: agent.tokens,
        calls: agent.calls,
        turns: agent.turns.map((turn) => turnJson(turn, options)),
      },
    }),
  };
}

/** The keys of `skein usage`. */
export function usageJson(usage: Usage) {
  return {
    input: usage.input,
    output: usage.output,
    cacheCreation: usage.cacheCreation,
    cacheRead: usage.cacheRead,
    ...(usage.cacheCreation5m === undefined ? {} : { cacheCreation5m: usage.cacheCreation5m }),
    ...(usage.cacheCreation1h === undefined ? {} : { cacheCreation1h: usage.cacheCreation1h }),
    ...(usage.serviceTier === undefined ? {} : { serviceTier: usage.serviceTier }),
  };
}
