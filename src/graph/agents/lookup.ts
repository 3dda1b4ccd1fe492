/** Which agent a call leads to. */
import type { Entry } from '../../format/entry.ts';
import type { Agent } from '../agents.ts';
import type { ToolCall } from '../types.ts';
import { runOf } from './usage.ts';

/**
 * Each call to the agent it started or took up again, with what it did there. An agent's transcript may repeat the call that
 * started it: a call leads only to agents of the transcript it stands in, so there is no circle.
 */
export function agentLookup({
  allAgents,
}: {
  readonly allAgents: readonly Agent[];
}): (call: ToolCall) => Agent | undefined {
  const ownerOf = new Map<Entry, string>();
  for (const { agentId, entries } of allAgents) {
    for (const entry of entries) if (entry.kind === 'assistant') ownerOf.set(entry, agentId);
  }
  const keyOf = ({ id, use }: ToolCall) => `${ownerOf.get(use) ?? ''} ${id}`;
  const byCall = new Map(allAgents.flatMap((agent) => agent.calls.map((call) => [keyOf(call), agent] as const)));
  return (call) => {
    const agent = byCall.get(keyOf(call));
    return agent && runOf(agent, call.id);
  };
}
