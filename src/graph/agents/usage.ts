/** What sub-agents used, rolled up: each message and each call once, whatever repeats it. */
import type { Entry } from '../../format/entry.ts';
import { inputKind } from '../../format/prompt.ts';
import type { Agent, AgentTree } from '../agents.ts';
import { mergeMessages, type UsageTotals, usageOfMessages } from '../messages.ts';
import { millisOf } from '../time.ts';
import { isUse } from '../toolcalls.ts';

export interface AgentUsage extends UsageTotals {
  readonly toolCalls: number;
  readonly agents: number;
}

/** Of some agents with all they started. */
export function usageOfAgents(agents: Iterable<Agent>): AgentUsage {
  const below = new Set<Agent>();
  const waiting = [...agents];
  for (let agent = waiting.pop(); agent !== undefined; agent = waiting.pop()) {
    if (below.has(agent)) continue;
    below.add(agent);
    for (const child of agent.children) waiting.push(child);
  }
  return usageOfTranscripts(
    [...below].map(({ entries }) => entries),
    new Set([...below].map(({ agentId }) => agentId)).size,
  );
}

/** Of every kind. */
export function tokensOf({ input, output, cacheCreation, cacheRead }: UsageTotals): number {
  return input + output + cacheCreation + cacheRead;
}

/** Of a session with its agents: what progress entries repeat counts once, with its agent (E18). */
export function usageWithAgents(tree: Pick<AgentTree, 'main' | 'all'>): AgentUsage {
  return usageOfTranscripts([tree.main, ...tree.all.map(({ entries }) => entries)], tree.all.length);
}

function usageOfTranscripts(transcripts: readonly (readonly Entry[])[], agents: number): AgentUsage {
  const messages = transcripts.flatMap((entries) => mergeMessages(entries));
  const calls = new Set<string>();
  for (const entries of transcripts) {
    for (const { kind, head } of entries) {
      if (kind !== 'assistant') continue;
      for (const block of head.blocks) if (isUse(block) && block.id !== undefined) calls.add(block.id);
    }
  }
  return { ...usageOfMessages(messages), toolCalls: calls.size, agents };
}

/** The part of an agent's work that one of its calls began: an agent that is taken up again is asked again (L3). */
export function runOf(agent: Agent, toolUseId: string): Agent {
  if (agent.calls.length < 2) return agent;
  const wanted = agent.calls.findIndex(({ id }) => id === toolUseId);
  const starts = agent.calls.map(({ started }) => millisOf(started) ?? Infinity);
  const entries: Entry[] = [];
  let run = 0;
  for (const entry of agent.entries) {
    if (inputKind(entry) === 'agent_prompt') {
      const time = millisOf(entry.head.timestamp) ?? -Infinity;
      while (time >= (starts[run + 1] ?? Infinity) && run + 1 < starts.length) run += 1;
    }
    if (run === wanted) entries.push(entry);
  }
  const own = new Set(entries);
  return { ...agent, entries, children: agent.children.filter(({ calls: [first] }) => first && own.has(first.use)) };
}
