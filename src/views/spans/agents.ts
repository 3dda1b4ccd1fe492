/** Sub-agents below the calls that started them. */
import type { Agent } from '../../graph/agents.ts';
import { turnsOf } from '../../graph/turns.ts';
import { QUIET } from '../../graph/turnstate.ts';
import type { ToolCall, Turn } from '../../graph/types.ts';
import { usableTime } from './clock.ts';
import type { Contents } from './content.ts';
import type { AgentFacts, SpanOptions } from './types.ts';

/** What an agent did; undefined while it is still at work, so that what was sent of it never changes. */
export function workOf(agent: Agent, call: ToolCall | undefined, options: SpanOptions): readonly Turn[] | undefined {
  const { now } = options;
  const waitedFor = call !== undefined && call.status !== 'background';
  const told = agent.status !== undefined && !RUNNING.has(agent.status);
  const turns = turnsOf(agent.entries, { now, stopped: told || (waitedFor && call.result !== undefined) });
  const last = turns.at(-1);
  const over = waitedFor || told || last?.state !== 'open' || isQuiet(last, now);
  return over && last !== undefined ? turns : undefined;
}

const RUNNING = new Set(['async_launched', 'running', 'pending']);

function isQuiet({ entries }: Turn, now: number | undefined): boolean {
  const last = entries.reduce((latest, { head }) => Math.max(latest, usableTime(head.timestamp) ?? 0), 0);
  return now !== undefined && now - last > QUIET;
}

export function agentFacts(agent: Agent, depth: number, contents: Contents): AgentFacts {
  const { agentId, agentType, description, background } = agent;
  return {
    id: agentId,
    type: agentType === undefined ? null : contents.name(agentType),
    description: description === undefined ? null : contents.status(() => description, '') || null,
    depth,
    background,
  };
}
