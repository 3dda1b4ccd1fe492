/** Agents of a part that may still have something to send when the turns there are over. */
import type { Entry } from '../../format/entry.ts';
import { parseTimestamp } from '../../format/time.ts';
import type { Agent } from '../../graph/agents.ts';
import { QUIET } from '../../graph/turnstate.ts';
import { strayTraceId } from '../../views/spans/turn.ts';
import type { SpanOptions } from '../../views/spans/types.ts';
import { beginningOf, type ReadPart } from './part.ts';

export interface LaunchedAgent {
  /** Its file, unless it has none of its own. */
  readonly agent: string | undefined;
  /** The line of the session that started it, or the agent that started it. */
  readonly call: Entry;
  /** The client told that it ended. */
  readonly ended: boolean;
  /** Its end was not told, and it was not quiet for long. */
  readonly isWorking: boolean;
}

const ENDED = /^(?:completed|failed|killed|stopped|cancell?ed|error)/;

/** Those in the background. */
export function launchedIn({ chat }: ReadPart, transcript: string, now = Date.now()): LaunchedAgent[] {
  const all = chat?.allAgents ?? [];
  const byId = new Map(all.map((agent) => [agent.agentId, agent]));
  return all.flatMap((agent) => {
    const call = agent.background ? callOf(agent, byId, transcript) : undefined;
    if (call === undefined) return [];
    const ended = ENDED.test(agent.status ?? '');
    const last = Math.max(0, ...agent.entries.slice(-5).map(({ head }) => parseTimestamp(head.timestamp ?? '') || 0));
    return [{ agent: agent.file, call, ended, isWorking: !ended && now - last <= QUIET }];
  });
}

/** An agent that an agent started belongs to the turn in which the first of them was. */
function callOf(agent: Agent, byId: ReadonlyMap<string, Agent>, transcript: string): Entry | undefined {
  const seen = new Set<Agent>();
  for (let at: Agent | undefined = agent; at !== undefined && !seen.has(at); at = byId.get(at.parent ?? '')) {
    seen.add(at);
    const call = at.calls.find(({ use }) => use.source.name === transcript);
    if (call !== undefined) return call.use;
  }
  return undefined;
}

export interface StrayAgent {
  readonly file: string | undefined;
  readonly traceId: string;
}

/** Agents that surely no call leads to: what could was read, now or when they were first seen. */
export function straysIn(
  { chat, entries, from, state }: ReadPart,
  options: Omit<SpanOptions, 'sessionId'>,
): StrayAgent[] {
  if (chat === undefined) return [];
  const began = beginningOf(entries) ?? Number.POSITIVE_INFINITY;
  const isSure = ({ file = '', entries: own }: Agent) =>
    from === undefined || state?.strays.includes(file) === true || (beginningOf(own) ?? 0) >= began;
  return chat.allAgents
    .filter((agent) => agent.calls.length === 0 && isSure(agent))
    .map((agent) => ({ file: agent.file, traceId: strayTraceId(agent, { ...options, sessionId: chat.id }) }));
}
