/** A turn as spans: one trace. Pure; ids and start times come from the transcript alone (T3). */
import type { Agent } from '../../graph/agents.ts';
import type { Turn } from '../../graph/types.ts';
import { agentFacts, workOf } from './agents.ts';
import { firstTime } from './clock.ts';
import { enclosed } from './enclose.ts';
import { agentKey, traceIdOf, traceKey } from './ids.ts';
import { agentSpans } from './run.ts';
import { sceneOf } from './scene.ts';
import { traceFacts } from './trace.ts';
import type { Span, SpanOptions, TurnTrace } from './types.ts';

/** Nothing for a turn that is still open (T6) or has no time in it (T7). */
export function spansOfTurn(turn: Turn, options: SpanOptions, previous?: Turn): Span[] {
  return spansOfTurns([{ turn, previous }], options);
}

export interface PlacedTurn {
  readonly turn: Turn;
  /** A compaction at its end belongs to this one. */
  readonly previous: Turn | undefined;
}

/** Turns with one prompt: a rewind into the middle of a turn gives it several ends. What they share is told by the first. */
export function spansOfTurns(turns: readonly PlacedTurn[], options: SpanOptions): Span[] {
  const found = new Map<string, Span>();
  for (const { turn, previous } of turns) {
    if (statusOf(turn) !== 'ready') continue;
    const scene = sceneOf(turnTraceId(turn, options), traceFacts(turn, options, previous), options);
    const run = { key: '', name: scene.trace.name, turns: [turn], previous, parent: null, agent: null };
    for (const span of agentSpans(scene, run)) if (!found.has(span.spanId)) found.set(span.spanId, span);
  }
  return enclosed([...found.values()]);
}

/** An agent that no call leads to: a trace of its own. */
export function spansOfStray(agent: Agent, options: SpanOptions): Span[] {
  const turns = workOf(agent, undefined, options);
  const [first] = turns ?? [];
  if (turns === undefined || first === undefined) return [];
  const { mask = (text: string) => text } = options;
  const name = agent.warmup ? 'Warmup' : `Agent ${mask(agent.agentType ?? agent.agentId)}`;
  const trace = { ...traceFacts(first, options), name, turn: 0 };
  const scene = sceneOf(strayTraceId(agent, options), trace, options);
  const run = { key: '', name, turns, parent: null, agent: agentFacts(agent, 1, scene.contents) };
  return enclosed(agentSpans(scene, run));
}

export function turnTraceId(turn: Turn, { hash, sessionId, turnsBefore = 0 }: SpanOptions): string {
  return traceIdOf(traceKey(turn, sessionId, turnsBefore), hash);
}

export function strayTraceId(agent: Agent, { hash, sessionId }: SpanOptions): string {
  return traceIdOf(agentKey(agent, sessionId), hash);
}

export function statusOf(turn: Turn): TurnTrace['status'] {
  if (turn.state === 'open') return 'open';
  return firstTime(turn.entries) === undefined ? 'undated' : 'ready';
}
