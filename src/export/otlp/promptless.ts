/**
 * What no prompt leads to: agents without a call, and what stands before the first prompt. While a session is being written,
 * the line that tells where it belongs may still come, as lines are not always in order: sent too early, it would be there
 * twice, in a trace of its own and where it belongs.
 */
import { QUIET } from '../../graph/turnstate.ts';
import type { TurnTrace } from '../../views/spans/types.ts';

function isStray({ turn, promptId, spans }: TurnTrace): boolean {
  return turn === 0 && promptId === null && spans()[0]?.facts.agent != null;
}

/**
 * Such traces are open until it is sure: agents when all turns are over and a while has passed, the rest when a turn after it is over.
 * A turn that was cut off may stay open for ever: after a day it tells nothing any more.
 */
export function withLatePromptless(traces: readonly TurnTrace[], now: number | undefined): TurnTrace[] {
  const goesOn = traces.some(({ status }) => status === 'open');
  const hasTurn = traces.some(({ status, turn }) => status === 'ready' && turn > 0);
  return traces.map((trace) => {
    if (trace.status !== 'ready' || trace.turn > 0) return trace;
    const isOver = isQuiet(trace, now, goesOn ? DAY : QUIET);
    return isOver || (hasTurn && !isStray(trace)) ? trace : { ...trace, status: 'open' };
  });
}

const DAY = 24 * 60 * 60 * 1000;

function isQuiet(trace: TurnTrace, now: number | undefined, quiet: number): boolean {
  const ended = trace.spans().reduce((latest, { endMs }) => Math.max(latest, endMs), 0);
  return now !== undefined && now - ended > quiet;
}
