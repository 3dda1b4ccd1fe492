/**
 * Ids by hashing what copies of a turn have in common (T3, H2): the uuid under which its prompt was first written, and the
 * ids of messages and calls. The session is no part of it where there is a uuid: resumes and forks write another one.
 */
import type { Entry } from '../../format/entry.ts';
import type { Agent } from '../../graph/agents.ts';
import type { Message, ToolCall, Turn } from '../../graph/types.ts';
import type { Hash } from './types.ts';

/** The uuid an entry was first written under (H1). */
export function originalUuid(entry: Entry | undefined): string | undefined {
  return entry?.head.forkedFrom?.messageUuid ?? entry?.head.uuid;
}

export function traceKey(turn: Turn, sessionId: string, turnsBefore: number): string {
  const { prompt } = turn;
  const uuid = originalUuid(prompt ?? turn.entries.find(({ head }) => head.uuid !== undefined));
  if (uuid !== undefined) return `prompt ${uuid}`;
  // Only reduced transcripts and queues have prompts without uuid, and nobody copies those.
  const number = turn.number === 0 ? 0 : turn.number + turnsBefore;
  return `prompt ${prompt?.head.sessionId ?? sessionId} ${number} ${prompt?.head.timestamp ?? ''}`;
}

/** Of an agent that no call leads to. */
export function agentKey(agent: Agent, sessionId: string): string {
  const first = originalUuid(agent.entries.find(({ head }) => head.uuid !== undefined));
  return `agent ${agent.agentId} ${first ?? sessionId}`;
}

export function traceIdOf(key: string, hash: Hash): string {
  return hash(`skein trace ${key}`).slice(0, 32);
}

export function messageKey(message: Message): string {
  const [first] = message.entries;
  return message.id ?? message.requestId ?? originalUuid(first) ?? '';
}

export function callKey(call: ToolCall): string {
  return call.id === '' ? (originalUuid(call.use) ?? '') : call.id;
}

/** Ids of the spans of one trace. What has the same key as something before it is told apart by its place. */
export function createSpanIds(traceId: string, hash: Hash): (what: string, key: string) => string {
  const used = new Map<string, number>();
  return (what, key) => {
    const name = `${what} ${key}`;
    const place = (used.get(name) ?? 0) + 1;
    used.set(name, place);
    return hash(`skein span ${traceId} ${name}${place === 1 ? '' : ` #${place}`}`).slice(0, 16);
  };
}
